import { batch, computed, signal } from '@preact/signals';
import { type Message, ParleyError } from '../../../client/index.ts';
import { quoteOf } from '../../../contract/quote.ts';
import { Burst, gatherMs } from './burst.ts';
import { asKnown, type Page, type PageQuery, readPage } from './pages.ts';
import { withStand } from './polls.ts';
import { Sending } from './sending.ts';
import type { TimelineDeps, Timelines } from './timelines.ts';
import { errorText } from './toasts.ts';

const pageSize = 50;
/** The length of the excerpt in a reply. */
const quoteLength = 200;
/** How many are kept in the page; those scrolled far away are dropped and fetched again. */
const maxKept = 400;

/**
 * The messages of a channel around the current position, oldest first. It listens before it reads, so nothing is missed;
 * events in between are applied to the result, which is harmless for those already in it.
 */
export class Timeline {
  readonly channelId: string;
  /** Null: the channel itself, without the messages in its threads. */
  readonly threadId: string | null;
  readonly messages = signal<readonly Message[]>([]);
  /** The names of visible messages' authors, by id. */
  readonly authors = computed(() => new Map(this.messages.value.map(({ author }) => [author.id, author.displayName])));
  readonly hasOlder = signal(false);
  /** Whether there are newer messages that are not shown, since an older position is. */
  readonly hasNewer = signal(false);
  /** Number of the newest message received, shown or not. */
  readonly newest = signal(0);
  readonly sending: Sending;
  readonly loaded = signal(false);
  readonly error = signal<string | null>(null);
  /** Set when the channel is not accessible (any more), or the thread was deleted. */
  readonly gone = signal(false);
  private readonly deps: TimelineDeps;
  private readonly timelines: Pick<Timelines, 'open' | 'lose' | 'loseThread'>;
  private listening = false;
  private loading: Promise<void> | null = null;
  private meanwhile: (() => void)[] = [];
  private readonly arrivals: Burst<Message>;

  constructor(
    channelId: string,
    threadId: string | null,
    deps: TimelineDeps,
    timelines: Pick<Timelines, 'open' | 'lose' | 'loseThread'>,
  ) {
    this.channelId = channelId;
    this.threadId = threadId;
    this.deps = deps;
    this.timelines = timelines;
    this.sending = new Sending(deps.client, deps.refusals, this);
    this.arrivals = new Burst(deps.scope, gatherMs, (all) => {
      this.inTurn(() => {
        for (const message of all) this.put(message);
      });
    });
  }

  /** Identifies the channel or thread in stores. */
  get key(): string {
    return this.threadId ?? this.channelId;
  }

  async showNewest(): Promise<void> {
    await this.loading;
    const channel = this.deps.client.channel(this.channelId);
    const show = ({ messages, hasMore }: Page) => this.set(messages.toReversed(), hasMore, false);
    const read = () => this.read({ limit: pageSize });
    // Shown at once, and read again if something came before the channel was open, which no event tells of.
    const early = channel.isOpen ? null : read().catch(() => null);
    return this.load(async () => {
      const page = await early;
      if (page) show(page);
      if (!page || (page.messages[0]?.seq ?? 0) < (channel.position ?? 0)) show(await read());
    });
  }

  async showAround(messageId: string): Promise<void> {
    await this.loading;
    return this.load(async () => {
      // Of a message that is gone the conversation is still there.
      const orNewest = (error: unknown) => {
        if (error instanceof ParleyError && error.code === 'MESSAGE_NOT_FOUND') return this.read({ limit: pageSize });
        throw error;
      };
      const page = await this.read({ around: messageId, limit: pageSize }).catch(orNewest);
      this.set(page.messages.toReversed(), page.hasMore, page.hasNewer ?? false);
    });
  }

  loadOlder(): Promise<void> {
    const [first] = this.messages.value;
    if (!first || !this.hasOlder.value) return Promise.resolve();
    return this.load(async () => {
      const page = await this.read({ cursor: first.id, limit: pageSize });
      const all = [...page.messages.toReversed(), ...this.messages.value];
      this.set(all.slice(0, maxKept), page.hasMore, this.hasNewer.value || all.length > maxKept);
    });
  }

  loadNewer(): Promise<void> {
    const last = this.messages.value.at(-1);
    if (!last || !this.hasNewer.value) return Promise.resolve();
    return this.load(async () => {
      const page = await this.read({ after: last.id, limit: pageSize });
      const all = [...this.messages.value, ...page.messages];
      this.set(all.slice(-maxKept), this.hasOlder.value || all.length > maxKept, page.hasMore);
    });
  }

  /** Applies a change to the list, once that is loaded, and after what came before. */
  apply(change: () => void): void {
    this.arrivals.flush();
    this.inTurn(change);
  }

  private inTurn(change: () => void): void {
    if (this.loading) this.meanwhile.push(change);
    else batch(change);
  }

  /** What the user writes, and what they watched being written, is not kept waiting. */
  private arrive(message: Message): void {
    const isAwaited = message.authorId === this.deps.me.peek()?.id || this.deps.replies.wasWatched(message.id);
    this.arrivals.add(message);
    if (isAwaited) this.arrivals.flush();
  }

  replace(message: Message): void {
    this.change(message.id, () => message);
  }

  private edit(message: Message): void {
    this.replace(message);
    this.quote(message.id, { content: quoteOf(message.content, quoteLength), deleted: false });
  }

  /** A user has another name or picture. */
  rename(author: Message['author']): void {
    if (!this.messages.value.some(({ authorId }) => authorId === author.id)) return;
    this.messages.value = this.messages.value.map((old) => (old.authorId === author.id ? { ...old, author } : old));
  }

  /** Changes one message, if it is shown. */
  change(messageId: string, what: (message: Message) => Partial<Message>): void {
    if (!this.messages.value.some(({ id }) => id === messageId)) return;
    this.messages.value = this.messages.value.map((old) => (old.id === messageId ? { ...old, ...what(old) } : old));
  }

  private put(message: Message): void {
    const last = this.messages.value.at(-1);
    if (message.threadId === this.threadId) this.newest.value = Math.max(this.newest.value, message.seq);
    if (message.threadId !== this.threadId) this.countInThread(message.threadId, 1, message.createdAt);
    else if (this.messages.value.some(({ id }) => id === message.id)) this.replace(message);
    else if (!this.hasNewer.value && !message.isDeleted && message.seq > (last?.seq ?? 0)) this.append(message);
  }

  /** Drops messages far from the current position: the oldest or the newest, which are fetched again on the way there. */
  private append(message: Message): void {
    const all = [...this.messages.value, message];
    if (all.length > maxKept && this.isReadBefore(all.length / 2)) {
      this.hasNewer.value = true;
      return;
    }
    if (all.length > maxKept) this.hasOlder.value = true;
    this.messages.value = all.slice(-maxKept);
  }

  /** Whether the current position is before a place in the list. */
  private isReadBefore(at: number): boolean {
    const anchor = this.deps.anchors.of(this.key);
    const seen = anchor ? this.messages.value.findIndex(({ id }) => id === anchor.messageId) : -1;
    return seen >= 0 && seen < at;
  }

  private countInThread(threadId: string | null, step: number, at?: string): void {
    const parent = this.messages.value.find(({ thread }) => thread && thread.id === threadId);
    if (!parent?.thread) return;
    const { thread } = parent;
    // A message that is in the list already was counted there.
    if (at && thread.lastMessageAt && at <= thread.lastMessageAt) return;
    const messageCount = Math.max(0, thread.messageCount + step);
    this.change(parent.id, () => ({ thread: { ...thread, messageCount, lastMessageAt: at ?? thread.lastMessageAt } }));
  }

  private remove(messageId: string, threadId: string | null): void {
    if (threadId !== this.threadId) this.countInThread(threadId, -1);
    const gone = this.messages.value.find(({ id }) => id === messageId);
    this.messages.value = this.messages.value.filter((message) => message !== gone);
    this.quote(messageId, { content: '', deleted: true });
    const { drafts, texts, toasts } = this.deps;
    if (drafts.rescueEdit(gone, this.key)) {
      toasts.show(texts.peek().t('The message was deleted. What you changed is in the message field.'));
    }
    drafts.endEditing(messageId);
  }

  /** Threads ended with their last messages. */
  private end(threadIds: readonly string[]): void {
    if (this.threadId !== null && threadIds.includes(this.threadId)) this.gone.value = true;
    if (this.threadId === null) for (const id of threadIds) this.timelines.loseThread(id, this.channelId);
  }

  /** Messages that were older than they are kept are gone. */
  private expire(beforeSeq: number): void {
    const gone = this.messages.value.filter(({ seq }) => seq < beforeSeq);
    if (gone.length === 0) return;
    const edited = gone.find(({ id }) => id === this.deps.drafts.editing.peek());
    if (edited) this.remove(edited.id, edited.threadId);
    const ids = new Set(gone.map(({ id }) => id));
    const without = (replyTo: Message['replyTo']) =>
      replyTo && ids.has(replyTo.id) ? { ...replyTo, content: '', deleted: true } : replyTo;
    this.messages.value = this.messages.value
      .filter(({ id }) => !ids.has(id))
      .map((message) => ({ ...message, replyTo: without(message.replyTo) }));
    this.hasOlder.value = false;
    if (this.messages.value.length === 0 && this.hasNewer.value) void this.showNewest();
  }

  /** The excerpt of a message in replies. */
  private quote(messageId: string, quoted: { content: string; deleted: boolean }): void {
    if (!this.messages.value.some(({ replyTo }) => replyTo?.id === messageId)) return;
    this.messages.value = this.messages.value.map((message) =>
      message.replyTo?.id === messageId ? { ...message, replyTo: { ...message.replyTo, ...quoted } } : message,
    );
  }

  private read(query: PageQuery): Promise<Page> {
    return readPage(this.deps.client, this, query);
  }

  private set(messages: Message[], hasOlder: boolean, hasNewer: boolean): void {
    this.messages.value = asKnown(this.messages.peek(), messages);
    this.newest.value = Math.max(this.newest.value, messages.at(-1)?.seq ?? 0);
    this.hasOlder.value = hasOlder;
    this.hasNewer.value = hasNewer;
    this.loaded.value = true;
  }

  private async listen(): Promise<void> {
    const channel = this.deps.client.channel(this.channelId);
    await this.timelines.open(this.channelId);
    if (this.listening) return;
    this.listening = true;
    channel.on('message:new', (message) => this.arrive(message));
    channel.on('message:updated', (message) => this.apply(() => this.edit(message)));
    channel.on('message:deleted', (gone) => this.apply(() => this.remove(gone.id, gone.threadId)));
    channel.on('messages:expired', ({ beforeSeq, threadIds }) => {
      this.end(threadIds);
      this.apply(() => this.expire(beforeSeq));
    });
    channel.on('message:pinned', (message) => this.apply(() => this.replace(message)));
    channel.on('message:unpinned', (message) => this.apply(() => this.replace(message)));
    channel.on('reaction:updated', ({ messageId, reactions }) =>
      this.apply(() => this.change(messageId, () => ({ reactions }))),
    );
    channel.on('poll:updated', (stand) =>
      this.apply(() => this.change(stand.messageId, ({ poll }) => withStand(poll, stand))),
    );
    channel.on('thread:created', (thread) => this.apply(() => this.change(thread.parentMessageId, () => ({ thread }))));
    channel.on('thread:updated', (thread) => this.apply(() => this.change(thread.parentMessageId, () => ({ thread }))));
    channel.on('thread:deleted', ({ id, parentMessageId }) => {
      if (id === this.threadId) this.gone.value = true;
      if (this.threadId === null) this.timelines.loseThread(id, this.channelId);
      this.apply(() => this.change(parentMessageId, () => ({ thread: null })));
    });
    channel.on('reload', () => void this.showNewest());
    channel.on('closed', () => this.timelines.lose(this.channelId));
    channel.on('channel:deleted', () => this.timelines.lose(this.channelId));
  }

  /** One read at a time; a failure is shown and can be retried. */
  private load(work: () => Promise<void>): Promise<void> {
    this.loading ??= this.listen()
      .then(work)
      .then(
        () => {
          this.error.value = null;
          this.gone.value = false;
        },
        (error) => {
          this.gone.value = error instanceof ParleyError && (error.status === 404 || error.code === 'NOT_A_MEMBER');
          this.error.value = errorText(error, this.deps.texts.peek());
          if (!this.loaded.value && error instanceof ParleyError && error.isPassing) {
            this.deps.connection.whenReachable(() => void this.load(work));
          }
        },
      )
      .finally(() => {
        this.loading = null;
        for (const change of this.meanwhile.splice(0)) change();
      });
    return this.loading;
  }
}
