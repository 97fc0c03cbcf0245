import { useState } from 'preact/hooks';
import type { MessageInput } from '../../../../client/index.ts';
import { pathTo } from '../../state/router.ts';
import { IconButton } from '../parts/Button.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { chosenTime, TimeChoice } from '../parts/TimeChoice.tsx';
import { useApp, useTexts } from '../useApp.ts';

/** The message being written, as far as it can be sent later. */
export interface Schedulable {
  channelId: string;
  message(): MessageInput;
  clear(): void;
  blocked: boolean;
}

/** Sends the message being written at another time. */
export function SendLater({ channelId, message, clear, blocked }: Schedulable) {
  const texts = useTexts();
  const { fullTime, t } = texts;
  const { client, showToast } = useApp();
  const [choosing, setChoosing] = useState(false);
  const schedule = async (fields: Fields) => {
    const sendAt = chosenTime(texts, fields);
    const body = { ...message(), sendAt };
    await client.rest('POST /api/channels/:channelId/scheduled-messages', { channelId, body });
    clear();
    setChoosing(false);
    showToast(t('It will be sent: {time}.', { time: fullTime(sendAt) }), 'good', pathTo.later('scheduled'));
  };
  return (
    <>
      {!blocked && <IconButton icon="clock" label={t('Schedule for later')} onClick={() => setChoosing(true)} />}
      {choosing && (
        <Dialog title={t('Send later')} onClose={() => setChoosing(false)}>
          <Form action={t('Schedule')} work={schedule}>
            <TimeChoice label={t('When')} />
          </Form>
        </Dialog>
      )}
    </>
  );
}
