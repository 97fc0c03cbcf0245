import { until } from '../rig/until.ts';
import type { Listener, Loose, Person } from '../world/person.ts';

const byId = (records: Loose[]) => new Map<string, Loose>(records.map((record) => [record.id, record]));
const previewOf = (content: string, max: number) => content.slice(0, max);

/** One channel as a client keeps it. */
interface Place {
  item: Loose;
  messages: Map<string, Loose>;
  threads: Map<string, Loose>;
  /** Ids, the last one pinned first. */
  pins: string[];
}

/** Everything that a client knows of a server: fetched once, then kept by events alone. */
export class Replica {
  readonly person: Person;
  readonly serverId: string;
  private ear: Listener | undefined;
  private server: Loose;
  private members = new Map<string, Loose>();
  private places = new Map<string, Place>();
  private applied = 0;
  /** The position in the user's own log up to which everything is known to be here. */
  private ownSeq = 0;

  constructor(person: Person, serverId: string) {
    this.person = person;
    this.serverId = serverId;
  }

  async start(): Promise<void> {
    this.ear = await this.person.connect();
    this.ownSeq = (await this.ear.next('ready')).seq;
    this.server = await this.get(`/api/servers/${this.serverId}`);
    this.members = new Map((await this.getMembers()).map((one) => [one.userId, one]));
    for (const item of await this.get(`/api/servers/${this.serverId}/channels`)) await this.enter(item);
  }

  /** Applies what has come, until everything that was committed is here. */
  async settle(): Promise<void> {
    await until(async () => {
      await this.apply();
      const items: Loose[] = await this.get(`/api/servers/${this.serverId}/channels`);
      const isHere = (item: Loose) => !item.isMember || this.places.get(item.id)?.item.lastSeq === item.lastSeq;
      return items.length === this.places.size && items.every(isHere) && (await this.hasHeardAll());
    });
    // Of the own room something may have come just now.
    await this.apply();
  }

  /** Whether the last event of the user's own room is here. */
  private async hasHeardAll(): Promise<boolean> {
    const page = await this.get(`/api/events?after=${this.ownSeq}&limit=500`);
    const last = page.events.at(-1);
    if (!last) return true;
    if (!this.ear?.all(last.event).some((data) => data.eventSeq === last.seq)) return false;
    this.ownSeq = page.seq;
    return !page.hasMore;
  }

  /** What it knows, in the form in which `fresh` gives it. */
  state(): Loose {
    const places = [...this.places.values()].sort((a, b) => (a.item.id < b.item.id ? -1 : 1));
    return {
      server: { ...this.server, memberCount: this.members.size },
      members: [...this.members.values()].sort((a, b) => (a.userId < b.userId ? -1 : 1)),
      channels: places.map(({ item, messages, threads, pins }) => ({
        item: seen(item),
        messages: [...messages.values()].sort((a, b) => b.seq - a.seq),
        threads: [...threads.values()].sort((a, b) => (a.id < b.id ? 1 : -1)),
        pins,
      })),
    };
  }

  /** The same, fetched anew. */
  async fresh(): Promise<Loose> {
    const items: Loose[] = await this.get(`/api/servers/${this.serverId}/channels`);
    const members = await this.getMembers();
    const channels = [];
    for (const item of items.sort((a, b) => (a.id < b.id ? -1 : 1))) {
      const { messages, threads, pins } = await this.fetch(item);
      channels.push({ item: seen(item), messages: [...messages.values()], threads: [...threads.values()], pins });
    }
    return { server: await this.get(`/api/servers/${this.serverId}`), members, channels };
  }

  /** Without their presence, which comes and goes by other events. */
  private async getMembers(): Promise<Loose[]> {
    const members: Loose[] = await this.get(`/api/servers/${this.serverId}/members`);
    return members.map(({ user: { status, ...user }, ...member }) => ({ ...member, user }));
  }

  private async get(path: string): Promise<Loose> {
    const { status, body } = await this.person.get(path);
    if (status !== 200) throw new Error(`${path}: ${JSON.stringify(body)}`);
    return body;
  }

  private async fetch(item: Loose): Promise<Place> {
    if (!item.isMember) return { item, messages: new Map(), threads: new Map(), pins: [] };
    const messages: Loose[] = [];
    for (let cursor = ''; ; ) {
      const page = await this.get(`/api/channels/${item.id}/messages?include=threads&limit=100${cursor}`);
      for (const { nonce, ...message } of page.messages) messages.push(message);
      if (!page.hasMore) break;
      cursor = `&cursor=${page.messages.at(-1).id}`;
    }
    const threads = await this.get(`/api/channels/${item.id}/threads?limit=100`);
    const pins = (await this.get(`/api/channels/${item.id}/pins`)).map((one: Loose) => one.id);
    return { item, messages: byId(messages), threads: byId(threads), pins };
  }

  private async enter(item: Loose): Promise<void> {
    const place = await this.fetch(item);
    if (item.isMember) await this.join(place);
    else this.places.set(item.id, place);
  }

  private async join(place: Place): Promise<void> {
    const { id, lastSeq } = place.item;
    const ack = await this.ear?.emit('channel:join', { channelId: id, after: lastSeq });
    // Admins see private ones from outside.
    if (ack?.code === 'NOT_A_MEMBER') place.item.isMember = false;
    // It may be gone already; then its last event was missed with all others.
    else if (!ack?.ok) return;
    this.places.set(id, place);
    if (!ack.ok) return;
    for (const { event, data } of ack.events) await this.on(event, data);
  }

  private async apply(): Promise<void> {
    const received = this.ear?.received ?? [];
    while (this.applied < received.length) {
      const next = received[this.applied++];
      if (next) await this.on(next.event, next.data);
    }
  }

  private async on(event: string, data: Loose): Promise<void> {
    if (event.startsWith('server:') || event.startsWith('member:')) return this.onServer(event, data);
    if (event.startsWith('channel:')) return this.onChannel(event, data);
    // Notifications and where one stands in threads name channels too, but are numbered in another log.
    const place =
      event !== 'thread:state' && /^(message|thread|reaction):/.test(event)
        ? this.places.get(data.channelId)
        : undefined;
    // Companions have no number; durable events that were in the page of a join come no second time.
    if (!place || data.eventSeq === undefined || data.eventSeq <= place.item.lastSeq) return;
    place.item.lastSeq = data.eventSeq;
    const { eventSeq, nonce, ...record } = data;
    if (event.startsWith('thread:')) onThread(place, event, record);
    else if (event === 'reaction:updated') {
      const message = place.messages.get(record.messageId);
      if (message) message.reactions = record.reactions;
    } else this.onMessage(place, event, record);
  }

  private onServer(event: string, data: Loose): void {
    const place = this.places.get(data.channelId);
    if (place && data.eventSeq > place.item.lastSeq) place.item.lastSeq = data.eventSeq;
    if (event === 'server:updated') this.server = data.server;
    const member = this.members.get(data.userId);
    if (event === 'member:updated' && member) member.role = data.role;
  }

  private async onChannel(event: string, data: Loose): Promise<void> {
    const place = this.places.get(data.channelId ?? data.channel?.id);
    if (event === 'channel:created' && place) Object.assign(place.item, data.channel);
    else if (event === 'channel:created') {
      const nothing = { isMember: true, unreadCount: 0, lastReadSeq: 0, lastMessagePreview: null };
      // What they may do there is nothing that an event for everyone tells (contract §5, Overrides).
      const { body: own } = await this.person.get(`/api/channels/${data.channel.id}`);
      const created: Place = {
        item: { ...data.channel, ...nothing, permissions: own.permissions },
        messages: new Map(),
        threads: new Map(),
        pins: [],
      };
      await this.join(created);
    } else if (event === 'channel:updated' && place) {
      if (data.eventSeq <= place.item.lastSeq) return;
      const { lastMessageAt } = place.item;
      Object.assign(place.item, data.channel, { lastSeq: data.eventSeq, lastMessageAt });
      if (data.channel.isArchived) this.places.delete(place.item.id);
    } else if (event === 'channel:deleted') this.places.delete(data.channelId);
    else if (event === 'channel:read' && place) {
      Object.assign(place.item, { lastReadSeq: data.lastReadSeq, unreadCount: this.unread(place, data.lastReadSeq) });
    } else if (event === 'channel:member-removed' && place) {
      if (place.item.isPrivate || data.gone) this.places.delete(data.channelId);
    } else if (event === 'channel:member-added' && !place)
      await this.enter(await this.get(`/api/channels/${data.channelId}`));
  }

  private onMessage(place: Place, event: string, record: Loose): void {
    if (event === 'message:deleted') this.gone(place, record.id);
    else place.messages.set(record.id, record);
    if (event === 'message:new' && record.threadId) count(place, record.threadId, record.createdAt);
    if (event === 'message:updated') {
      for (const reply of place.messages.values()) {
        if (reply.replyToId === record.id) reply.replyTo.content = previewOf(record.content, 200);
      }
    }
    if (event === 'message:pinned') place.pins.unshift(record.id);
    if (event === 'message:unpinned') place.pins = place.pins.filter((id) => id !== record.id);
    this.refresh(place);
  }

  private gone(place: Place, id: string): void {
    const message = place.messages.get(id);
    place.messages.delete(id);
    place.pins = place.pins.filter((pinned) => pinned !== id);
    quoteAsGone(place, id);
    if (message?.threadId) uncount(place, message.threadId);
  }

  /** What a channel's entry shows of its messages. */
  private refresh(place: Place): void {
    const roots = [...place.messages.values()].filter((message) => message.threadId === null);
    const last = roots.reduce((newest, one) => (newest && newest.seq > one.seq ? newest : one), undefined);
    place.item.lastMessageAt = last?.createdAt ?? null;
    place.item.lastMessagePreview = last ? previewOf(last.content, 200) : null;
    place.item.unreadCount = this.unread(place, place.item.lastReadSeq);
  }

  private unread(place: Place, pointer: number): number {
    return [...place.messages.values()].filter(
      ({ threadId, seq, authorId }) => threadId === null && seq > pointer && authorId !== this.person.id,
    ).length;
  }
}

/**
 * Of a channel that one is not in one knows what it is, not what happens there. Threads with unread replies are counted when
 * they are asked for: `thread:state` tells of those that one follows alone.
 */
function seen({ unreadThreads: _, ...item }: Loose): Loose {
  if (item.isMember) return item;
  const { id, name, topic, position, isPrivate, isMember, updatedAt } = item;
  return { id, name, topic, position, isPrivate, isMember, updatedAt };
}

function count(place: Place, threadId: string, at: string): void {
  const thread = place.threads.get(threadId);
  if (!thread) return;
  thread.messageCount++;
  if (thread.lastMessageAt === null || at > thread.lastMessageAt) thread.lastMessageAt = at;
  summarise(place, thread);
}

function uncount(place: Place, threadId: string): void {
  const thread = place.threads.get(threadId);
  if (!thread) return;
  const left = [...place.messages.values()].filter((message) => message.threadId === threadId);
  thread.messageCount--;
  thread.lastMessageAt = left.sort((a, b) => b.seq - a.seq)[0]?.createdAt ?? null;
  summarise(place, thread);
}

function summarise(place: Place, thread: Loose): void {
  const { id, name, messageCount, lastMessageAt } = thread;
  const parent = place.messages.get(thread.parentMessageId);
  if (parent) parent.thread = { id, name, messageCount, lastMessageAt };
}

function quoteAsGone(place: Place, id: string): void {
  for (const reply of place.messages.values()) {
    if (reply.replyToId === id) Object.assign(reply.replyTo, { content: '', deleted: true });
  }
}

function onThread(place: Place, event: string, record: Loose): void {
  if (event !== 'thread:deleted') {
    place.threads.set(record.id, record);
    summarise(place, record);
    return;
  }
  place.threads.delete(record.id);
  const parent = place.messages.get(record.parentMessageId);
  if (parent) parent.thread = null;
  for (const message of [...place.messages.values()]) {
    if (message.threadId !== record.id) continue;
    place.messages.delete(message.id);
    place.pins = place.pins.filter((id) => id !== message.id);
    quoteAsGone(place, message.id);
  }
}
