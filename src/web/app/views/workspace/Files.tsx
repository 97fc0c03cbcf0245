import { useEffect, useState } from 'preact/hooks';
import { pause } from '../../../../client/backoff.ts';
import { ParleyError, type RestAnswer } from '../../../../client/index.ts';
import { saveFile } from '../../browser.ts';
import { pathTo } from '../../state/router.ts';
import type { Texts } from '../../state/texts.ts';
import type { FileNode } from '../../state/workspace.ts';
import { Button } from '../parts/Button.tsx';
import { type DroppedFile, useDrop } from '../parts/dropping.ts';
import { Icon } from '../parts/Icon.tsx';
import { useLoaded } from '../parts/loading.ts';
import { Menu } from '../parts/Menu.tsx';
import { Page } from '../parts/Page.tsx';
import { type AppState, useApp, useTexts } from '../useApp.ts';
import { type FileTask, FileTasks } from './FileTasks.tsx';
import { NodeRow } from './NodeRow.tsx';

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
  const uploads = useUploads(serverId, folderId, load);
  const { over, ...dropping } = useDrop(uploads.add);
  const doing = { serverId, folderId, onTask: setTask, onUpload: uploads.add, onPasted: load };
  return (
    <Page title={t('Files')} back={pathTo.server(serverId)} actions={<FolderActions {...doing} />}>
      <section class={over ? 'drop over' : 'drop'} aria-label={t('Folder')} {...dropping}>
        <Breadcrumbs serverId={serverId} folderId={folderId} />
        {uploads.left > 0 && (
          <p class="note" role="status">
            {t('Uploading, {left} to go…', { left: uploads.left })}
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
  const { t } = useTexts();
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const selected = list.filter(({ id }) => chosen.includes(id));
  if (list.length === 0) return <p class="empty">{t('Nothing in here. Drop files on this page, or upload them.')}</p>;
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

/** The path from the root to a folder. */
export function Breadcrumbs({ serverId, folderId }: { serverId: string; folderId: string | null }) {
  const { t } = useTexts();
  const app = useApp();
  const { value: way } = useLoaded(() => foldersTo(app, serverId, folderId), [serverId, folderId]);
  return (
    <nav class="crumbs" aria-label={t('Folders above')}>
      <a href={pathTo.files(serverId, null)} aria-current={folderId ? undefined : 'page'}>
        {t('Workspace')}
      </a>
      {way?.map(({ id, name }) => (
        <span key={id}>
          {' › '}
          <a href={pathTo.files(serverId, id)} aria-current={id === folderId ? 'page' : undefined}>
            {name}
          </a>
        </span>
      ))}
    </nav>
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

interface ActionsProps {
  serverId: string;
  folderId: string | null;
  onTask(task: FileTask): void;
  onUpload(files: DroppedFile[]): Promise<void>;
  onPasted(): Promise<void>;
}

/** The actions for the shown folder. */
export function FolderActions({ serverId, folderId, onTask, onUpload, onPasted }: ActionsProps) {
  const texts = useTexts();
  const { t } = texts;
  const { workspace, attempt } = useApp();
  const held = workspace.clipboard.value?.serverId === serverId ? workspace.clipboard.value.nodes : [];
  const everything = () => void attempt(async () => saveFile(await workspace.zip(serverId, null), 'workspace.zip'));
  return (
    <>
      {held.length > 0 && (
        <Button
          label={t('Paste {named}', { named: named(texts, held) })}
          kind="quiet"
          onClick={() => void attempt(() => workspace.paste(folderId).then(onPasted))}
        />
      )}
      <Menu
        label={t('New')}
        items={[
          { label: t('Folder'), icon: 'folder', run: () => onTask({ what: 'new folder', parentId: folderId }) },
          { label: t('Text file'), icon: 'file', run: () => onTask({ what: 'new file', parentId: folderId }) },
        ]}
      >
        <Icon name="add" />
      </Menu>
      <Menu label={t('More')} items={[{ label: t('Download everything as ZIP'), icon: 'download', run: everything }]}>
        <Icon name="more" />
      </Menu>
      <UploadButton onUpload={onUpload} />
    </>
  );
}

function UploadButton({ onUpload }: Pick<ActionsProps, 'onUpload'>) {
  const { t } = useTexts();
  return (
    <label class="button upload">
      {t('Upload')}
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
  );
}

const named = ({ t }: Texts, nodes: FileNode[]): string =>
  nodes.length === 1
    ? `“${nodes[0]?.name}”`
    : t('{count, plural, one {# item} other {# items}}', { count: nodes.length });

interface SelectedProps {
  serverId: string;
  nodes: FileNode[];
  onDone(): void;
  onTask(task: FileTask): void;
}

/** The actions for several files at once. */
export function Selected({ serverId, nodes, onDone, onTask }: SelectedProps) {
  const { t } = useTexts();
  const { workspace } = useApp();
  const hold = (mode: 'copy' | 'cut') => {
    workspace.clipboard.value = { serverId, nodes, mode };
    onDone();
  };
  return (
    <div class="selected" role="toolbar" aria-label={t('Chosen files')}>
      <span>{t('{count} chosen', { count: nodes.length })}</span>
      <Button label={t('Copy')} kind="quiet" onClick={() => hold('copy')} />
      <Button label={t('Cut')} kind="quiet" onClick={() => hold('cut')} />
      <Button label={t('Delete')} kind="danger" onClick={() => onTask({ what: 'delete', nodes })} />
      <Button label={t('None')} kind="quiet" onClick={onDone} />
    </div>
  );
}

/** Uploads files to a folder, one after the other. A refused one does not stop the others. */
export function useUploads(serverId: string, folderId: string | null, onDone: () => Promise<void>) {
  const { workspace, attempt } = useApp();
  const [left, setLeft] = useState(0);
  const add = async (files: DroppedFile[]) => {
    setLeft((count) => count + files.length);
    const folders = new Map<string, Promise<string>>();
    const folderOf = (names: string[]): Promise<string | null> => {
      const name = names.at(-1);
      if (name === undefined) return Promise.resolve(folderId);
      const key = JSON.stringify(names);
      const made =
        folders.get(key) ??
        folderOf(names.slice(0, -1)).then(
          async (parent) => (await waitForLimit(() => workspace.createFolder(serverId, parent, name))).id,
        );
      folders.set(key, made);
      return made;
    };
    for (const { folders: names, file } of files) {
      await attempt(async () => {
        const folder = await folderOf(names);
        await waitForLimit(() => workspace.upload(serverId, folder, file));
      });
      setLeft((count) => count - 1);
    }
    await attempt(onDone);
  };
  return { left, add };
}

/** A dropped folder may hold more files than the rate limit allows in a minute: the rest waits. */
async function waitForLimit<R>(send: () => Promise<R>): Promise<R> {
  for (;;) {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof ParleyError) || error.code !== 'RATE_LIMITED') throw error;
      await pause((error.retryAfter ?? 1) * 1000);
    }
  }
}
