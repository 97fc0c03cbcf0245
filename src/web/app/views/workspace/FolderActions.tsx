import { saveFile } from '../../browser.ts';
import type { Texts } from '../../state/texts.ts';
import type { FileNode } from '../../state/workspace.ts';
import { Button } from '../parts/Button.tsx';
import { canChooseFolders, chooseFolder, type DroppedFile } from '../parts/dropping.ts';
import { Icon } from '../parts/Icon.tsx';
import { Menu, type MenuItem } from '../parts/Menu.tsx';
import { useApp, useTexts } from '../useApp.ts';
import type { FileTask } from './tasks.ts';

interface ActionsProps {
  serverId: string;
  folderId: string | null;
  onTask(task: FileTask): void;
  onUpload(files: DroppedFile[]): void;
  onPasted(): Promise<void>;
}

/** The actions for the shown folder. */
export function FolderActions({ serverId, folderId, onTask, onUpload, onPasted }: ActionsProps) {
  const texts = useTexts();
  const { t } = texts;
  const { workspace, attempt } = useApp();
  const held = workspace.clipboard.value?.serverId === serverId ? workspace.clipboard.value.nodes : [];
  const everything = () => void attempt(async () => saveFile(await workspace.zip(serverId, null), 'workspace.zip'));
  const more: MenuItem[] = [{ label: t('Download everything as ZIP'), icon: 'download', run: everything }];
  if (canChooseFolders())
    more.unshift({ label: t('Upload a folder'), icon: 'upload', run: () => chooseFolder(onUpload) });
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
      <Menu label={t('More')} items={more}>
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
          onUpload([...(event.currentTarget.files ?? [])].map((file) => ({ folders: [], file })));
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
