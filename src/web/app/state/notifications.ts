import { computed, signal } from '@preact/signals';
import type { NotificationRecord } from '../../../client/index.ts';
import { LatestAnswer } from './latest-answer.ts';
import type { Core } from './session.ts';

const pageSize = 50;
/** How many are kept while new ones come; dropped ones can be fetched again. */
const maxKept = 400;

/** What the user is notified of. */
export class Notifications {
  readonly list = signal<readonly NotificationRecord[]>([]);
  readonly unreadCount = signal(0);
  /** Whether there are older ones that are not shown. */
  readonly hasOlder = signal(false);
  /** The last new or repeated one; not one whose message was merely edited. */
  readonly newest = signal<NotificationRecord | null>(null);
  /** Channels with something unread that is meant for the user: a mention, an answer, a direct message. */
  readonly channelsForMe = computed(() => {
    const forMe = this.list.value.filter(({ isRead, type }) => !isRead && type !== 'system');
    return new Set(forMe.map(({ channelId }) => channelId));
  });
  private readonly core: Core;
  private readonly latest = new LatestAnswer();

  constructor(core: Core) {
    this.core = core;
    const { client } = core;
    client.on('notification:new', (entry) => this.put(entry, true));
    client.on('notification:updated', (entry) => this.put(entry, false));
    client.on('notification:read', (read) => {
      this.latest.changed();
      this.unreadCount.value = read.unreadCount;
      this.list.value = this.list.peek().map((entry) => (isMeant(read, entry) ? { ...entry, isRead: true } : entry));
    });
    client.on('notification:deleted', (gone) => {
      this.latest.changed();
      this.unreadCount.value = gone.unreadCount;
      this.list.value = this.list.peek().filter((entry) => !isMeant(gone, entry));
    });
  }

  async load(): Promise<void> {
    const { client } = this.core;
    const request = () =>
      Promise.all([
        client.rest('GET /api/notifications', { query: { limit: pageSize } }),
        client.rest('GET /api/notifications/unread-count'),
      ]);
    await this.latest.read(request, ([list, { count }]) => {
      this.list.value = list;
      this.unreadCount.value = count;
      this.hasOlder.value = list.length === pageSize;
    });
  }

  async loadOlder(): Promise<void> {
    const offset = Math.max(0, this.list.peek().length - 1);
    const page = await this.core.client.rest('GET /api/notifications', { query: { limit: pageSize, offset } });
    // New ones meanwhile moved known ones into the page.
    const older = page.filter(({ id }) => !this.list.peek().some((entry) => entry.id === id));
    // It starts with the last known one. If that is missing, some known ones are gone, and others would be left out.
    if (offset > 0 && older.length === page.length) return this.load();
    this.list.value = [...this.list.peek(), ...older];
    this.hasOlder.value = page.length === pageSize;
  }

  async readAll(): Promise<void> {
    await this.core.client.rest('POST /api/notifications/read-all');
    this.unreadCount.value = 0;
    this.list.value = this.list.peek().map((entry) => ({ ...entry, isRead: true }));
  }

  async readServer(serverId: string): Promise<void> {
    await this.core.client.rest('POST /api/notifications/read-scope', { body: { serverId } });
  }

  private put(entry: NotificationRecord, isNew: boolean): void {
    this.latest.changed();
    const list = this.list.peek();
    // It was hidden while its message did not mention the user, and returns without an alert.
    if (!isNew && !entry.isRead && this.isMissing(entry)) return void this.load().catch(() => {});
    const [newest] = list;
    const known = list.find(({ id }) => id === entry.id);
    if (!isNew && newest && entry.updatedAt <= (known ?? newest).updatedAt) {
      // Its text has changed, and nothing that would move it to the top, or deserve an alert.
      this.list.value = list.map((other) => (other.id === entry.id ? entry : other));
      return;
    }
    const all = [entry, ...list.filter(({ id }) => id !== entry.id)];
    if (all.length > maxKept) this.hasOlder.value = true;
    this.list.value = all.slice(0, maxKept);
    if (isNew && known?.isRead !== false) this.unreadCount.value += 1;
    this.newest.value = entry;
  }

  /** Whether one of the newest is not in the list. */
  private isMissing({ id, updatedAt }: NotificationRecord): boolean {
    const all = this.list.peek();
    if (all.some((entry) => entry.id === id)) return false;
    return !this.hasOlder.peek() || updatedAt >= (all.at(-1)?.updatedAt ?? '');
  }
}

interface Meant {
  ids?: string[] | undefined;
  scope?: { serverId: string | null; channelId: string | null } | undefined;
}

/** Whether an event means this notification, by its id or its place. */
function isMeant({ ids, scope }: Meant, entry: NotificationRecord): boolean {
  if (ids?.includes(entry.id)) return true;
  if (!scope) return false;
  const isThere = !scope.channelId || scope.channelId === entry.channelId;
  return isThere && (!scope.serverId || scope.serverId === entry.serverId);
}
