import type { FileNode } from '../../state/workspace.ts';
import { Button, IconButton } from '../parts/Button.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { useApp, useTexts } from '../useApp.ts';
import { isText, kindOf } from './kinds.ts';
import { Preview } from './Preview.tsx';
import { download, type FileTask } from './tasks.ts';

interface ViewerProps {
  serverId: string;
  node: FileNode;
  /** What is in the same folder. */
  list: readonly FileNode[];
  onTask(task: FileTask): void;
  onClose(): void;
}

/** A file, and by the arrow keys those before and after it that can be shown. */
export function Viewer({ serverId, node, list, onTask, onClose }: ViewerProps) {
  const { t } = useTexts();
  const app = useApp();
  const shown = list.filter((one) => one.kind === 'file' && kindOf(one) !== null);
  const at = shown.findIndex(({ id }) => id === node.id);
  const step = (by: 1 | -1) => {
    const next = at < 0 ? undefined : shown[at + by];
    if (next) onTask({ what: 'look', node: next });
  };
  const press = (event: KeyboardEvent) => {
    const { target } = event;
    // A player moves in its own time by these keys.
    if (!(target instanceof HTMLElement) || target.closest('audio, video, .file-preview')) return;
    const forward = document.documentElement.dir === 'rtl' ? 'ArrowLeft' : 'ArrowRight';
    if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') step(event.key === forward ? 1 : -1);
  };
  return (
    <Dialog title={node.name} size="full" onKeyDown={press} onClose={onClose}>
      <div class="viewer" key={node.id}>
        <Preview serverId={serverId} file={node} />
      </div>
      <footer>
        {shown.length > 1 && (
          <span class="paging">
            <IconButton icon="back" label={t('Previous file')} disabled={at <= 0} onClick={() => step(-1)} />
            <IconButton
              icon="forward"
              label={t('Next file')}
              disabled={at < 0 || at === shown.length - 1}
              onClick={() => step(1)}
            />
          </span>
        )}
        <Button label={t('Earlier versions')} kind="quiet" onClick={() => onTask({ what: 'versions', node })} />
        <Button label={t('Download')} kind="quiet" onClick={() => void download(app, serverId, node)} />
        {isText(node) && <Button label={t('Edit')} onClick={() => onTask({ what: 'edit', node })} />}
      </footer>
    </Dialog>
  );
}
