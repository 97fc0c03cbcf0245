import { clipboard, type FileNode } from '../../state/workspace.ts';
import { Button } from '../parts/Button.tsx';
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
      <Button label="Copy" kind="quiet" onClick={() => hold('copy')} />
      <Button label="Cut" kind="quiet" onClick={() => hold('cut')} />
      <Button label="Delete" kind="danger" onClick={() => onTask({ what: 'delete', nodes })} />
      <Button label="None" kind="quiet" onClick={onDone} />
    </div>
  );
}
