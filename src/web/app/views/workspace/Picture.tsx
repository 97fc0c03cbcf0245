import { type FileNode, fileLink } from '../../state/workspace.ts';
import { Dialog } from '../parts/Dialog.tsx';
import { useLoaded } from '../parts/loading.ts';

interface PictureProps {
  serverId: string;
  node: FileNode;
  onClose(): void;
}

export function Picture({ serverId, node, onClose }: PictureProps) {
  const { value: url } = useLoaded(() => fileLink(serverId, node.id, 'inline'), [serverId, node.id]);
  return (
    <Dialog title={node.name} size="wide" onClose={onClose}>
      {url && <img class="whole" src={url} alt={node.name} />}
    </Dialog>
  );
}
