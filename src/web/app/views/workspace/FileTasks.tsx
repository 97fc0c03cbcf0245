import type { FileNode } from '../../state/workspace.ts';
import { unzip } from '../../state/zip.ts';
import { PublishNode } from '../apps/AppForms.tsx';
import { Button } from '../parts/Button.tsx';
import { Confirm, Dialog } from '../parts/Dialog.tsx';
import type { DroppedFile } from '../parts/dropping.ts';
import { Field } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { useApp, useTexts } from '../useApp.ts';
import { Editor } from './Editor.tsx';
import type { Clash, FileTask } from './tasks.ts';
import type { Uploads } from './uploads.ts';
import { Versions } from './Versions.tsx';
import { Viewer } from './Viewer.tsx';

interface FileTasksProps {
  serverId: string;
  task: FileTask;
  /** What is in the shown folder. */
  list: readonly FileNode[];
  uploads: Uploads;
  onTask(task: FileTask): void;
  onDone(): Promise<void>;
  onClose(): void;
}

export function FileTasks({ serverId, task, list, uploads, onTask, onDone, onClose }: FileTasksProps) {
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
      return <Viewer serverId={serverId} node={task.node} list={list} onTask={onTask} onClose={onClose} />;
    case 'versions':
      return <Versions serverId={serverId} node={task.node} onClose={onClose} />;
    case 'clash': {
      const { clashes } = task;
      const both = () => void uploads.add(clashes.map(({ file }) => file));
      const replace = () => void uploads.replace(clashes);
      return <ClashDialog clashes={clashes} onBoth={both} onReplace={replace} onClose={onClose} />;
    }
    case 'publish':
      return <PublishNode serverId={serverId} node={task.node} onClose={onClose} />;
    case 'unpack':
      return <Unpack serverId={serverId} node={task.node} onUpload={uploads.add} onClose={onClose} />;
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

interface ClashProps {
  clashes: readonly Clash[];
  onBoth(): void;
  onReplace(): void;
  onClose(): void;
}

/** Files of these names are there already. */
function ClashDialog({ clashes, onBoth, onReplace, onClose }: ClashProps) {
  const { t } = useTexts();
  const then = (work: () => void) => () => {
    onClose();
    work();
  };
  return (
    <Dialog title={t('There are files of these names')} onClose={onClose}>
      <p>{t('If you replace them, what they contain now is kept as earlier versions.')}</p>
      <ul class="names">
        {clashes.map(({ node }) => (
          <li key={node.id} dir="auto">
            {node.name}
          </li>
        ))}
      </ul>
      <footer>
        <Button label={t('Keep both')} kind="quiet" onClick={then(onBoth)} />
        <Button label={t('Replace')} onClick={then(onReplace)} />
      </footer>
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
function Unpack({ serverId, node, onUpload, onClose }: UnpackProps) {
  const { t } = useTexts();
  const { workspace } = useApp();
  const unpack = async () => {
    const answer = await fetch(await workspace.linkTo(serverId, node.id, 'attachment'));
    if (!answer.ok) throw new Error(t('The file cannot be read right now. Try again.'));
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
