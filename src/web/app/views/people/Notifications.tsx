import { useEffect } from 'preact/hooks';
import type { NotificationRecord } from '../../../../client/index.ts';
import { pathOf } from '../../state/paths.ts';
import { pathTo } from '../../state/router.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { More } from '../parts/Button.tsx';
import { Icon } from '../parts/Icon.tsx';
import { Menu, type MenuItem } from '../parts/Menu.tsx';
import { Page } from '../parts/Page.tsx';
import { Text } from '../parts/text.tsx';
import { shortTime } from '../parts/time.ts';
import { type AppState, useApp } from '../useApp.ts';

export function Notifications() {
  const app = useApp();
  const { connection, notifications, lists, attempt } = app;
  useEffect(() => connection.load(() => notifications.load()), []);
  const actions = (
    <>
      {notifications.unreadCount.value > 0 && (
        <Menu label="Mark as read" items={scopes(app)}>
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
      {lists.loaded.value && notifications.list.value.length === 0 && <p class="empty">Nothing so far.</p>}
      <ul class="found">
        {notifications.list.value.map((entry) => (
          <Entry key={entry.id} entry={entry} />
        ))}
      </ul>
      {notifications.hasOlder.value && <More onMore={() => attempt(() => notifications.loadOlder())} />}
    </Page>
  );
}

/** Marks all as read, or those of one server. */
function scopes(app: AppState): MenuItem[] {
  const ids = new Set(app.notifications.list.value.filter(({ isRead }) => !isRead).map(({ serverId }) => serverId));
  const unread = app.servers.list.value.filter(({ id }) => ids.has(id));
  return [
    { label: 'Mark all as read', run: () => void app.attempt(() => app.notifications.readAll()) },
    ...unread.map(({ id, name }) => ({
      label: `Only of ${name}`,
      run: () => void app.attempt(() => app.notifications.readServer(id)),
    })),
  ];
}

function Entry({ entry }: { entry: NotificationRecord }) {
  const { client } = useApp();
  const read = () => {
    if (!entry.isRead) void client.rest('PATCH /api/notifications/:id/read', { id: entry.id }).catch(() => {});
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
