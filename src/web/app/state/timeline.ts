import { signal } from '@preact/signals';
import { type Message, ParleyError, type Pending } from '../../../client/index.ts';
import { parley, sentence } from './client.ts';
import { follow } from './unread.ts';

export interface Failed {
  pending: Pending;
  error: ParleyError;
}

const pageSize = 50;
/** More than this is not kept in the page; what scrolls far away is let go and fetched again. */
const mostKept = 400;

/**
 * The messages of a channel around the place that is looked at, oldest first. It listens before it reads the list, so
 * nothing falls between; what comes meanwhile is laid over what was read, which does no harm when it is there already.
 */
export class Timeline {
  readonly channelId: string;
  readonly messages = signal<readonly Message[]>([]);
  readonly pending = signal<readonly Pending[]>([]);
  readonly failed = signal<readonly Failed[]>([]);
  readonly hasOlder = signal(false);
  /** Whether there are newer messages that are not shown, since an older place is looked at. */
  readonly hasNewer = signal(false);
  readonly loaded = signal(false);
  readonly error = signal<string | null>(null);
  /** Set when the channel is none of ours (any more). */
  readonly gone = signal(false);
  private listening = false;
  private loading: Promise<void> | null = null;
  private meanwhile: (() => void)[] = [];

  constructor(channelId: string) {
    this.channelId = channelId;
    const channel = parley.channel(channelId);
    this.pending.value = channel.pending;
    channel.onSignal('pending', (pending) => {
      this.pending.value = pending;
    });
    channel.onSignal('failed', (failed) => {
      this.failed.value = [...this.failed.value, failed];
    });
  }

  async showNewest(): Promise<void> {
    await this.loading;
    return this.load(async () => {
      const page = await this.read({ limit: pageSize });
      this.set(page.messages.toReversed(), page.hasMore, false);
    });
  }

  async showAround(messageId: string): Promise<void> {
    await this.loading;
    return this.load(async () => {
      const page = await this.read({ around: messageId, limit: pageSize });
      this.set(page.messages.toReversed(), page.hasMore, page.hasNewer ?? false);
    });
  }

  loadOlder(): Promise<void> {
    const [first] = this.messages.value;
    if (!first || !this.hasOlder.value) return Promise.resolve();
    return this.load(async () => {
      const page = await this.read({ cursor: first.id, limit: pageSize });
      const all = [...page.messages.toReversed(), ...this.messages.value];
      this.set(all.slice(0, mostKept), page.hasMore, this.hasNewer.value || all.length > mostKept);
    });
  }

  loadNewer(): Promise<void> {
    const last = this.messages.value.at(-1);
    if (!last || !this.hasNewer.value) return Promise.resolve();
    return this.load(async () => {
      const page = await this.read({ after: last.id, limit: pageSize });
      const all = [...this.messages.value, ...page.messages];
      this.set(all.slice(-mostKept), this.hasOlder.value || all.length > mostKept, page.hasMore);
    });
  }

  /** Puts a refused message aside. */
  dismiss(failed: Failed): void {
    this.failed.value = this.failed.value.filter((other) => other !== failed);
  }

  /** Lays a change over the list, once the list is there. */
  apply(change: () => void): void {
    if (this.loading) this.meanwhile.push(change);
    else change();
  }

  replace(message: Message): void {
    const known = this.messages.value.find(({ id }) => id === message.id);
    if (known) this.messages.value = this.messages.value.map((old) => (old === known ? { ...old, ...message } : old));
  }

  private put(message: Message): void {
    if (message.threadId) return;
    const last = this.messages.value.at(-1);
    if (this.messages.value.some(({ id }) => id === message.id)) this.replace(message);
    else if (!this.hasNewer.value && message.seq > (last?.seq ?? 0)) {
      this.messages.value = [...this.messages.value, message];
    }
  }

  private remove(messageId: string): void {
    this.messages.value = this.messages.value
      .filter(({ id }) => id !== messageId)
      .map((message) =>
        message.replyTo?.id === messageId
          ? { ...message, replyTo: { ...message.replyTo, content: '', deleted: true } }
          : message,
      );
  }

  private read(query: { limit: number; cursor?: string; after?: string; around?: string }) {
    return parley.rest('GET /api/channels/:channelId/messages', { channelId: this.channelId, query });
  }

  private set(messages: Message[], hasOlder: boolean, hasNewer: boolean): void {
    this.messages.value = messages;
    this.hasOlder.value = hasOlder;
    this.hasNewer.value = hasNewer;
    this.loaded.value = true;
  }

  /** Follows the channel, from a position that is no later than the lists that are read afterwards. */
  private async listen(): Promise<void> {
    if (this.listening) return;
    const channel = parley.channel(this.channelId);
    if (!channel.isOpen) follow(await parley.rest('GET /api/channels/:id', { id: this.channelId }));
    if (this.listening) return;
    this.listening = true;
    channel.on('message:new', (message) => this.apply(() => this.put(message)));
    channel.on('message:updated', (message) => this.apply(() => this.replace(message)));
    channel.on('message:deleted', ({ id }) => this.apply(() => this.remove(id)));
    channel.on('reload', () => void this.showNewest());
    channel.on('closed', () => {
      this.gone.value = true;
    });
  }

  /** One read at a time; a failure is shown and can be tried again. */
  private load(work: () => Promise<void>): Promise<void> {
    this.loading ??= this.listen()
      .then(work)
      .then(
        () => {
          this.error.value = null;
        },
        (error) => {
          this.gone.value = error instanceof ParleyError && error.status === 404;
          this.error.value = sentence(error);
        },
      )
      .finally(() => {
        this.loading = null;
        for (const change of this.meanwhile.splice(0)) change();
      });
    return this.loading;
  }
}

const timelines = new Map<string, Timeline>();

/** The timeline of a channel, always the same object. */
export function timelineOf(channelId: string): Timeline {
  const known = timelines.get(channelId);
  if (known) return known;
  const timeline = new Timeline(channelId);
  timelines.set(channelId, timeline);
  return timeline;
}
