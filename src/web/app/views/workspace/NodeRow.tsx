import { pathTo } from '../../state/router.ts';
import { formatSize } from '../../state/sizes.ts';
import type { Texts } from '../../state/texts.ts';
import type { FileNode } from '../../state/workspace.ts';
import type { DroppedFile } from '../parts/dropping.ts';
import { Icon } from '../parts/Icon.tsx';
import { Menu, type MenuItem } from '../parts/Menu.tsx';
import { type AppState, useApp, useTexts } from '../useApp.ts';
import { draggable, useFolderDrop } from './dragging.ts';
import { isText, kindOf } from './kinds.ts';
import { download, type FileTask, open } from './tasks.ts';

interface NodeProps {
  serverId: string;
  node: FileNode;
  /** Those that are chosen, by id. */
  chosen: readonly string[];
  onChoose(on: boolean): void;
  onTask(task: FileTask): void;
  onUpload(files: DroppedFile[], folderId: string | null): void;
  onChange(): Promise<void>;
}

/** A folder or file. It can be dragged, and a folder takes what is dropped on it. */
export function NodeRow({ serverId, node, chosen, onChoose, onTask, onUpload, onChange }: NodeProps) {
  const texts = useTexts();
  const { shortTime, t } = texts;
  const app = useApp();
  const isFolder = node.kind === 'dir';
  const isChosen = chosen.includes(node.id);
  const drop = useFolderDrop({ serverId, folderId: node.id, onMoved: onChange, onFiles: onUpload });
  const about = `${isFolder ? t('Folder') : formatSize(node.sizeBytes)} · ${shortTime(node.updatedAt)}`;
  return (
    <li {...draggable(app, serverId, node, isChosen ? chosen : [node.id])} {...(isFolder ? drop : {})}>
      <input
        type="checkbox"
        aria-label={t('Choose {name}', { name: node.name })}
        checked={isChosen}
        onChange={(event) => onChoose(event.currentTarget.checked)}
      />
      <Icon name={isFolder ? 'folder' : 'file'} />
      <span class="who">
        {isFolder ? (
          <a class="name" href={pathTo.files(serverId, node.id)} draggable={false}>
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
    !isFolder && kindOf(node) !== null && { label: t('Show'), icon: 'file', run: () => onTask({ what: 'look', node }) },
    !isFolder && isText(node) && { label: t('Edit'), icon: 'edit', run: () => onTask({ what: 'edit', node }) },
    { label: t('Rename'), icon: 'edit', run: () => onTask({ what: 'rename', node }) },
    { label: t('Copy'), icon: 'copy', run: hold('copy') },
    { label: t('Cut'), icon: 'archive', run: hold('cut') },
    {
      label: isFolder ? t('Download as ZIP') : t('Download'),
      icon: 'download',
      run: () => void download(app, serverId, node),
    },
    !isFolder && { label: t('Earlier versions'), icon: 'clock', run: () => onTask({ what: 'versions', node }) },
    /\.zip$/i.test(node.name) && { label: t('Unpack'), icon: 'folder', run: () => onTask({ what: 'unpack', node }) },
    mayPublish && { label: t('Publish as an app'), icon: 'app', run: () => onTask({ what: 'publish', node }) },
    { label: t('Delete'), icon: 'trash', danger: true, run: () => onTask({ what: 'delete', nodes: [node] }) },
  ];
  return items.filter((item) => item !== false);
}
