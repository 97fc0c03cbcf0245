import { computed, signal } from '@preact/signals';
import type { NotificationRecord } from '../../../client/index.ts';
import { parley } from './client.ts';
import { Overtaking } from './overtaking.ts';
import { pathTo } from './router.ts';

export const notifications = signal<NotificationRecord[]>([]);
export const unreadNotifications = signal(0);
/** Whether there are older ones that are not shown. */
export const hasOlderNotifications = signal(false);

/** Channels with something unread that is meant for the user: a mention, an answer, a direct message. */
export const channelsForMe = computed(() => {
  const forMe = notifications.value.filter(({ isRead, type }) => !isRead && type !== 'system');
  return new Set(forMe.map(({ channelId }) => channelId));
});

/** The last new or repeated one; not one whose message was merely edited. */
export const latestNotification = signal<NotificationRecord | null>(null);

const pageSize = 50;
/** How many are kept while new ones come; dropped ones can be fetched again. */
const mostKept = 400;

const overtaking = new Overtaking();

export async function loadNotifications(): Promise<void> {
  const ask = () =>
    Promise.all([
      parley.rest('GET /api/notifications', { query: { limit: pageSize } }),
      parley.rest('GET /api/notifications/unread-count'),
    ]);
  await overtaking.read(ask, ([list, { count }]) => {
    notifications.value = list;
    unreadNotifications.value = count;
    hasOlderNotifications.value = list.length === pageSize;
  });
}

export async function loadOlderNotifications(): Promise<void> {
  const offset = Math.max(0, notifications.value.length - 1);
  const page = await parley.rest('GET /api/notifications', { query: { limit: pageSize, offset } });
  // New ones meanwhile moved known ones into the page.
  const older = page.filter(({ id }) => !notifications.value.some((entry) => entry.id === id));
  // It starts with the last known one. If that is missing, some known ones are gone, and others would be left out.
  if (offset > 0 && older.length === page.length) return loadNotifications();
  notifications.value = [...notifications.value, ...older];
  hasOlderNotifications.value = page.length === pageSize;
}

export async function readAll(): Promise<void> {
  await parley.rest('POST /api/notifications/read-all');
  unreadNotifications.value = 0;
  notifications.value = notifications.value.map((entry) => ({ ...entry, isRead: true }));
}

export async function readServer(serverId: string): Promise<void> {
  await parley.rest('POST /api/notifications/read-scope', { body: { serverId } });
}

/** Looking at a channel marks its notifications as seen. */
export function readChannel(channelId: string): void {
  if (!notifications.value.some((entry) => entry.channelId === channelId && !entry.isRead)) return;
  void parley.rest('POST /api/notifications/read-scope', { body: { channelId } }).catch(() => {});
}

/** The place that a notification leads to. */
export function pathOf({ referenceType, referenceId, serverId, channelId, kind, body }: NotificationRecord): string {
  if (kind === 'server.invite' && body) return pathTo.invite(body);
  if (kind.startsWith('friendship.')) return '/app/friends';
  if (referenceType === 'agent' && referenceId) return pathTo.agent(referenceId);
  if (serverId && kind.endsWith('.join_request')) return pathTo.manage(serverId, 'invites');
  if (channelId && referenceType === 'message' && referenceId) return pathTo.message(serverId, channelId, referenceId);
  if (channelId) return pathTo.channel(serverId, channelId);
  return serverId ? pathTo.server(serverId) : '/app/notifications';
}

function put(entry: NotificationRecord, isNew: boolean): void {
  overtaking.hear();
  // It was away while its message did not mention the user, and comes back without an alert.
  if (!isNew && !entry.isRead && isAwayFrom(entry)) return void loadNotifications().catch(() => {});
  const newest = notifications.value[0];
  const known = notifications.value.find(({ id }) => id === entry.id);
  if (!isNew && newest && entry.updatedAt <= (known ?? newest).updatedAt) {
    replace(entry);
    return;
  }
  const all = [entry, ...notifications.value.filter(({ id }) => id !== entry.id)];
  if (all.length > mostKept) hasOlderNotifications.value = true;
  notifications.value = all.slice(0, mostKept);
  if (isNew && known?.isRead !== false) unreadNotifications.value += 1;
  latestNotification.value = entry;
}

/** Whether one of the newest is not in the list. */
function isAwayFrom({ id, updatedAt }: NotificationRecord): boolean {
  const all = notifications.value;
  if (all.some((entry) => entry.id === id)) return false;
  return !hasOlderNotifications.value || updatedAt >= (all.at(-1)?.updatedAt ?? '');
}

/** Its text has changed, and nothing happened that would move it to the top, or deserve an alert. */
function replace(entry: NotificationRecord): void {
  notifications.value = notifications.value.map((known) => (known.id === entry.id ? entry : known));
}

parley.on('notification:new', (entry) => put(entry, true));
parley.on('notification:updated', (entry) => put(entry, false));
interface Meant {
  ids?: string[] | undefined;
  scope?: { serverId: string | null; channelId: string | null } | undefined;
}

/** Whether an event means this one, by its id or its place. */
function isMeant({ ids, scope }: Meant, entry: NotificationRecord): boolean {
  if (ids?.includes(entry.id)) return true;
  if (!scope) return false;
  const isThere = !scope.channelId || scope.channelId === entry.channelId;
  return isThere && (!scope.serverId || scope.serverId === entry.serverId);
}

parley.on('notification:read', (read) => {
  overtaking.hear();
  unreadNotifications.value = read.unreadCount;
  notifications.value = notifications.value.map((entry) => (isMeant(read, entry) ? { ...entry, isRead: true } : entry));
});
parley.on('notification:deleted', (gone) => {
  overtaking.hear();
  unreadNotifications.value = gone.unreadCount;
  notifications.value = notifications.value.filter((entry) => !isMeant(gone, entry));
});
