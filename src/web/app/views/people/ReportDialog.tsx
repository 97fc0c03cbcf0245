import { Button } from '../parts/Button.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { Select, TextArea } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { useApp } from '../useApp.ts';

export const categories = [
  { value: 'spam', label: 'Spam' },
  { value: 'harassment', label: 'Harassment' },
  { value: 'hate', label: 'Hate' },
  { value: 'sexual', label: 'Sexual content' },
  { value: 'violence', label: 'Violence' },
  { value: 'self-harm', label: 'Self-harm' },
  { value: 'illegal', label: 'Something illegal' },
  { value: 'impersonation', label: 'Pretends to be someone else' },
  { value: 'other', label: 'Something else' },
] as const;

/** Reports what was chosen in a menu. */
export function ReportDialog() {
  const { reporting, client, showToast } = useApp();
  const about = reporting.about.value;
  if (!about) return null;
  const send = async ({ text }: Fields) => {
    const category = categories.find(({ value }) => value === text('category'))?.value ?? 'other';
    await client.rest('POST /api/reports', { body: { ...about.what, category, text: text('text') || null } });
    reporting.close();
    showToast('Your report was sent. You are told when it is decided.');
  };
  return (
    <Dialog title={`Report ${about.name}`} onClose={reporting.close}>
      <p>{recipientsOf(about.what)} They see who reported it; the one whom it is about does not.</p>
      <Form action="Report" work={send} beside={<Button label="Cancel" kind="quiet" onClick={reporting.close} />}>
        <Select label="What is wrong" name="category" options={categories} />
        <TextArea label="Details" name="text" maxlength={1000} hint="What those who decide should know." />
      </Form>
    </Dialog>
  );
}

function recipientsOf({ kind, serverId }: { kind: string; serverId?: string | null | undefined }): string {
  if (kind === 'server' || (kind === 'user' && !serverId)) return 'It goes to the operators of this installation.';
  return kind === 'message'
    ? 'With the messages around it, it goes to those who decide: in a server its moderators, of a direct message the operators.'
    : 'It goes to the moderators of the server.';
}
