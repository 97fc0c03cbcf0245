import { useEffect } from 'preact/hooks';
import type { NotificationRecord } from '../../../../client/index.ts';
import { notificationPath } from '../../../../contract/notification-path.ts';
import { bodyIn, titleIn } from '../../../../languages/titles.ts';
import { pathTo } from '../../state/router.ts';
import type { Texts } from '../../state/texts.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { More } from '../parts/Button.tsx';
import { Empty } from '../parts/Empty.tsx';
import { Icon } from '../parts/Icon.tsx';
import { Menu, type MenuItem } from '../parts/Menu.tsx';
import { Page } from '../parts/Page.tsx';
import { Text } from '../parts/text.tsx';
import { type AppState, useApp, useTexts } from '../useApp.ts';

export function Notifications() {
  const texts = useTexts();
  const { t } = texts;
  const app = useApp();
  const { connection, notifications, lists, attempt } = app;
  useEffect(() => connection.load(() => notifications.load()), []);
  const actions = (
    <>
      {notifications.unreadCount.value > 0 && (
        <Menu label={t('Mark as read')} items={scopes(texts, app)}>
          <Icon name="check" />
        </Menu>
      )}
      <a
        class="icon"
        href={pathTo.settings('notifications')}
        aria-label={t('Notification settings')}
        title={t('Notification settings')}
      >
        <Icon name="settings" />
      </a>
    </>
  );
  return (
    <Page title={t('Notifications')} back="/app/messages" actions={actions}>
      {lists.loaded.value && notifications.list.value.length === 0 && (
        <Empty
          icon="bell"
          title={t('No notifications yet')}
          about={t('Mentions, replies, invitations and friend requests appear here.')}
        />
      )}
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
function scopes({ t }: Texts, app: AppState): MenuItem[] {
  const ids = new Set(app.notifications.list.value.filter(({ isRead }) => !isRead).map(({ serverId }) => serverId));
  const unread = app.servers.list.value.filter(({ id }) => ids.has(id));
  return [
    { label: t('Mark all as read'), run: () => void app.attempt(() => app.notifications.readAll()) },
    ...unread.map(({ id, name }) => ({
      label: t('Only in {name}', { name }),
      run: () => void app.attempt(() => app.notifications.readServer(id)),
    })),
  ];
}

function Entry({ entry }: { entry: NotificationRecord }) {
  const { errorOf, shortTime, t } = useTexts();
  const { client } = useApp();
  const read = () => {
    if (!entry.isRead) void client.rest('PATCH /api/notifications/:id/read', { id: entry.id }).catch(() => {});
  };
  return (
    <li>
      <a class={`quoted ${entry.isRead ? '' : 'unread'}`} href={notificationPath(entry)} onClick={read}>
        {entry.sender ? <Avatar user={entry.sender} size="small" /> : <Icon name="bell" />}
        <span class="who">
          <span class="title">
            {titleIn(t, entry.kind, entry.title)}
            {entry.aggregatedCount > 1 && ` (${entry.aggregatedCount})`}
            {!entry.isRead && <span class="hidden"> {t('(unread)')}</span>}
          </span>
          <span class="text">
            <Text content={bodyIn(errorOf, entry)} plain />
          </span>
          <span class="faint">{shortTime(entry.updatedAt)}</span>
        </span>
      </a>
    </li>
  );
}
