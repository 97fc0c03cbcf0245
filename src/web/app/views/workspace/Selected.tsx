import { clipboard, type FileNode } from '../../state/workspace.ts';
import type { FileTask } from './FileTasks.tsx';

interface SelectedProps {
  serverId: string;
  nodes: FileNode[];
  onDone(): void;
  onTask(task: FileTask): void;
}

/** What can be done with several at once. */
export function Selected({ serverId, nodes, onDone, onTask }: SelectedProps) {
  const hold = (mode: 'copy' | 'cut') => {
    clipboard.value = { serverId, nodes, mode };
    onDone();
  };
  return (
    <div class="selected" role="toolbar" aria-label="Chosen files">
      <span>{nodes.length} chosen</span>
      <button type="button" class="button quiet" onClick={() => hold('copy')}>
        Copy
      </button>
      <button type="button" class="button quiet" onClick={() => hold('cut')}>
        Cut
      </button>
      <button type="button" class="button danger" onClick={() => onTask({ what: 'delete', nodes })}>
        Delete
      </button>
      <button type="button" class="button quiet" onClick={onDone}>
        None
      </button>
    </div>
  );
}
