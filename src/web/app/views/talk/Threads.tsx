import type { ThreadRecord } from '../../../../client/index.ts';
import { parley } from '../../state/client.ts';
import { pathTo } from '../../state/router.ts';
import { currentServer } from '../../state/servers.ts';
import { Dialog } from '../parts/Dialog.tsx';
import { Icon } from '../parts/Icon.tsx';
import { usePages } from '../parts/loading.ts';
import { More } from '../parts/More.tsx';
import { shortTime } from '../parts/time.ts';

/** So many are fetched at a time. */
const pageSize = 50;

/** The threads of a channel, the newest first. */
export function Threads({ channelId, onClose }: { channelId: string; onClose(): void }) {
  const { list, onMore } = usePages<ThreadRecord>(
    pageSize,
    (known) => {
      const query = { limit: pageSize, cursor: known.at(-1)?.id };
      return parley.rest('GET /api/channels/:channelId/threads', { channelId, query });
    },
    [channelId],
  );
  return (
    <Dialog title="Threads" onClose={onClose}>
      {list === null && <p class="faint">One moment…</p>}
      {list?.length === 0 && <p class="faint">There are none yet. One starts from a message, by its menu.</p>}
      <ul class="found">
        {list?.map((thread) => (
          <li key={thread.id}>
            <a href={pathTo.thread(currentServer.value?.id ?? null, channelId, thread.id)} onClick={onClose}>
              <Icon name="thread" />
              <span class="who">
                <span class="title">{thread.name}</span>
                <span class="faint">{aboutThread(thread)}</span>
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

function aboutThread({ messageCount, lastMessageAt, isArchived }: ThreadRecord): string {
  const count = messageCount === 1 ? '1 reply' : `${messageCount} replies`;
  const last = lastMessageAt ? ` · ${shortTime(lastMessageAt)}` : '';
  return `${count}${last}${isArchived ? ' · archived' : ''}`;
}
