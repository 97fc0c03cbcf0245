import { attempt } from '../../state/toasts.ts';
import { createFile, createFolder, type FileNode, removeNodes, rename } from '../../state/workspace.ts';
import { PublishNode } from '../apps/Publish.tsx';
import { Confirm, Dialog } from '../parts/Dialog.tsx';
import { Field } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { Editor } from './Editor.tsx';
import { Picture } from './Picture.tsx';

/** What someone is about to do in a workspace. */
export type FileTask =
  | { what: 'new folder' | 'new file'; parentId: string | null }
  | { what: 'rename' | 'edit' | 'look' | 'publish'; node: FileNode }
  | { what: 'delete'; nodes: FileNode[] };

interface FileTasksProps {
  serverId: string;
  task: FileTask;
  onDone(): Promise<void>;
  onClose(): void;
}

export function FileTasks({ serverId, task, onDone, onClose }: FileTasksProps) {
  switch (task.what) {
    case 'new folder':
    case 'new file': {
      const create = task.what === 'new folder' ? createFolder : createFile;
      const work = (name: string) => create(serverId, task.parentId, name);
      return (
        <NameDialog title={`A ${task.what}`} action="Create" name="" work={work} onDone={onDone} onClose={onClose} />
      );
    }
    case 'rename': {
      const work = (name: string) => rename(serverId, task.node.id, name);
      const { name } = task.node;
      return (
        <NameDialog
          title={`Rename ${name}`}
          action="Rename"
          name={name}
          work={work}
          onDone={onDone}
          onClose={onClose}
        />
      );
    }
    case 'edit':
      return <Editor serverId={serverId} node={task.node} onClose={onClose} />;
    case 'look':
      return <Picture serverId={serverId} node={task.node} onClose={onClose} />;
    case 'publish':
      return <PublishNode serverId={serverId} node={task.node} onClose={onClose} />;
    case 'delete':
      return (
        <Confirm
          title={task.nodes.length === 1 ? `Delete ${task.nodes[0]?.name}?` : `Delete ${task.nodes.length} things?`}
          text="Folders go with all that is in them, for everyone and for good."
          action="Delete"
          onClose={onClose}
          onConfirm={() => void attempt(() => removeNodes(serverId, task.nodes).then(onDone))}
        />
      );
  }
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
