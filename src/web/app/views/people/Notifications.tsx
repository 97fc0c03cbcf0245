import { useEffect } from 'preact/hooks';
import type { NotificationRecord } from '../../../../client/index.ts';
import { parley } from '../../state/client.ts';
import { listsRead } from '../../state/lists.ts';
import {
  hasOlderNotifications,
  loadNotifications,
  loadOlderNotifications,
  notifications,
  pathOf,
  readAll,
  readServer,
  unreadNotifications,
} from '../../state/notifications.ts';
import { reading } from '../../state/reading.ts';
import { pathTo } from '../../state/router.ts';
import { servers } from '../../state/servers.ts';
import { attempt } from '../../state/toasts.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { More } from '../parts/Button.tsx';
import { Icon } from '../parts/Icon.tsx';
import { Menu, type MenuItem } from '../parts/Menu.tsx';
import { Page } from '../parts/Page.tsx';
import { Text } from '../parts/text.tsx';
import { shortTime } from '../parts/time.ts';

export function Notifications() {
  useEffect(() => reading(loadNotifications), []);
  const actions = (
    <>
      {unreadNotifications.value > 0 && (
        <Menu label="Mark as read" items={scopes()}>
          <Icon name="check" />
        </Menu>
      )}
      <a
        class="icon"
        href={pathTo.settings('notifications')}
        aria-label="Notification settings"
        title="Notification settings"
      >
        <Icon name="settings" />
      </a>
    </>
  );
  return (
    <Page title="Notifications" back="/app/messages" actions={actions}>
      {listsRead.value && notifications.value.length === 0 && <p class="empty">Nothing so far.</p>}
      <ul class="found">
        {notifications.value.map((entry) => (
          <Entry key={entry.id} entry={entry} />
        ))}
      </ul>
      {hasOlderNotifications.value && <More onMore={() => attempt(loadOlderNotifications)} />}
    </Page>
  );
}

/** All of it, or what came from one server. */
function scopes(): MenuItem[] {
  const ids = new Set(notifications.value.filter(({ isRead }) => !isRead).map(({ serverId }) => serverId));
  const unread = servers.value.filter(({ id }) => ids.has(id));
  return [
    { label: 'Mark all as read', run: () => void attempt(readAll) },
    ...unread.map(({ id, name }) => ({ label: `Only of ${name}`, run: () => void attempt(() => readServer(id)) })),
  ];
}

function Entry({ entry }: { entry: NotificationRecord }) {
  const read = () => {
    if (!entry.isRead) void parley.rest('PATCH /api/notifications/:id/read', { id: entry.id }).catch(() => {});
  };
  return (
    <li>
      <a class={`quoted ${entry.isRead ? '' : 'unread'}`} href={pathOf(entry)} onClick={read}>
        {entry.sender ? <Avatar user={entry.sender} size="small" /> : <Icon name="bell" />}
        <span class="who">
          <span class="title">
            {entry.title}
            {entry.aggregatedCount > 1 && ` (${entry.aggregatedCount})`}
            {!entry.isRead && <span class="hidden"> (unread)</span>}
          </span>
          <span class="text">
            <Text content={entry.body ?? ''} plain />
          </span>
          <span class="faint">{shortTime(entry.updatedAt)}</span>
        </span>
      </a>
    </li>
  );
}
