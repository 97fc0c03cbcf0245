import type { ServerRecord } from '../../../../client/index.ts';
import type { Message } from '../../../../languages/catalogue.ts';
import type { Member } from '../../state/servers.ts';
import type { Texts } from '../../state/texts.ts';
import { Button } from '../parts/Button.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { Field, Select } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { useApp, useTexts } from '../useApp.ts';

interface RestrainProps {
  server: ServerRecord;
  member: Member;
  onClose(): void;
  onDone(): void;
}

const lengths: { value: string; label: Message }[] = [
  { value: '60', label: 'For a minute' },
  { value: '600', label: 'For 10 minutes' },
  { value: '3600', label: 'For an hour' },
  { value: '86400', label: 'For a day' },
  { value: '604800', label: 'For a week' },
];

/** Times a member out. */
export function TimeoutDialog({ server, member, onClose, onDone }: RestrainProps) {
  const { labelled, t } = useTexts();
  const { client } = useApp();
  const timeOut = async ({ text }: Fields) => {
    const body = { seconds: Number(text('length')), reason: text('reason') || null };
    await client.rest('PUT /api/servers/:id/members/:userId/timeout', { id: server.id, userId: member.userId, body });
    onDone();
    onClose();
  };
  return (
    <Dialog title={t('Time out {displayName}?', { displayName: member.user.displayName })} onClose={onClose}>
      <p>{t('Until then they and their bots can only read here. Leaving and coming back does not end it.')}</p>
      <Form
        action={t('Time out')}
        work={timeOut}
        beside={<Button label={t('Cancel')} kind="quiet" onClick={onClose} />}
      >
        <Field label={t('Reason')} name="reason" maxlength={500} hint={t('They see this.')} />
        <Select label={t('How long')} name="length" options={labelled(lengths)} value="600" />
      </Form>
    </Dialog>
  );
}

const hours: { value: string; label: Message }[] = [
  { value: '1', label: 'Last hour' },
  { value: '6', label: 'Last 6 hours' },
  { value: '24', label: 'Last 24 hours' },
  { value: '168', label: 'Last 7 days' },
];

/** The choice of how many of someone's messages go with a ban. */
export function MessagesToDelete() {
  const { labelled, t } = useTexts();
  const options = [{ value: '', label: t('None') }, ...labelled(hours)];
  return <Select label={t('Delete their messages here')} name="hours" options={options} />;
}

/** Deletes what a member wrote in the last hours. */
export function DeleteMessagesDialog({ server, member, onClose, onDone }: RestrainProps) {
  const { labelled, t } = useTexts();
  const { client, showToast } = useApp();
  const erase = async ({ text }: Fields) => {
    const params = { id: server.id, userId: member.userId, body: { hours: Number(text('hours')) } };
    const { estimate } = await client.rest('POST /api/servers/:id/members/:userId/messages/delete', params);
    showToast(
      estimate === 0
        ? t('There is almost nothing to delete.')
        : t('About {count, plural, =1 {one message is} one {# message is} other {# messages are}} being deleted.', {
            count: estimate,
          }),
    );
    onDone();
    onClose();
  };
  return (
    <Dialog title={t('Delete messages of {displayName}?', { displayName: member.user.displayName })} onClose={onClose}>
      <p>{t('They are deleted for everyone in all channels and threads of this server, and cannot be restored.')}</p>
      <Form action={t('Delete')} work={erase} beside={<Button label={t('Cancel')} kind="quiet" onClick={onClose} />}>
        <Select label={t('Messages to delete')} name="hours" options={labelled(hours)} />
      </Form>
    </Dialog>
  );
}

/** Until when a member is timed out; null: they are not. */
export function timedOutUntil({ shortTime }: Texts, { timedOutUntil }: Member): string | null {
  return timedOutUntil && Date.parse(timedOutUntil) > Date.now() ? shortTime(timedOutUntil) : null;
}
