import { parley } from '../../state/client.ts';
import { Dialog } from '../parts/Dialog.tsx';
import { Field, TextArea } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { useLoaded } from '../parts/loading.ts';
import type { AppRecord } from './Apps.tsx';

interface EditAppProps {
  app: AppRecord;
  onDone(): Promise<void>;
  onClose(): void;
}

export function EditApp({ app, onDone, onClose }: EditAppProps) {
  const params = { serverId: app.serverId, appId: app.id };
  const { value: whole } = useLoaded(
    () => parley.rest('GET /api/servers/:serverId/apps/:appId', params),
    [app.id, app.serverId],
  );
  const save = async ({ text, raw }: Fields) => {
    const body = {
      name: text('name'),
      slug: text('slug'),
      description: text('description') || null,
      ...(app.type === 'html' ? { htmlContent: raw('htmlContent') } : {}),
      ...(app.type === 'url' ? { url: text('url') } : {}),
    };
    await parley.rest('PATCH /api/servers/:serverId/apps/:appId', { ...params, body });
    onClose();
    await onDone();
  };
  return (
    <Dialog title={`Edit ${app.name}`} size="wide" onClose={onClose}>
      {whole && (
        <Form action="Save" work={save}>
          <Field label="Name" name="name" maxlength={200} value={whole.name} required />
          <Field label="Short name" name="slug" maxlength={100} value={whole.slug} required />
          <Field label="Description" name="description" maxlength={1024} value={whole.description ?? ''} />
          {whole.type === 'html' && (
            <TextArea label="HTML" name="htmlContent" code rows={12} value={whole.htmlContent ?? ''} />
          )}
          {whole.type === 'url' && <Field label="Address" name="url" type="url" value={whole.url ?? ''} required />}
        </Form>
      )}
    </Dialog>
  );
}
