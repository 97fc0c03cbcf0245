import { useEffect, useState } from 'preact/hooks';
import { formatSize } from '../../state/sizes.ts';
import type { FileNode, FileVersion } from '../../state/workspace.ts';
import { Button } from '../parts/Button.tsx';
import { Confirm, Dialog } from '../parts/Dialog.tsx';
import { Icon } from '../parts/Icon.tsx';
import { useLoaded } from '../parts/loading.ts';
import { Menu } from '../parts/Menu.tsx';
import { useApp, useTexts } from '../useApp.ts';
import { Preview } from './Preview.tsx';
import { download } from './tasks.ts';

interface VersionsProps {
  serverId: string;
  node: FileNode;
  onClose(): void;
}

/** What a file contained before, to look at and to restore. */
export function Versions({ serverId, node, onClose }: VersionsProps) {
  const { t } = useTexts();
  const { workspace, client, attempt } = useApp();
  const [shown, setShown] = useState<FileVersion | null>(null);
  const { value: list, load, after } = useLoaded(() => workspace.versions(serverId, node.id), [serverId, node.id]);
  useEffect(
    () =>
      client.on('workspace:changed', ({ nodes, complete }) => {
        if (!complete || nodes.some(({ id }) => id === node.id)) void attempt(load);
      }),
    [serverId, node.id],
  );
  const restore = (version: FileVersion) => after(() => workspace.restore(serverId, version));
  if (shown) {
    return (
      <OlderVersion
        {...{ serverId, node }}
        version={shown}
        onRestore={() => restore(shown)}
        onClose={() => setShown(null)}
      />
    );
  }
  return (
    <Dialog title={t('Versions of {name}', { name: node.name })} size="wide" onClose={onClose}>
      {!list && <p class="faint">{t('One moment…')}</p>}
      {list?.length === 1 && (
        <p class="note">
          {t('There are none yet. Each time the file is saved, what it contained before is kept here.')}
        </p>
      )}
      <ul class="people file-versions">
        {list?.map((version) => (
          <VersionRow
            key={version.version}
            {...{ serverId, node, version }}
            onShow={() => setShown(version)}
            onRestore={() => restore(version)}
            onDelete={() => after(() => workspace.removeVersion(serverId, version))}
          />
        ))}
      </ul>
    </Dialog>
  );
}

interface RowProps {
  serverId: string;
  node: FileNode;
  version: FileVersion;
  onShow(): void;
  onRestore(): void;
  onDelete(): void;
}

function VersionRow({ serverId, node, version, onShow, onRestore, onDelete }: RowProps) {
  const { fullTime, t } = useTexts();
  const app = useApp();
  const [isDeleting, setDeleting] = useState(false);
  const { savedAt, savedBy, sizeBytes, isCurrent } = version;
  const time = fullTime(savedAt);
  return (
    <li>
      <span class="who">
        <button type="button" class="name link" onClick={onShow}>
          {time}
        </button>
        <span class="faint">
          {isCurrent && `${t('Current version')} · `}
          {savedBy && (
            <>
              <bdi>{savedBy.displayName}</bdi> ·{' '}
            </>
          )}
          <bdi>{formatSize(sizeBytes)}</bdi>
        </span>
      </span>
      {!isCurrent && <Button label={t('Restore')} kind="quiet" onClick={onRestore} />}
      <Menu
        label={t('Actions for the version of {time}', { time })}
        items={[
          {
            label: t('Download'),
            icon: 'download',
            run: () => void download(app, serverId, node, isCurrent ? undefined : version.version),
          },
          ...(isCurrent
            ? []
            : [{ label: t('Delete'), icon: 'trash' as const, danger: true, run: () => setDeleting(true) }]),
        ]}
      >
        <Icon name="more" />
      </Menu>
      {isDeleting && (
        <Confirm
          title={t('Delete this version?')}
          text={t('The version of {time} is deleted, for everyone and for good. The file stays as it is.', { time })}
          action={t('Delete')}
          onConfirm={onDelete}
          onClose={() => setDeleting(false)}
        />
      )}
    </li>
  );
}

interface OlderProps extends VersionsProps {
  version: FileVersion;
  onRestore(): void;
}

function OlderVersion({ serverId, node, version, onRestore, onClose }: OlderProps) {
  const { fullTime, t } = useTexts();
  const { mime, sizeBytes, isCurrent, savedAt } = version;
  const restore = () => {
    onRestore();
    onClose();
  };
  return (
    <Dialog title={`${node.name} · ${fullTime(savedAt)}`} size="full" onClose={onClose}>
      <div class="viewer">
        <Preview serverId={serverId} file={{ ...node, mime, sizeBytes }} version={version.version} />
      </div>
      <footer>
        <Button label={t('Back')} kind="quiet" onClick={onClose} />
        {!isCurrent && <Button label={t('Restore')} onClick={restore} />}
      </footer>
    </Dialog>
  );
}
