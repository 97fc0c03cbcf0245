import { useEffect, useState } from 'preact/hooks';
import { parley } from '../../state/client.ts';
import { pathTo } from '../../state/router.ts';
import { attempt } from '../../state/toasts.ts';
import { type FileNode, readFolder } from '../../state/workspace.ts';
import { useDrop } from '../parts/dropping.ts';
import { useLoaded } from '../parts/loading.ts';
import { Page } from '../parts/Page.tsx';
import { Breadcrumbs } from './Breadcrumbs.tsx';
import { type FileTask, FileTasks } from './FileTasks.tsx';
import { FolderActions } from './FolderActions.tsx';
import { NodeRow } from './NodeRow.tsx';
import { Selected } from './Selected.tsx';
import { useUploads } from './uploads.ts';

interface FilesProps {
  serverId: string;
  /** Null: the top. */
  folderId: string | null;
}

/** The workspace of a server, one folder at a time. */
export function Files({ serverId, folderId }: FilesProps) {
  const { list, load } = useFolder(serverId, folderId);
  const [task, setTask] = useState<FileTask | null>(null);
  const uploads = useUploads(serverId, folderId, load);
  const { over, ...dropping } = useDrop(uploads.add);
  const doing = { serverId, folderId, onTask: setTask, onUpload: uploads.add, onPasted: load };
  return (
    <Page title="Files" back={pathTo.server(serverId)} actions={<FolderActions {...doing} />}>
      <section class={over ? 'drop over' : 'drop'} aria-label="Folder" {...dropping}>
        <Breadcrumbs serverId={serverId} folderId={folderId} />
        {uploads.left > 0 && (
          <p class="note" role="status">
            Uploading, {uploads.left} to go…
          </p>
        )}
        {list && <NodeList serverId={serverId} list={list} onTask={setTask} onChange={load} />}
      </section>
      {task && (
        <FileTasks serverId={serverId} task={task} onUpload={uploads.add} onDone={load} onClose={() => setTask(null)} />
      )}
    </Page>
  );
}

interface NodeListProps {
  serverId: string;
  list: FileNode[];
  onTask(task: FileTask): void;
  onChange(): Promise<void>;
}

function NodeList({ serverId, list, onTask, onChange }: NodeListProps) {
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const selected = list.filter(({ id }) => chosen.includes(id));
  if (list.length === 0) return <p class="empty">Nothing in here. Drop files on this page, or upload them.</p>;
  return (
    <>
      {selected.length > 0 && (
        <Selected serverId={serverId} nodes={selected} onDone={() => setChosen([])} onTask={onTask} />
      )}
      <ul class="people files-list">
        {list.map((node) => (
          <NodeRow
            key={node.id}
            serverId={serverId}
            node={node}
            chosen={chosen.includes(node.id)}
            onChoose={(on) => setChosen(on ? [...chosen, node.id] : chosen.filter((id) => id !== node.id))}
            onTask={onTask}
            onChange={onChange}
          />
        ))}
      </ul>
    </>
  );
}

function useFolder(serverId: string, folderId: string | null) {
  const { value: list, load } = useLoaded(() => readFolder(serverId, folderId), [serverId, folderId]);
  useEffect(
    () =>
      parley.on('workspace:changed', (change) => {
        if (change.serverId === serverId) void attempt(load);
      }),
    [serverId, folderId],
  );
  return { list, load };
}
