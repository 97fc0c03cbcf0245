import { signal } from '@preact/signals';
import type { NotificationRecord } from '../../../client/index.ts';
import { parley } from './client.ts';
import { pathTo } from './router.ts';

export const notifications = signal<NotificationRecord[]>([]);
export const unreadNotifications = signal(0);

export async function loadNotifications(): Promise<void> {
  const [list, { count }] = await Promise.all([
    parley.rest('GET /api/notifications', {}),
    parley.rest('GET /api/notifications/unread-count'),
  ]);
  notifications.value = list;
  unreadNotifications.value = count;
}

export async function readAll(): Promise<void> {
  await parley.rest('POST /api/notifications/read-all');
  unreadNotifications.value = 0;
  notifications.value = notifications.value.map((entry) => ({ ...entry, isRead: true }));
}

export async function readServer(serverId: string): Promise<void> {
  await parley.rest('POST /api/notifications/read-scope', { body: { serverId } });
}

/** Whoever looks at a channel has seen what was told of it. */
export function readChannel(channelId: string): void {
  if (!notifications.value.some((entry) => entry.channelId === channelId && !entry.isRead)) return;
  void parley.rest('POST /api/notifications/read-scope', { body: { channelId } }).catch(() => {});
}

/** Where a notification leads. */
export function pathOf({ referenceType, referenceId, serverId, channelId, kind }: NotificationRecord): string {
  if (kind.startsWith('friendship.')) return '/app/friends';
  if (referenceType === 'agent' && referenceId) return pathTo.agent(referenceId);
  if (serverId && kind.endsWith('.join_request')) return pathTo.manage(serverId, 'invites');
  if (channelId && referenceType === 'message' && referenceId) return pathTo.message(serverId, channelId, referenceId);
  if (channelId) return pathTo.channel(serverId, channelId);
  return serverId ? pathTo.server(serverId) : '/app/notifications';
}

function put(entry: NotificationRecord, isNew: boolean): void {
  const isUnread = notifications.value.some((known) => known.id === entry.id && !known.isRead);
  notifications.value = [entry, ...notifications.value.filter(({ id }) => id !== entry.id)];
  if (isNew && !isUnread) unreadNotifications.value += 1;
}

parley.on('notification:new', (entry) => put(entry, true));
parley.on('notification:updated', (entry) => put(entry, false));
parley.on('notification:read', ({ ids, scope, unreadCount }) => {
  unreadNotifications.value = unreadCount;
  const isMeant = (entry: NotificationRecord) =>
    ids?.includes(entry.id) ||
    (scope &&
      (!scope.channelId || scope.channelId === entry.channelId) &&
      (!scope.serverId || scope.serverId === entry.serverId));
  notifications.value = notifications.value.map((entry) => (isMeant(entry) ? { ...entry, isRead: true } : entry));
});
