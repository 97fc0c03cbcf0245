import { useState } from 'preact/hooks';
import { ParleyError } from '../../../../client/index.ts';
import { parley } from '../../state/client.ts';
import { draftOf, keepDraft } from '../../state/drafts.ts';
import { attempt, tell } from '../../state/toasts.ts';
import { createFile, createFolder, type FileNode, fileLink, removeNodes, rename } from '../../state/workspace.ts';
import { unzip } from '../../state/zip.ts';
import { PublishNode } from '../apps/AppForms.tsx';
import { Button } from '../parts/Button.tsx';
import { Confirm, Dialog } from '../parts/Dialog.tsx';
import type { DroppedFile } from '../parts/dropping.ts';
import { Field, TextArea } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { useLoaded } from '../parts/loading.ts';

/** What someone is about to do in a workspace. */
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
  switch (task.what) {
    case 'new folder':
    case 'new file': {
      const create = task.what === 'new folder' ? createFolder : createFile;
      const naming = { title: `A ${task.what}`, action: 'Create', name: '' };
      const work = (name: string) => create(serverId, task.parentId, name);
      return <NameDialog {...naming} work={work} onDone={onDone} onClose={onClose} />;
    }
    case 'rename': {
      const { id, name } = task.node;
      const naming = { title: `Rename ${name}`, action: 'Rename', name };
      const work = (wanted: string) => rename(serverId, id, wanted);
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
      const remove = () => removeNodes(serverId, task.nodes).then(onDone);
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
  return (
    <Confirm
      title={nodes.length === 1 ? `Delete ${nodes[0]?.name}?` : `Delete ${nodes.length} things?`}
      text="Folders go with all that is in them, for everyone and for good."
      action="Delete"
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
  const submit = async ({ text }: Fields) => {
    await work(text('name'));
    onClose();
    await onDone();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <Form action={action} work={submit}>
        <Field label="Name" name="name" maxlength={255} value={name} required autofocus />
      </Form>
    </Dialog>
  );
}

interface EditorProps {
  serverId: string;
  node: FileNode;
  onClose(): void;
}

/** A text file, to be changed. */
export function Editor({ serverId, node, onClose }: EditorProps) {
  const { value: file } = useLoaded(
    () => parley.rest('GET /api/servers/:serverId/workspace/files/:fileId', { serverId, fileId: node.id }),
    [serverId, node.id],
  );
  return (
    <Dialog title={node.name} size="wide" onClose={onClose}>
      {!file && <p class="faint">One moment…</p>}
      {file && file.content === null && <p class="faint">This is no text.</p>}
      {file && file.content !== null && (
        <TextEditor serverId={serverId} node={node} onClose={onClose} content={file.content} version={file.version} />
      )}
    </Dialog>
  );
}

/** What was typed and not saved, and the version of the file that it was made from. */
interface Unsaved {
  text: string;
  version: number;
}

function unsavedOf(fileId: string): Unsaved | null {
  const kept = draftOf(fileId);
  return kept === '' ? null : JSON.parse(kept);
}

interface TextEditorProps extends EditorProps {
  content: string;
  version: number;
}

/** What is not saved is there again when one comes back. What someone else has saved meanwhile is not written over. */
function TextEditor({ serverId, node, onClose, content, version }: TextEditorProps) {
  const [unsaved, setUnsaved] = useState(() => unsavedOf(node.id));
  const [base, setBase] = useState(unsaved?.version ?? version);
  const [shown] = useState(unsaved?.text ?? content);
  const change = (text: string, of = base) => {
    const changed = { text, version: of };
    keepDraft(node.id, JSON.stringify(changed));
    setUnsaved(changed);
  };
  const forget = () => {
    keepDraft(node.id, '');
    setUnsaved(null);
  };
  const save = async ({ raw }: Fields) => {
    const text = raw('content');
    const saved = await saveText(serverId, node, text, base);
    setBase(saved);
    const typed = unsavedOf(node.id)?.text ?? text;
    if (typed === text) forget();
    // Meanwhile one has typed on.
    else change(typed, saved);
    tell(`${node.name} is saved.`);
  };
  const discard = () => {
    forget();
    onClose();
  };
  const beside = unsaved && <Button label="Discard the changes" kind="quiet" onClick={discard} />;
  return (
    <Form action="Save" work={save} beside={beside}>
      <TextArea
        label={`Content of ${node.name}`}
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
async function saveText(serverId: string, { id }: FileNode, content: string, version: number): Promise<number> {
  const params = { serverId, fileId: id, body: { content }, headers: { 'if-match': `"${version}"` } };
  try {
    return (await parley.rest('PATCH /api/servers/:serverId/workspace/files/:fileId', params)).version;
  } catch (error) {
    if (!(error instanceof ParleyError) || error.status !== 412) throw error;
    throw new Error('Someone else has saved this file meanwhile. Copy your text, discard it, and open the file again.');
  }
}

interface PictureProps {
  serverId: string;
  node: FileNode;
  onClose(): void;
}

export function Picture({ serverId, node, onClose }: PictureProps) {
  const { value: url } = useLoaded(() => fileLink(serverId, node.id, 'inline'), [serverId, node.id]);
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

/** Puts what is in a ZIP file into a folder of its name, beside it. The browser does the unpacking. */
export function Unpack({ serverId, node, onUpload, onClose }: UnpackProps) {
  const unpack = async () => {
    const answer = await fetch(await fileLink(serverId, node.id, 'attachment'));
    if (!answer.ok) throw new Error('The file cannot be read just now. Try again.');
    const files = await unzip(await answer.blob());
    const folder = node.name.replace(/\.zip$/i, '') || 'archive';
    onClose();
    await onUpload(files.map((file) => ({ ...file, folders: [folder, ...file.folders] })));
  };
  return (
    <Dialog title={`Unpack ${node.name}?`} onClose={onClose}>
      <Form action="Unpack" work={unpack}>
        <p class="note">Everything in it is put into a folder of its name, here.</p>
      </Form>
    </Dialog>
  );
}
