import { signal } from '@preact/signals';
import type { ChannelEventMap, Message, RestAnswer } from '../../../client/index.ts';
import { LatestAnswer } from './latest-answer.ts';
import { ReadPositions } from './read-positions.ts';
import type { Core } from './session.ts';

export type ThreadState = RestAnswer<'GET /api/threads/:id/state'>;
export type FollowedThread = RestAnswer<'GET /api/threads'>['threads'][number];
type Unread = RestAnswer<'POST /api/messages/:id/unread'>;

/** The inbox is read again within this time after something changed that it does not show. */
const reloadWithinMs = 800;
const pageSize = 30;
/** The server counts up to there, too. */
const mostCounted = 100;

/** The threads that the user follows, and the replies that are unread, also in others. */
export class Follows {
  /** Of the threads that are known, by their ids. */
  readonly states = signal<ReadonlyMap<string, ThreadState>>(new Map());
  /** The threads that the user follows, unread ones first. */
  readonly inbox = signal<readonly FollowedThread[]>([]);
  readonly loaded = signal(false);
  /** How many of all that the user follows have unread replies. */
  readonly unreadCount = signal(0);
  /** Leads to more of the inbox; null: there is none. */
  readonly cursor = signal<string | null>(null);
  /** Channels with unread replies that the server has counted, until their threads are known. */
  private readonly counted = signal<ReadonlySet<string>>(new Set());
  private readonly core: Core;
  private readonly latest = new LatestAnswer();
  /** Threads with replies that the user marked as unread: looking at them does not read them, until the user leaves. */
  private readonly held = new Set<string>();
  /** The thread at the address, once its read position was sent: what notified of it before is settled by that. */
  private settled: string | null = null;
  /** How far the user has read, as the server knows it. */
  private readonly published: ReadPositions;
  private willReload = false;

  constructor(core: Core) {
    this.core = core;
    const { client } = core;
    this.published = new ReadPositions(core, async (id, body) => {
      const state = await client.rest('PUT /api/threads/:id/read', { id, body });
      if (state.lastReadSeq < body.seq) {
        this.hold(id);
        this.learn(state);
      }
      return state;
    });
    client.on('thread:state', ({ eventSeq: _, back, ...state }) => {
      if (back) this.hold(state.threadId);
      this.learn(state);
    });
    // DMs arrive without being followed.
    client.on('message:new', (message) => this.count(message));
    client.on('message:deleted', (gone) => this.discount(gone));
    client.on('server:left', ({ serverId }) => this.forget((state) => state.serverId === serverId));
    client.on('server:deleted', ({ serverId }) => this.forget((state) => state.serverId === serverId));
    client.on('channel:member-removed', ({ channelId }) => this.forget((state) => state.channelId === channelId));
    core.scope.add(
      core.route.subscribe((here) => {
        const threadId = 'threadId' in here ? here.threadId : null;
        if (this.settled !== threadId) this.settled = null;
        for (const id of this.held) if (id !== threadId) this.held.delete(id);
      }),
    );
  }

  /** Reads the inbox from its beginning. @param keep what was loaded of it beyond that */
  async load(keep = false): Promise<void> {
    await this.latest.read(
      () => this.core.client.rest('GET /api/threads', { query: { limit: pageSize } }),
      ({ threads, unreadThreads, cursor }) => {
        const more = keep && this.inbox.peek().length > pageSize ? this.listedBut(threads) : [];
        this.inbox.value = [...threads, ...more];
        this.unreadCount.value = unreadThreads;
        if (more.length === 0) this.cursor.value = cursor;
        this.loaded.value = true;
        this.learnAll(threads.map(stateOf));
      },
    );
  }

  async loadMore(): Promise<void> {
    const cursor = this.cursor.peek();
    if (cursor === null) return;
    const page = await this.core.client.rest('GET /api/threads', { query: { limit: pageSize, cursor } });
    const known = new Set(this.inbox.peek().map(({ threadId }) => threadId));
    this.inbox.value = [...this.inbox.peek(), ...page.threads.filter(({ threadId }) => !known.has(threadId))];
    this.cursor.value = page.cursor;
    this.learnAll(page.threads.map(stateOf));
  }

  /** Reads which threads of a channel have unread replies, as it is opened. */
  async loadChannel(channelId: string): Promise<void> {
    const found = await this.core.client.rest('GET /api/channels/:channelId/threads/unread', { channelId });
    this.setCounted(channelId, false);
    this.learnAll(found.map(({ parentMessageId: _, ...state }) => state));
  }

  /** Reads where the user stands in a thread. */
  async loadThread(id: string): Promise<void> {
    this.learn(await this.core.client.rest('GET /api/threads/:id/state', { id }));
  }

  /** Counts replies of a channel while nobody looks at them. */
  follow(channelId: string): void {
    const live = this.core.client.channel(channelId);
    live.listen('message:new', (message) => this.count(message));
    live.listen('message:deleted', (gone) => this.discount(gone));
    live.listen('thread:deleted', ({ id }) => this.forget(({ threadId }) => threadId === id));
    live.listen('messages:expired', ({ threadIds }) => this.forget(({ threadId }) => threadIds.includes(threadId)));
  }

  of(threadId: string): ThreadState | undefined {
    return this.states.value.get(threadId);
  }

  /** How many replies of a thread are unread; 0 for one that is muted. */
  unreadIn(threadId: string): number {
    return unreadOf(this.states.value.get(threadId));
  }

  /** Whether a channel has unread replies. */
  isUnread(channelId: string): boolean {
    if (this.counted.value.has(channelId)) return true;
    return [...this.states.value.values()].some((state) => state.channelId === channelId && unreadOf(state) > 0);
  }

  /** The user has read a channel up to there: its marks were seen, but those of threads that they follow stay. */
  channelRead(channelId: string, seq: number): void {
    this.setCounted(channelId, false);
    const seen = [...this.states.peek().values()].filter(
      (state) =>
        state.channelId === channelId &&
        state.state === 'none' &&
        state.lastSeq <= seq &&
        !this.held.has(state.threadId),
    );
    const unread = seen.filter(({ unreadCount }) => unreadCount > 0);
    if (unread.length > 0) this.put(unread.map((state) => ({ ...state, lastReadSeq: seq, unreadCount: 0 })));
  }

  /** The user has read a thread up to there. */
  markRead(threadId: string, seq: number): void {
    const state = this.states.peek().get(threadId);
    if (this.held.has(threadId) || !state) return;
    if (seq <= state.lastReadSeq && state.unreadCount === 0 && this.settled === threadId) return;
    this.settled = threadId;
    const lastReadSeq = Math.max(seq, state.lastReadSeq);
    this.report({ ...state, lastReadSeq, unreadCount: 0 });
    this.published.put(threadId, lastReadSeq);
  }

  async setFollowing(id: string, following: boolean): Promise<void> {
    const { client } = this.core;
    this.learn(
      following
        ? await client.rest('PUT /api/threads/:id/follow', { id, body: {} })
        : await client.rest('DELETE /api/threads/:id/follow', { id }),
    );
  }

  async mute(id: string): Promise<void> {
    this.learn(await this.core.client.rest('PUT /api/threads/:id/follow', { id, body: { muted: true } }));
  }

  /** The user has read all threads that they follow. */
  async markAllRead(): Promise<void> {
    await this.core.client.rest('POST /api/threads/read-all');
    this.held.clear();
    await this.load();
  }

  /** Marks a reply and all after it as unread. */
  async markUnread(messageId: string): Promise<Unread> {
    const unread = await this.core.client.rest('POST /api/messages/:id/unread', { id: messageId });
    if (unread.threadId) {
      this.hold(unread.threadId);
      await this.loadThread(unread.threadId);
    }
    return unread;
  }

  private hold(threadId: string): void {
    // A device that shows it later reads it then.
    if (this.isAt(threadId)) this.held.add(threadId);
    this.published.cancel(threadId);
  }

  private isAt(threadId: string): boolean {
    const here = this.core.route.value;
    return 'threadId' in here && here.threadId === threadId;
  }

  private count({ authorId, threadId, channelId, seq, createdAt }: Message): void {
    if (!threadId || authorId === this.core.me.peek()?.id) return;
    const known = this.states.peek().get(threadId);
    if (known && seq <= known.lastSeq) return;
    const isSeen = this.isAt(threadId) && this.core.surroundings.attention.isHere() && !this.held.has(threadId);
    const unreadCount = isSeen ? 0 : Math.min(mostCounted, (known?.unreadCount ?? 0) + 1);
    const fresh = { threadId, channelId, serverId: null, state: 'none' as const, lastReadSeq: seq - 1 };
    this.report({ ...fresh, ...known, lastSeq: seq, unreadCount, lastMessageAt: createdAt });
  }

  private discount({ seq, threadId, authorId }: ChannelEventMap['message:deleted']): void {
    const known = threadId ? this.states.peek().get(threadId) : undefined;
    if (!known || !authorId || authorId === this.core.me.peek()?.id) return;
    if (seq <= known.lastReadSeq || known.unreadCount === 0) return;
    this.report({ ...known, unreadCount: known.unreadCount - 1 });
  }

  /** Takes in what the server says of a thread. */
  private learn(state: ThreadState): void {
    this.published.report(state.threadId, state.lastReadSeq);
    this.report(state);
  }

  private learnAll(states: readonly ThreadState[]): void {
    for (const { threadId, lastReadSeq } of states) this.published.report(threadId, lastReadSeq);
    this.put(states);
  }

  /** Takes in what is known of a thread by now. */
  private report(state: ThreadState): void {
    const before = this.states.peek().get(state.threadId);
    this.put([state]);
    const listed = this.inbox.peek();
    const isListed = listed.some(({ threadId }) => threadId === state.threadId);
    if (state.state !== 'following' && !isListed) return;
    this.latest.changed();
    if (before?.state !== 'following' || state.state !== 'following') return void this.reloadSoon();
    const step = Number(state.unreadCount > 0) - Number(before.unreadCount > 0);
    this.unreadCount.value = Math.max(0, this.unreadCount.peek() + step);
    const changed = (one: FollowedThread) => ({ ...one, ...state, serverId: one.serverId });
    this.inbox.value = listed.map((one) => (one.threadId === state.threadId ? changed(one) : one)).sort(inOrder);
    // Elsewhere the count is enough: the inbox is read as it is opened.
    const isStale = !isListed || state.lastSeq !== before.lastSeq;
    if (isStale && this.core.route.peek().name === 'threads') this.reloadSoon();
  }

  /** What the user follows still, of what is listed. */
  private listedBut(others: readonly FollowedThread[]): readonly FollowedThread[] {
    const shown = new Set(others.map(({ threadId }) => threadId));
    const states = this.states.peek();
    return this.inbox.peek().filter(({ threadId: id }) => !shown.has(id) && states.get(id)?.state === 'following');
  }

  /** All who follow a thread hear of a reply at once: they do not all ask at once. */
  private reloadSoon(): void {
    if (!this.loaded.peek() || this.willReload) return;
    this.willReload = true;
    this.core.scope.after(reloadWithinMs * (0.5 + Math.random() / 2), () => {
      this.willReload = false;
      void this.load(true).catch(() => {});
    });
  }

  private forget(isGone: (state: ThreadState) => boolean): void {
    const gone = [...this.states.peek().values()].filter(isGone);
    if (gone.length === 0) return;
    this.states.value = new Map([...this.states.peek()].filter(([, state]) => !isGone(state)));
    if (gone.some(({ state }) => state === 'following')) this.reloadSoon();
  }

  private put(states: readonly ThreadState[]): void {
    if (states.length === 0) return;
    const all = new Map(this.states.peek());
    for (const state of states) all.set(state.threadId, state);
    this.states.value = all;
  }

  /** Notes whether a channel has unread replies, as the server has counted. */
  setCounted(channelId: string, isUnread: boolean): void {
    if (this.counted.peek().has(channelId) === isUnread) return;
    const others = new Set(this.counted.peek());
    if (isUnread) others.add(channelId);
    else others.delete(channelId);
    this.counted.value = others;
  }
}

function unreadOf(state: ThreadState | undefined): number {
  return !state || state.state === 'muted' ? 0 : state.unreadCount;
}

/** Only what is of the thread's state. */
function stateOf({ thread: _, channelName: __, lastReply: ___, ...state }: FollowedThread): ThreadState {
  return state;
}

/** Unread ones first, then by the last reply. */
function inOrder(one: FollowedThread, other: FollowedThread): number {
  const unread = Number(other.unreadCount > 0) - Number(one.unreadCount > 0);
  return unread || timeOf(other).localeCompare(timeOf(one));
}

const timeOf = ({ lastMessageAt, thread }: FollowedThread): string => lastMessageAt ?? thread.createdAt;
