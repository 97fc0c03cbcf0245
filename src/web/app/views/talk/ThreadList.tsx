import type { ThreadRecord } from '../../../../client/index.ts';
import { pathTo } from '../../state/router.ts';
import type { Texts } from '../../state/texts.ts';
import { More } from '../parts/Button.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { Icon } from '../parts/Icon.tsx';
import { usePages } from '../parts/loading.ts';
import { useApp, useTexts } from '../useApp.ts';

/** The page size. */
const pageSize = 50;

/** The threads of a channel, the newest first. */
export function Threads({ channelId, onClose }: { channelId: string; onClose(): void }) {
  const texts = useTexts();
  const { t } = texts;
  const { client, servers, follows } = useApp();
  const { list, onMore } = usePages<ThreadRecord>(
    pageSize,
    (known) => {
      const query = { limit: pageSize, cursor: known.at(-1)?.id };
      return client.rest('GET /api/channels/:channelId/threads', { channelId, query });
    },
    [channelId],
  );
  return (
    <Dialog title={t('Threads')} onClose={onClose}>
      {list === null && <p class="faint">{t('One moment…')}</p>}
      {list?.length === 0 && (
        <p class="faint">{t('There are no threads yet. Start one from the menu of a message.')}</p>
      )}
      <ul class="found">
        {list?.map((thread) => (
          <li key={thread.id}>
            <a href={pathTo.thread(servers.current.value?.id ?? null, channelId, thread.id)} onClick={onClose}>
              <Icon name="thread" />
              <span class="who">
                <span class="title">
                  {thread.name}
                  {follows.unreadIn(thread.id) > 0 && (
                    <span class="fresh"> {t('{unread} new', { unread: follows.unreadIn(thread.id) })}</span>
                  )}
                </span>
                <span class="faint">{aboutThread(texts, thread)}</span>
              </span>
            </a>
          </li>
        ))}
        {onMore && (
          <li>
            <More onMore={onMore} />
          </li>
        )}
      </ul>
    </Dialog>
  );
}

function aboutThread({ shortTime, t }: Texts, { messageCount, lastMessageAt, isArchived }: ThreadRecord): string {
  return [
    t('{count, plural, one {# reply} other {# replies}}', { count: messageCount }),
    lastMessageAt && shortTime(lastMessageAt),
    isArchived && t('archived'),
  ]
    .filter(Boolean)
    .join(' · ');
}
