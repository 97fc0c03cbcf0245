import type { Attachment } from '../../state/attachments.ts';
import { Icon } from '../parts/Icon.tsx';
import { useApp, useTexts } from '../useApp.ts';

interface FileListProps {
  /** Of the channel or thread. */
  of: string;
  files: readonly Attachment[];
  uploading: readonly File[];
}

/** The files of a message that is being written. */
export function FileList({ of, files, uploading }: FileListProps) {
  const { t } = useTexts();
  const { connection, attachments, attempt } = useApp();
  if (files.length === 0 && uploading.length === 0) return null;
  const waits = connection.state.value.status === 'offline' ? t('waits for a connection') : t('uploading…');
  return (
    <ul class="files" aria-label={t('Files to send')}>
      {files.map((file) => (
        <FileToSend
          key={file.id}
          name={file.filename}
          isSpoiler={file.isSpoiler}
          onHide={() => void attempt(() => attachments.hide(of, file, !file.isSpoiler))}
          onRemove={() => attachments.remove(of, file)}
        />
      ))}
      {uploading.map((file, i) => (
        <FileToSend
          key={`${i} ${file.name}`}
          name={file.name}
          state={waits}
          onRemove={() => attachments.cancel(of, file)}
        />
      ))}
    </ul>
  );
}

interface FileToSendProps {
  name: string;
  state?: string;
  isSpoiler?: boolean;
  onHide?(): void;
  onRemove(): void;
}

function FileToSend({ name, state, isSpoiler = false, onHide, onRemove }: FileToSendProps) {
  const { t } = useTexts();
  return (
    <li>
      <span>
        {name}
        {state && (
          <span class="faint" role="status">
            {' '}
            {state}
          </span>
        )}
      </span>
      {onHide && (
        <button
          type="button"
          class="link"
          aria-pressed={isSpoiler}
          aria-label={t('Send {name} as a spoiler', { name })}
          title={t('Send as a spoiler')}
          onClick={onHide}
        >
          {isSpoiler ? `${t('Spoiler')} ✓` : t('Spoiler')}
        </button>
      )}
      <button type="button" class="link" aria-label={t('Do not send {name}', { name })} onClick={onRemove}>
        <Icon name="close" />
      </button>
    </li>
  );
}
