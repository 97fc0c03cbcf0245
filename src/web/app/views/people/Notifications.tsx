import { useEffect } from 'preact/hooks';
import type { NotificationRecord } from '../../../../client/index.ts';
import { parley } from '../../state/client.ts';
import { loadNotifications, notifications, pathOf, readAll, unreadNotifications } from '../../state/notifications.ts';
import { attempt } from '../../state/toasts.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { shortTime } from '../parts/time.ts';

export function Notifications() {
  useEffect(() => {
    void attempt(loadNotifications);
  }, []);
  return (
    <section class="page">
      <header class="bar">
        <a class="icon back" href="/app/friends" aria-label="Back">
          ‹
        </a>
        <h1 class="title">Notifications</h1>
        <span class="space" />
        {unreadNotifications.value > 0 && (
          <button type="button" class="button quiet" onClick={() => void attempt(readAll)}>
            Mark all as read
          </button>
        )}
      </header>
      <div class="body">
        {notifications.value.length === 0 && <p class="empty">Nothing so far.</p>}
        <ul class="found">
          {notifications.value.map((entry) => (
            <Entry key={entry.id} entry={entry} />
          ))}
        </ul>
      </div>
    </section>
  );
}

function Entry({ entry }: { entry: NotificationRecord }) {
  const read = () => {
    if (!entry.isRead) void parley.rest('PATCH /api/notifications/:id/read', { id: entry.id }).catch(() => {});
  };
  return (
    <li>
      <a class={entry.isRead ? '' : 'unread'} href={pathOf(entry)} onClick={read}>
        {entry.sender && <Avatar user={entry.sender} size="small" />}
        <span class="who">
          <span class="title">
            {entry.title}
            {entry.aggregatedCount > 1 && ` (${entry.aggregatedCount})`}
          </span>
          <span class="text">{entry.body}</span>
          <span class="faint">{shortTime(entry.updatedAt)}</span>
        </span>
      </a>
    </li>
  );
}
