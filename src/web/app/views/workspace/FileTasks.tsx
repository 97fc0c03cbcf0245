import type { DroppedFile } from '../../state/dropped-files.ts';
import { attempt } from '../../state/toasts.ts';
import { createFile, createFolder, type FileNode, removeNodes, rename } from '../../state/workspace.ts';
import { PublishNode } from '../apps/Publish.tsx';
import { Confirm, Dialog } from '../parts/Dialog.tsx';
import { Field } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { Editor } from './Editor.tsx';
import { Picture } from './Picture.tsx';
import { Unpack } from './Unpack.tsx';

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
