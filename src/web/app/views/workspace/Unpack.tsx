import type { DroppedFile } from '../../state/dropped-files.ts';
import { type FileNode, fileLink } from '../../state/workspace.ts';
import { unzip } from '../../state/zip.ts';
import { Dialog } from '../parts/Dialog.tsx';
import { Form } from '../parts/Form.tsx';

interface UnpackProps {
  serverId: string;
  /** A ZIP file. */
  node: FileNode;
  onUpload(files: DroppedFile[]): Promise<void>;
  onClose(): void;
}

/** Puts what is in a ZIP file into a folder of its name, beside it. The browser does the unpacking. */
export function Unpack({ serverId, node, onUpload, onClose }: UnpackProps) {
  const unpack = async () => {
    const answer = await fetch(await fileLink(serverId, node.id, 'attachment'));
    if (!answer.ok) throw new Error('The file cannot be read just now. Try again.');
    const files = await unzip(await answer.blob());
    const folder = node.name.replace(/\.zip$/i, '') || 'archive';
    onClose();
    await onUpload(files.map((file) => ({ ...file, folders: [folder, ...file.folders] })));
  };
  return (
    <Dialog title={`Unpack ${node.name}?`} onClose={onClose}>
      <Form action="Unpack" work={unpack}>
        <p class="note">Everything in it is put into a folder of its name, here.</p>
      </Form>
    </Dialog>
  );
}
