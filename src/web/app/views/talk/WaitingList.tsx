import type { Upload } from '../../state/uploads.ts';
import type { WaitingMessage } from '../../state/waiting.ts';
import { useApp, useTexts } from '../useApp.ts';

/** What was sent here and waits for its files. */
export function WaitingList(place: Pick<WaitingMessage, 'channelId' | 'threadId'>) {
  const { t } = useTexts();
  const list = useApp().waiting.in(place);
  if (list.length === 0) return null;
  return (
    <ul class="waiting" aria-label={t('Waiting for files')}>
      {list.map((message) => (
        <WaitingItem key={message.id} message={message} />
      ))}
    </ul>
  );
}

function WaitingItem({ message }: { message: WaitingMessage }) {
  const { t } = useTexts();
  const { waiting, attachments } = useApp();
  const { uploading } = attachments.of(waiting.keyOf(message));
  const failed = uploading.filter(({ problem }) => problem.value !== null);
  const again = () => {
    for (const upload of failed) void attachments.tryAgain(upload);
  };
  return (
    <li>
      <span class="excerpt" dir="auto">
        {message.content || uploading.map(({ file }) => file.name).join(', ')}
      </span>
      {failed.length > 0 ? (
        <>
          <span class="bad" role="alert">
            {t('Not sent: {reason}', { reason: failed[0]?.problem.value ?? '' })}
          </span>
          <button type="button" class="link" onClick={again}>
            {t('Try again')}
          </button>
        </>
      ) : (
        <Progress uploading={uploading} />
      )}
      <button type="button" class="link" onClick={() => waiting.takeBack(message)}>
        {t('Edit')}
      </button>
    </li>
  );
}

/** How far all of them are. */
function Progress({ uploading }: { uploading: readonly Upload[] }) {
  const { t } = useTexts();
  const { connection } = useApp();
  const bytes = (of: (upload: Upload) => number) => uploading.reduce((sum, upload) => sum + of(upload), 0);
  const all = bytes(({ file }) => file.size);
  const share = all > 0 ? bytes(({ file, sent }) => file.size * sent.value) / all : 0;
  if (connection.state.value.status === 'offline') return <span class="faint">{t('waits for a connection')}</span>;
  return (
    <>
      <span class="faint">{t('Sends when its files are uploaded')}</span>
      <progress value={share} aria-label={t('Uploaded')} />
    </>
  );
}
