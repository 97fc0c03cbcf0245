import { saveFile } from '../../browser.ts';
import { pathTo } from '../../state/router.ts';
import { formatSize } from '../../state/sizes.ts';
import type { Texts } from '../../state/texts.ts';
import type { FileNode } from '../../state/workspace.ts';
import { Icon } from '../parts/Icon.tsx';
import { Menu, type MenuItem } from '../parts/Menu.tsx';
import { type AppState, useApp, useTexts } from '../useApp.ts';
import type { FileTask } from './FileTasks.tsx';

interface NodeProps {
  serverId: string;
  node: FileNode;
  chosen: boolean;
  onChoose(on: boolean): void;
  onTask(task: FileTask): void;
  onChange(): Promise<void>;
}

/** The data type of a dragged file or folder of the workspace. */
const dragType = 'application/x-parley-node';

/** A folder or file; it can be dragged onto a folder. */
export function NodeRow({ serverId, node, chosen, onChoose, onTask, onChange }: NodeProps) {
  const texts = useTexts();
  const { shortTime, t } = texts;
  const app = useApp();
  const isFolder = node.kind === 'dir';
  const about = `${isFolder ? t('Folder') : formatSize(node.sizeBytes)} · ${shortTime(node.updatedAt)}`;
  return (
    <li {...dragging(app, serverId, node, onChange)}>
      <input
        type="checkbox"
        aria-label={t('Choose {name}', { name: node.name })}
        checked={chosen}
        onChange={(event) => onChoose(event.currentTarget.checked)}
      />
      <Icon name={isFolder ? 'folder' : 'file'} />
      <span class="who">
        {isFolder ? (
          <a class="name" href={pathTo.files(serverId, node.id)}>
            {node.name}
          </a>
        ) : (
          <button type="button" class="name link" onClick={() => open(app, serverId, node, onTask)}>
            {node.name}
          </button>
        )}
        <span class="faint">{about}</span>
      </span>
      <Menu label={t('Actions for {name}', { name: node.name })} items={actionsFor(texts, app, serverId, node, onTask)}>
        <Icon name="more" />
      </Menu>
    </li>
  );
}

/** Makes it draggable, and a folder also a target. */
function dragging(app: AppState, serverId: string, { id, kind }: FileNode, onChange: () => Promise<void>) {
  return {
    draggable: true,
    onDragStart: (event: DragEvent) => event.dataTransfer?.setData(dragType, id),
    onDragOver(event: DragEvent) {
      if (kind === 'dir' && event.dataTransfer?.types.includes(dragType)) event.preventDefault();
    },
    onDrop(event: DragEvent) {
      const dropped = event.dataTransfer?.getData(dragType);
      if (kind !== 'dir' || !dropped || dropped === id) return;
      event.preventDefault();
      void app.attempt(() => app.workspace.move(serverId, [dropped], id).then(onChange));
    },
  };
}

const isText = ({ mime, sizeBytes }: FileNode): boolean =>
  sizeBytes <= 2 * 1024 * 1024 && /^text\/|json|xml|javascript|yaml|toml/.test(mime ?? '');
const isPicture = ({ mime }: FileNode): boolean => /^image\/(png|jpeg|gif|webp|avif)$/.test(mime ?? '');

function open(app: AppState, serverId: string, node: FileNode, onTask: (task: FileTask) => void): void {
  if (isText(node)) onTask({ what: 'edit', node });
  else if (isPicture(node)) onTask({ what: 'look', node });
  else void download(app, serverId, node);
}

function download(app: AppState, serverId: string, node: FileNode): Promise<boolean> {
  if (node.kind === 'dir') {
    return app.attempt(async () => saveFile(await app.workspace.zip(serverId, node), `${node.name}.zip`));
  }
  return app.attempt(async () => location.assign(await app.workspace.linkTo(serverId, node.id, 'attachment')));
}

function actionsFor(
  { t }: Texts,
  app: AppState,
  serverId: string,
  node: FileNode,
  onTask: (task: FileTask) => void,
): MenuItem[] {
  const hold = (mode: 'copy' | 'cut') => () => {
    app.workspace.clipboard.value = { serverId, nodes: [node], mode };
  };
  const isFolder = node.kind === 'dir';
  const isBundle = isFolder || /\.(zip|html?)$/i.test(node.name);
  const mayPublish = isBundle && app.rights.may(app.servers.current.value, 'app:manage');
  const items: (MenuItem | false)[] = [
    !isFolder && isText(node) && { label: t('Edit'), icon: 'edit', run: () => onTask({ what: 'edit', node }) },
    { label: t('Rename'), icon: 'edit', run: () => onTask({ what: 'rename', node }) },
    { label: t('Copy'), icon: 'copy', run: hold('copy') },
    { label: t('Cut'), icon: 'archive', run: hold('cut') },
    {
      label: isFolder ? t('Download as ZIP') : t('Download'),
      icon: 'download',
      run: () => void download(app, serverId, node),
    },
    /\.zip$/i.test(node.name) && { label: t('Unpack'), icon: 'folder', run: () => onTask({ what: 'unpack', node }) },
    mayPublish && { label: t('Publish as an app'), icon: 'app', run: () => onTask({ what: 'publish', node }) },
    { label: t('Delete'), icon: 'trash', danger: true, run: () => onTask({ what: 'delete', nodes: [node] }) },
  ];
  return items.filter((item) => item !== false);
}
