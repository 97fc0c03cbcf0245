import { useState } from 'preact/hooks';
import { ParleyError } from '../../../../client/index.ts';
import type { Texts } from '../../state/texts.ts';
import type { FileNode } from '../../state/workspace.ts';
import { unzip } from '../../state/zip.ts';
import { PublishNode } from '../apps/AppForms.tsx';
import { Button } from '../parts/Button.tsx';
import { Confirm, Dialog } from '../parts/Dialog.tsx';
import type { DroppedFile } from '../parts/dropping.ts';
import { Field, TextArea } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { useLoaded } from '../parts/loading.ts';
import { type AppState, useApp, useTexts } from '../useApp.ts';

/** What the user is about to do in a workspace. */
export type FileTask =
  | { what: 'new folder' | 'new file'; parentId: string | null }
  | { what: 'rename' | 'edit' | 'look' | 'publish'; node: FileNode }
  | { what: 'unpack'; node: FileNode }
  | { what: 'delete'; nodes: FileNode[] };

interface FileTasksProps {
  serverId: string;
  task: FileTask;
  onUpload(files: DroppedFile[]): Promise<void>;
  onDone(): Promise<void>;
  onClose(): void;
}

export function FileTasks({ serverId, task, onUpload, onDone, onClose }: FileTasksProps) {
  const { t } = useTexts();
  const { workspace, attempt } = useApp();
  switch (task.what) {
    case 'new folder':
    case 'new file': {
      const naming = {
        title: task.what === 'new folder' ? t('A new folder') : t('A new file'),
        action: t('Create'),
        name: '',
      };
      const work = (name: string) =>
        task.what === 'new folder'
          ? workspace.createFolder(serverId, task.parentId, name)
          : workspace.createFile(serverId, task.parentId, name);
      return <NameDialog {...naming} work={work} onDone={onDone} onClose={onClose} />;
    }
    case 'rename': {
      const { id, name } = task.node;
      const naming = { title: t('Rename {name}', { name }), action: t('Rename'), name };
      const work = (wanted: string) => workspace.rename(serverId, id, wanted);
      return <NameDialog {...naming} work={work} onDone={onDone} onClose={onClose} />;
    }
    case 'edit':
      return <Editor serverId={serverId} node={task.node} onClose={onClose} />;
    case 'look':
      return <Picture serverId={serverId} node={task.node} onClose={onClose} />;
    case 'publish':
      return <PublishNode serverId={serverId} node={task.node} onClose={onClose} />;
    case 'unpack':
      return <Unpack serverId={serverId} node={task.node} onUpload={onUpload} onClose={onClose} />;
    case 'delete': {
      const remove = () => workspace.remove(serverId, task.nodes).then(onDone);
      return <ConfirmDeletion nodes={task.nodes} onClose={onClose} onConfirm={() => void attempt(remove)} />;
    }
  }
}

interface DeletionProps {
  nodes: FileNode[];
  onClose(): void;
  onConfirm(): void;
}

function ConfirmDeletion({ nodes, onClose, onConfirm }: DeletionProps) {
  const { t } = useTexts();
  return (
    <Confirm
      title={
        nodes.length === 1
          ? t('Delete {name}?', { name: nodes[0]?.name ?? '' })
          : t('Delete {count, plural, one {# thing} other {# things}}?', { count: nodes.length })
      }
      text={t('Folders are deleted with all their contents, for everyone and for good.')}
      action={t('Delete')}
      onClose={onClose}
      onConfirm={onConfirm}
    />
  );
}

interface NameDialogProps {
  title: string;
  action: string;
  name: string;
  work(name: string): Promise<unknown>;
  onDone(): Promise<void>;
  onClose(): void;
}

function NameDialog({ title, action, name, work, onDone, onClose }: NameDialogProps) {
  const { t } = useTexts();
  const submit = async ({ text }: Fields) => {
    await work(text('name'));
    onClose();
    await onDone();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <Form action={action} work={submit}>
        <Field label={t('Name')} name="name" maxlength={255} value={name} required autofocus />
      </Form>
    </Dialog>
  );
}

interface EditorProps {
  serverId: string;
  node: FileNode;
  onClose(): void;
}

/** An editor for a text file. */
export function Editor({ serverId, node, onClose }: EditorProps) {
  const { t } = useTexts();
  const { client } = useApp();
  const { value: file } = useLoaded(
    () => client.rest('GET /api/servers/:serverId/workspace/files/:fileId', { serverId, fileId: node.id }),
    [serverId, node.id],
  );
  return (
    <Dialog title={node.name} size="wide" onClose={onClose}>
      {!file && <p class="faint">{t('One moment…')}</p>}
      {file && file.content === null && <p class="faint">{t('This is no text.')}</p>}
      {file && file.content !== null && (
        <TextEditor serverId={serverId} node={node} onClose={onClose} content={file.content} version={file.version} />
      )}
    </Dialog>
  );
}

/** Unsaved text, and the version of the file that it is based on. */
interface Unsaved {
  text: string;
  version: number;
}

function unsavedOf(app: AppState, fileId: string): Unsaved | null {
  const kept = app.drafts.of(fileId);
  return kept === '' ? null : JSON.parse(kept);
}

interface TextEditorProps extends EditorProps {
  content: string;
  version: number;
}

/** Unsaved text is kept as a draft. A version saved by someone else meanwhile is not overwritten. */
function TextEditor({ serverId, node, onClose, content, version }: TextEditorProps) {
  const texts = useTexts();
  const { t } = texts;
  const app = useApp();
  const { drafts, showToast } = app;
  const [unsaved, setUnsaved] = useState(() => unsavedOf(app, node.id));
  const [base, setBase] = useState(unsaved?.version ?? version);
  const [shown] = useState(unsaved?.text ?? content);
  const change = (text: string, of = base) => {
    const changed = { text, version: of };
    drafts.keep(node.id, JSON.stringify(changed));
    setUnsaved(changed);
  };
  const forget = () => {
    drafts.keep(node.id, '');
    setUnsaved(null);
  };
  const save = async ({ raw }: Fields) => {
    const text = raw('content');
    const saved = await saveText(texts, app, serverId, node, text, base);
    setBase(saved);
    const typed = unsavedOf(app, node.id)?.text ?? text;
    if (typed === text) forget();
    // The user has typed more meanwhile.
    else change(typed, saved);
    showToast(t('{name} is saved.', { name: node.name }));
  };
  const discard = () => {
    forget();
    onClose();
  };
  const beside = unsaved && <Button label={t('Discard the changes')} kind="quiet" onClick={discard} />;
  return (
    <Form action={t('Save')} work={save} beside={beside}>
      <TextArea
        label={t('Content of {name}', { name: node.name })}
        name="content"
        code
        rows={20}
        value={shown}
        onInput={(text) => change(text)}
      />
    </Form>
  );
}

/** @returns its new version */
async function saveText(
  { t }: Texts,
  app: AppState,
  serverId: string,
  { id }: FileNode,
  content: string,
  version: number,
): Promise<number> {
  const params = { serverId, fileId: id, body: { content }, headers: { 'if-match': `"${version}"` } };
  try {
    return (await app.client.rest('PATCH /api/servers/:serverId/workspace/files/:fileId', params)).version;
  } catch (error) {
    if (!(error instanceof ParleyError) || error.status !== 412) throw error;
    throw new Error(
      t('Someone else has saved this file meanwhile. Copy your text, discard it, and open the file again.'),
    );
  }
}

interface PictureProps {
  serverId: string;
  node: FileNode;
  onClose(): void;
}

export function Picture({ serverId, node, onClose }: PictureProps) {
  const { workspace } = useApp();
  const { value: url } = useLoaded(() => workspace.linkTo(serverId, node.id, 'inline'), [serverId, node.id]);
  return (
    <Dialog title={node.name} size="wide" onClose={onClose}>
      {url && <img class="whole" src={url} alt={node.name} />}
    </Dialog>
  );
}

interface UnpackProps {
  serverId: string;
  /** A ZIP file. */
  node: FileNode;
  onUpload(files: DroppedFile[]): Promise<void>;
  onClose(): void;
}

/** Unpacks a ZIP file in the browser, into a folder of its name beside it. */
export function Unpack({ serverId, node, onUpload, onClose }: UnpackProps) {
  const { t } = useTexts();
  const { workspace } = useApp();
  const unpack = async () => {
    const answer = await fetch(await workspace.linkTo(serverId, node.id, 'attachment'));
    if (!answer.ok) throw new Error(t('The file cannot be read just now. Try again.'));
    const files = await unzip(await answer.blob());
    const folder = node.name.replace(/\.zip$/i, '') || 'archive';
    onClose();
    await onUpload(files.map((file) => ({ ...file, folders: [folder, ...file.folders] })));
  };
  return (
    <Dialog title={t('Unpack {name}?', { name: node.name })} onClose={onClose}>
      <Form action={t('Unpack')} work={unpack}>
        <p class="note">{t('Everything in it is put into a folder of its name, here.')}</p>
      </Form>
    </Dialog>
  );
}
