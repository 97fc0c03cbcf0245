import type { RestAnswer } from '../../../../client/index.ts';
import { pathTo } from '../../state/router.ts';
import { Dialog } from '../parts/Dialog.tsx';
import { Field } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { chosenTime, TimeChoice } from '../parts/TimeChoice.tsx';
import { useApp, useTexts } from '../useApp.ts';

export type LaterEntry = RestAnswer<'GET /api/later'>[number];

interface RemindProps {
  /** A message, or what is saved already; neither: a reminder of a note. */
  messageId?: string;
  entry?: LaterEntry;
  onClose(): void;
}

/** Asks when to remind the user of something. */
export function RemindDialog({ messageId, entry, onClose }: RemindProps) {
  const texts = useTexts();
  const { fullTime, t } = texts;
  const { client, showToast } = useApp();
  const remind = async (fields: Fields) => {
    const remindAt = chosenTime(texts, fields, entry?.remindAt);
    const note = fields.text('note');
    if (entry) await client.rest('PATCH /api/later/:id', { id: entry.id, body: { remindAt, note } });
    else await client.rest('POST /api/later', { body: { messageId, remindAt, ...(note === '' ? {} : { note }) } });
    onClose();
    showToast(t('You will be reminded: {time}.', { time: fullTime(remindAt) }), 'good', pathTo.later('saved'));
  };
  const isOfNote = !messageId && !entry?.messageId;
  return (
    <Dialog title={t('Remind me')} onClose={onClose}>
      <Form action={t('Remind me')} work={remind}>
        <TimeChoice label={t('When')} value={entry?.remindAt ?? null} />
        <Field
          label={isOfNote ? t('What to remind you of') : t('Note')}
          name="note"
          value={entry?.note ?? ''}
          maxlength={1000}
          required={isOfNote}
        />
      </Form>
    </Dialog>
  );
}
