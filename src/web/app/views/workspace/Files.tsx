import { useEffect, useState } from 'preact/hooks';
import { parley } from '../../state/client.ts';
import { droppedFiles } from '../../state/dropped-files.ts';
import { pathTo } from '../../state/router.ts';
import { attempt } from '../../state/toasts.ts';
import { clipboard, downloadZip, type FileNode, paste, readFolder } from '../../state/workspace.ts';
import { Icon } from '../parts/Icon.tsx';
import { useLoaded } from '../parts/loading.ts';
import { Menu } from '../parts/Menu.tsx';
import { Page } from '../parts/Page.tsx';
import { Breadcrumbs } from './Breadcrumbs.tsx';
import { type FileTask, FileTasks } from './FileTasks.tsx';
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
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const uploads = useUploads(serverId, folderId, load);
  const [over, setOver] = useState(false);
  const drop = (event: DragEvent) => {
    setOver(false);
    if (!event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    void attempt(async () => uploads.add(await droppedFiles(event.dataTransfer ?? new DataTransfer())));
  };
  const drag = (event: DragEvent) => {
    if (!event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    setOver(true);
  };
  const selected = list?.filter(({ id }) => chosen.includes(id)) ?? [];
  return (
    <Page
      title="Files"
      back={pathTo.server(serverId)}
      actions={
        <Actions serverId={serverId} folderId={folderId} onTask={setTask} onUpload={uploads.add} onPasted={load} />
      }
    >
      <section
        class={over ? 'drop over' : 'drop'}
        aria-label="Folder"
        onDragOver={drag}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <Breadcrumbs serverId={serverId} folderId={folderId} />
        {uploads.left > 0 && (
          <p class="note" role="status">
            Uploading, {uploads.left} to go…
          </p>
        )}
        {selected.length > 0 && (
          <Selected serverId={serverId} nodes={selected} onDone={() => setChosen([])} onTask={setTask} />
        )}
        {list?.length === 0 && <p class="empty">Nothing in here. Drop files on this page, or upload them.</p>}
        <ul class="people files-list">
          {list?.map((node) => (
            <NodeRow
              key={node.id}
              serverId={serverId}
              node={node}
              chosen={chosen.includes(node.id)}
              onChoose={(on) => setChosen(on ? [...chosen, node.id] : chosen.filter((id) => id !== node.id))}
              onTask={setTask}
              onChange={load}
            />
          ))}
        </ul>
      </section>
      {task && <FileTasks serverId={serverId} task={task} onDone={load} onClose={() => setTask(null)} />}
    </Page>
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

interface ActionsProps {
  serverId: string;
  folderId: string | null;
  onTask(task: FileTask): void;
  onUpload(files: { folders: string[]; file: File }[]): Promise<void>;
  onPasted(): Promise<void>;
}

function Actions({ serverId, folderId, onTask, onUpload, onPasted }: ActionsProps) {
  const held = clipboard.value?.serverId === serverId ? clipboard.value.nodes : [];
  return (
    <>
      {held.length > 0 && (
        <button type="button" class="button quiet" onClick={() => void attempt(() => paste(folderId).then(onPasted))}>
          Paste {named(held)}
        </button>
      )}
      <Menu
        label="New"
        items={[
          { label: 'Folder', icon: 'folder', run: () => onTask({ what: 'new folder', parentId: folderId }) },
          { label: 'Text file', icon: 'file', run: () => onTask({ what: 'new file', parentId: folderId }) },
        ]}
      >
        <Icon name="add" />
      </Menu>
      <Menu
        label="More"
        items={[
          {
            label: 'Download everything as ZIP',
            icon: 'download',
            run: () => void attempt(() => downloadZip(serverId, null)),
          },
        ]}
      >
        <Icon name="more" />
      </Menu>
      <label class="button upload">
        Upload
        <input
          type="file"
          class="hidden"
          multiple
          onChange={(event) => {
            void onUpload([...(event.currentTarget.files ?? [])].map((file) => ({ folders: [], file })));
            event.currentTarget.value = '';
          }}
        />
      </label>
    </>
  );
}

const named = (nodes: FileNode[]): string => (nodes.length === 1 ? `“${nodes[0]?.name}”` : `${nodes.length} items`);
