import type { Texts } from '../../state/texts.ts';
import { Button } from '../parts/Button.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { Select, TextArea } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { useApp, useTexts } from '../useApp.ts';

export const categories = [
  { value: 'spam', label: 'Spam' },
  { value: 'harassment', label: 'Harassment' },
  { value: 'hate', label: 'Hate' },
  { value: 'sexual', label: 'Sexual content' },
  { value: 'violence', label: 'Violence' },
  { value: 'self-harm', label: 'Self-harm' },
  { value: 'illegal', label: 'Something illegal' },
  { value: 'impersonation', label: 'Impersonation' },
  { value: 'other', label: 'Something else' },
] as const;

/** Reports what was chosen in a menu. */
export function ReportDialog() {
  const texts = useTexts();
  const { labelled, t } = texts;
  const { reporting, client, showToast } = useApp();
  const about = reporting.about.value;
  if (!about) return null;
  const send = async ({ text }: Fields) => {
    const category = categories.find(({ value }) => value === text('category'))?.value ?? 'other';
    await client.rest('POST /api/reports', { body: { ...about.what, category, text: text('text') || null } });
    reporting.close();
    showToast(t('Your report was sent. You are told when it is decided.'));
  };
  return (
    <Dialog title={t('Report {name}', { name: about.name })} onClose={reporting.close}>
      <p>
        {recipientsOf(texts, about.what)} {t('They see who reported it. The reported person does not.')}
      </p>
      <Form
        action={t('Report')}
        work={send}
        beside={<Button label={t('Cancel')} kind="quiet" onClick={reporting.close} />}
      >
        <Select label={t('Reason')} name="category" options={labelled(categories)} />
        <TextArea label={t('Details')} name="text" maxlength={1000} hint={t('Anything the moderators should know.')} />
      </Form>
    </Dialog>
  );
}

function recipientsOf(
  { t }: Texts,
  { kind, serverId }: { kind: string; serverId?: string | null | undefined },
): string {
  if (kind === 'server' || (kind === 'user' && !serverId)) return t('It goes to the operators of this installation.');
  return kind === 'message'
    ? t('It is sent with the messages around it: to the moderators in a server, to the operators for direct messages.')
    : t('It goes to the moderators of the server.');
}
