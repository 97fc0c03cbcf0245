import { useState } from 'preact/hooks';
import type { Message } from '../../../../languages/catalogue.ts';
import { pathTo } from '../../state/router.ts';
import type { FileNode } from '../../state/workspace.ts';
import { Dialog } from '../parts/Dialog.tsx';
import { Check, Field, Select, TextArea } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { useLoaded } from '../parts/loading.ts';
import { useApp, useTexts } from '../useApp.ts';
import type { AppRecord } from './Apps.tsx';

interface NewAppProps {
  serverId: string;
  onDone(): Promise<void>;
  onClose(): void;
}

const types: { value: string; label: Message }[] = [
  { value: 'html', label: 'A page (HTML)' },
  { value: 'zip', label: 'A bundle (ZIP file)' },
  { value: 'url', label: 'A site at another address' },
];

export function NewApp({ serverId, onDone, onClose }: NewAppProps) {
  const { labelled, t } = useTexts();
  const { workspace, client, drafts, navigate } = useApp();
  const [type, setType] = useState('html');
  const [bundle, setBundle] = useState<File | null>(null);
  // Escape must not lose a page that took an hour.
  const unsaved = `new-app:${serverId}`;
  const create = async (fields: Fields) => {
    const about = { name: fields.text('name'), description: fields.text('description') || null };
    const source = await sourceOf(type, fields, async () => {
      if (!bundle) throw new Error(t('Choose a ZIP file.'));
      return (await workspace.upload(serverId, null, bundle)).id;
    });
    const app = await client.rest('POST /api/servers/:serverId/apps', { serverId, body: { ...about, ...source } });
    if (type === 'html') drafts.keep(unsaved, '');
    onClose();
    await onDone();
    navigate(pathTo.app(serverId, app.slug));
  };
  return (
    <Dialog title={t('A new app')} size="wide" onClose={onClose}>
      <Form action={t('Create')} work={create}>
        <Field label={t('Name')} name="name" maxlength={200} required autofocus />
        <Field label={t('Description')} name="description" maxlength={1024} />
        <Select label={t('Type')} value={type} options={labelled(types)} onChange={setType} />
        {type === 'html' && (
          <TextArea
            label={t('HTML')}
            name="htmlContent"
            code
            rows={10}
            value={drafts.of(unsaved)}
            onInput={(text) => drafts.keep(unsaved, text)}
            required
          />
        )}
        {type === 'url' && <Field label={t('Address')} name="url" type="url" placeholder="https://" required />}
        {type === 'zip' && <BundleField onChoose={setBundle} />}
      </Form>
      <p class="hint">{t('To make a folder an app, choose “Publish as an app” in its menu under Files.')}</p>
    </Dialog>
  );
}

function BundleField({ onChoose }: { onChoose(file: File | null): void }) {
  const { t } = useTexts();
  return (
    <div class="field">
      <label for="bundle">{t('ZIP file')}</label>
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

interface EditAppProps {
  app: AppRecord;
  onDone(): Promise<void>;
  onClose(): void;
}

export function EditApp({ app, onDone, onClose }: EditAppProps) {
  const { t } = useTexts();
  const { client } = useApp();
  const params = { serverId: app.serverId, appId: app.id };
  const { value: whole } = useLoaded(
    () => client.rest('GET /api/servers/:serverId/apps/:appId', params),
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
    await client.rest('PATCH /api/servers/:serverId/apps/:appId', { ...params, body });
    onClose();
    await onDone();
  };
  return (
    <Dialog title={t('Edit {name}', { name: app.name })} size="wide" onClose={onClose}>
      {whole && (
        <Form action={t('Save')} work={save}>
          <Field label={t('Name')} name="name" maxlength={200} value={whole.name} required />
          <Field label={t('Short name')} name="slug" maxlength={100} value={whole.slug} required />
          <Field label={t('Description')} name="description" maxlength={1024} value={whole.description ?? ''} />
          {whole.type === 'html' && (
            <TextArea label={t('HTML')} name="htmlContent" code rows={12} value={whole.htmlContent ?? ''} />
          )}
          {whole.type === 'url' && (
            <Field label={t('Address')} name="url" type="url" value={whole.url ?? ''} required />
          )}
        </Form>
      )}
    </Dialog>
  );
}

interface PublishProps {
  serverId: string;
  /** A folder, or a ZIP or HTML file. */
  node: FileNode;
  onClose(): void;
}

/** Publishes something from the workspace as an app, or as a new version of one. */
export function PublishNode({ serverId, node, onClose }: PublishProps) {
  const { t } = useTexts();
  const { client, navigate } = useApp();
  const publish = async ({ text, isChecked }: Fields) => {
    const source = node.kind === 'dir' ? { folderId: node.id } : { fileId: node.id };
    const body = {
      ...source,
      name: text('name'),
      slug: text('slug') || null,
      isHomepage: isChecked('isHomepage') || undefined,
    };
    const app = await client.rest('POST /api/servers/:serverId/apps/publish', { serverId, body });
    onClose();
    navigate(pathTo.app(serverId, app.slug));
  };
  return (
    <Dialog title={t('Publish {name}', { name: node.name })} onClose={onClose}>
      <Form action={t('Publish')} work={publish}>
        <Field
          label={t('Name')}
          name="name"
          maxlength={200}
          value={node.name.replace(/\.[^.]+$/, '')}
          required
          autofocus
        />
        <Field
          label={t('Short name')}
          name="slug"
          maxlength={100}
          hint={t('Optional. The short name of an existing app publishes a new version of it.')}
        />
        <Check label={t('It is the home page of the server')} name="isHomepage" />
      </Form>
    </Dialog>
  );
}
