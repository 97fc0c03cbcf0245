import { useEffect, useState } from 'preact/hooks';
import type { RestAnswer } from '../../../../client/index.ts';
import { pathTo } from '../../state/router.ts';
import type { FileNode } from '../../state/workspace.ts';
import { Button } from '../parts/Button.tsx';
import { type DroppedFile, useDrop } from '../parts/dropping.ts';
import { Empty } from '../parts/Empty.tsx';
import { useLoaded } from '../parts/loading.ts';
import { Page } from '../parts/Page.tsx';
import { type AppState, useApp, useTexts } from '../useApp.ts';
import { useFolderDrop } from './dragging.ts';
import { FileSearch, FoundFiles } from './FileSearch.tsx';
import { FileTasks } from './FileTasks.tsx';
import { FolderActions, Selected } from './FolderActions.tsx';
import { NodeRow } from './NodeRow.tsx';
import type { FileTask } from './tasks.ts';
import { clashesOf, type Uploads, useUploads } from './uploads.ts';

interface FilesProps {
  serverId: string;
  /** Null: the root. */
  folderId: string | null;
}

/** The workspace of a server, one folder at a time. */
export function Files({ serverId, folderId }: FilesProps) {
  const { t } = useTexts();
  const { list, load } = useFolder(serverId, folderId);
  const [task, setTask] = useState<FileTask | null>(null);
  const [sought, setSought] = useState('');
  const uploads = useUploads({ serverId, folderId, onDone: load });
  const upload = async (files: readonly DroppedFile[]) => {
    const clashes = clashesOf(files, list ?? []);
    const others = files.filter((file) => !clashes.some((clash) => clash.file === file));
    if (clashes.length > 0) setTask({ what: 'clash', clashes });
    if (others.length > 0) await uploads.add(others);
  };
  const { over, ...dropping } = useDrop(upload);
  const doing = { serverId, folderId, onTask: setTask, onUpload: (files: DroppedFile[]) => void upload(files) };
  return (
    <Page title={t('Files')} back={pathTo.server(serverId)} actions={<FolderActions {...doing} onPasted={load} />}>
      <section class={over ? 'drop over' : 'drop'} aria-label={t('Folder')} {...dropping}>
        <FileSearch text={sought} onSearch={setSought} />
        <Breadcrumbs serverId={serverId} folderId={folderId} onMoved={load} />
        <Progress uploads={uploads} />
        {sought !== '' && <FoundFiles serverId={serverId} text={sought} onTask={setTask} />}
        {sought === '' && list && (
          <NodeList serverId={serverId} list={list} uploads={uploads} onTask={setTask} onChange={load} />
        )}
      </section>
      {task && (
        <FileTasks
          {...{ serverId, task, uploads }}
          list={list ?? []}
          onTask={setTask}
          onDone={load}
          onClose={() => setTask((now) => (now === task ? null : now))}
        />
      )}
    </Page>
  );
}

/** How far the uploads are. */
function Progress({ uploads: { left, total, cancel } }: { uploads: Uploads }) {
  const { t } = useTexts();
  if (left === 0) return null;
  const text = t('Uploading, {left} to go…', { left });
  return (
    <div class="uploading">
      <span role="status">{text}</span>
      <progress max={total} value={total - left} aria-label={text} />
      <Button label={t('Cancel')} kind="quiet" onClick={cancel} />
    </div>
  );
}

interface NodeListProps {
  serverId: string;
  list: FileNode[];
  uploads: Uploads;
  onTask(task: FileTask): void;
  onChange(): Promise<void>;
}

function NodeList({ serverId, list, uploads, onTask, onChange }: NodeListProps) {
  const { t } = useTexts();
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const selected = list.filter(({ id }) => chosen.includes(id));
  if (list.length === 0)
    return <Empty icon="folder" title={t('This folder is empty')} about={t('Drop files here, or upload them.')} />;
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
            chosen={selected.map(({ id }) => id)}
            onChoose={(on) => setChosen(on ? [...chosen, node.id] : chosen.filter((id) => id !== node.id))}
            onTask={onTask}
            onUpload={(files, folderId) => void uploads.add(files, folderId)}
            onChange={onChange}
          />
        ))}
      </ul>
    </>
  );
}

function useFolder(serverId: string, folderId: string | null) {
  const { workspace, client, attempt } = useApp();
  const { value: list, load } = useLoaded(() => workspace.readFolder(serverId, folderId), [serverId, folderId]);
  useEffect(
    () =>
      client.on('workspace:changed', (change) => {
        if (change.serverId === serverId) void attempt(load);
      }),
    [serverId, folderId],
  );
  return { list, load };
}

type TreeNode = RestAnswer<'GET /api/servers/:serverId/workspace/tree'>[number];

interface CrumbsProps extends FilesProps {
  onMoved(): Promise<void>;
}

/** The path from the root to a folder. What is dropped on a folder above is moved there. */
function Breadcrumbs({ serverId, folderId, onMoved }: CrumbsProps) {
  const { t } = useTexts();
  const app = useApp();
  const { value: way } = useLoaded(() => foldersTo(app, serverId, folderId), [serverId, folderId]);
  return (
    <nav class="crumbs" aria-label={t('Folders above')}>
      <Crumb {...{ serverId, onMoved }} id={null} name={t('Workspace')} isHere={folderId === null} />
      {way?.map(({ id, name }) => (
        <span key={id}>
          {' › '}
          <Crumb {...{ serverId, onMoved, id, name }} isHere={id === folderId} />
        </span>
      ))}
    </nav>
  );
}

interface CrumbProps extends Pick<CrumbsProps, 'serverId' | 'onMoved'> {
  id: string | null;
  name: string;
  isHere: boolean;
}

function Crumb({ serverId, onMoved, id, name, isHere }: CrumbProps) {
  const drop = useFolderDrop({ serverId, folderId: id, onMoved });
  return (
    <a href={pathTo.files(serverId, id)} aria-current={isHere ? 'page' : undefined} {...drop}>
      {name}
    </a>
  );
}

async function foldersTo(app: AppState, serverId: string, folderId: string | null): Promise<TreeNode[]> {
  if (!folderId) return [];
  return find(await app.client.rest('GET /api/servers/:serverId/workspace/tree', { serverId }), folderId) ?? [];
}

function find(nodes: TreeNode[], id: string): TreeNode[] | null {
  for (const node of nodes) {
    if (node.id === id) return [node];
    const below = find(node.children ?? [], id);
    if (below) return [node, ...below];
  }
  return null;
}
