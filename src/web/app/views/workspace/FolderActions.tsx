import type { DroppedFile } from '../../state/dropped-files.ts';
import { attempt } from '../../state/toasts.ts';
import { clipboard, downloadZip, type FileNode, paste } from '../../state/workspace.ts';
import { Button } from '../parts/Button.tsx';
import { Icon } from '../parts/Icon.tsx';
import { Menu } from '../parts/Menu.tsx';
import type { FileTask } from './FileTasks.tsx';

interface ActionsProps {
  serverId: string;
  folderId: string | null;
  onTask(task: FileTask): void;
  onUpload(files: DroppedFile[]): Promise<void>;
  onPasted(): Promise<void>;
}

/** What can be done with the folder that is shown. */
export function FolderActions({ serverId, folderId, onTask, onUpload, onPasted }: ActionsProps) {
  const held = clipboard.value?.serverId === serverId ? clipboard.value.nodes : [];
  const everything = () => void attempt(() => downloadZip(serverId, null));
  return (
    <>
      {held.length > 0 && (
        <Button
          label={`Paste ${named(held)}`}
          kind="quiet"
          onClick={() => void attempt(() => paste(folderId).then(onPasted))}
        />
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
      <Menu label="More" items={[{ label: 'Download everything as ZIP', icon: 'download', run: everything }]}>
        <Icon name="more" />
      </Menu>
      <UploadButton onUpload={onUpload} />
    </>
  );
}

function UploadButton({ onUpload }: Pick<ActionsProps, 'onUpload'>) {
  return (
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
  );
}

const named = (nodes: FileNode[]): string => (nodes.length === 1 ? `“${nodes[0]?.name}”` : `${nodes.length} items`);
