import { useState } from 'preact/hooks';
import { parley } from '../../state/client.ts';
import { draftOf, keepDraft } from '../../state/drafts.ts';
import { go, pathTo } from '../../state/router.ts';
import { uploadFile } from '../../state/workspace.ts';
import { Dialog } from '../parts/Dialog.tsx';
import { Field, Select, TextArea } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';

interface NewAppProps {
  serverId: string;
  onDone(): Promise<void>;
  onClose(): void;
}

const types = [
  { value: 'html', label: 'A page (HTML)' },
  { value: 'zip', label: 'A bundle (ZIP file)' },
  { value: 'url', label: 'A site at another address' },
];

export function NewApp({ serverId, onDone, onClose }: NewAppProps) {
  const [type, setType] = useState('html');
  const [bundle, setBundle] = useState<File | null>(null);
  // A page that took an hour must not be lost to Escape.
  const unsaved = `new-app:${serverId}`;
  const create = async (fields: Fields) => {
    const about = { name: fields.text('name'), description: fields.text('description') || null };
    const source = await sourceOf(type, fields, async () => {
      if (!bundle) throw new Error('Choose a ZIP file.');
      return (await uploadFile(serverId, null, bundle)).id;
    });
    const app = await parley.rest('POST /api/servers/:serverId/apps', { serverId, body: { ...about, ...source } });
    if (type === 'html') keepDraft(unsaved, '');
    onClose();
    await onDone();
    go(pathTo.app(serverId, app.slug));
  };
  return (
    <Dialog title="A new app" size="wide" onClose={onClose}>
      <Form action="Create" work={create}>
        <Field label="Name" name="name" maxlength={200} required autofocus />
        <Field label="Description" name="description" maxlength={1024} />
        <Select label="What it is made of" value={type} options={types} onChange={setType} />
        {type === 'html' && (
          <TextArea
            label="HTML"
            name="htmlContent"
            code
            rows={10}
            value={draftOf(unsaved)}
            onInput={(text) => keepDraft(unsaved, text)}
            required
          />
        )}
        {type === 'url' && <Field label="Address" name="url" type="url" placeholder="https://" required />}
        {type === 'zip' && <BundleField onChoose={setBundle} />}
      </Form>
      <p class="hint">A folder of the files becomes an app there: “Publish as an app” in its menu.</p>
    </Dialog>
  );
}

function BundleField({ onChoose }: { onChoose(file: File | null): void }) {
  return (
    <div class="field">
      <label for="bundle">ZIP file</label>
      <input
        id="bundle"
        type="file"
        accept=".zip,application/zip"
        required
        onChange={(event) => onChoose(event.currentTarget.files?.[0] ?? null)}
      />
    </div>
  );
}

async function sourceOf(type: string, { raw, text }: Fields, upload: () => Promise<string>) {
  if (type === 'url') return { type: 'url' as const, url: text('url') };
  if (type === 'zip') return { type: 'zip' as const, fileId: await upload() };
  return { type: 'html' as const, htmlContent: raw('htmlContent') };
}
