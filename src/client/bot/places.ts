import type { Message } from '../index.ts';
import type { Parley } from '../parley.ts';
import type { KeyValueStore } from '../store.ts';
import { untilAnswered } from './patience.ts';
import { Progress } from './progress.ts';

interface PlaceHandlers {
  /** A message has come; `progress` is to be told when it is dealt with. */
  message(message: Message, progress: Progress): void;
  /** Events of a channel were lost for good. */
  missed(channelId: string): void;
}

/** The channels of a bot: all that it is in, direct messages among them, each from where the bot left it. */
export class Places {
  /** Of the bot's own room. */
  readonly own: Progress;
  private readonly parley: Parley;
  private readonly store: KeyValueStore;
  private readonly keyPrefix: string;
  private readonly handlers: PlaceHandlers;
  private readonly channels = new Map<string, Progress>();
  private readonly listening: (() => void)[] = [];

  constructor(parley: Parley, store: KeyValueStore, userId: string, handlers: PlaceHandlers) {
    this.parley = parley;
    this.store = store;
    this.keyPrefix = `parley:position:${userId}:`;
    this.handlers = handlers;
    this.own = new Progress(store, `${this.keyPrefix}own`);
  }

  /** From now on: follows each channel that the bot is told of. What was missed of a new one begins where the bot was added. */
  listen(): void {
    const { parley } = this;
    this.listening.push(
      parley.on('channel:member-added', ({ channelId, channel }) => this.open(channelId, channel.lastSeq)),
      parley.on('dm:created', ({ id, since }) => this.open(id, since)),
      parley.on('channel:member-removed', ({ channelId }) => this.forget(channelId)),
      // The first message of a new conversation comes without opening it, and once more with what it is opened with.
      parley.on('message:new', ({ channelId, seq }) => this.open(channelId, seq - 1)),
      parley.on('state', ({ status }) => {
        if (status === 'live') this.note();
      }),
    );
  }

  /** Follows all the others: without a socket nothing tells of them. @throws ParleyError when the server refuses the bot */
  async enter(agentId: string): Promise<void> {
    const { parley } = this;
    const config = await untilAnswered(() => parley.rest('GET /api/agents/:id/config', { id: agentId }));
    const directs = await untilAnswered(() => parley.rest('GET /api/dm/channels'));
    // It may have been stopped meanwhile.
    if (this.listening.length === 0) return;
    for (const { id } of [...config.servers.flatMap(({ channels }) => channels), ...directs]) this.open(id);
  }

  leave(): void {
    for (const stop of this.listening.splice(0)) stop();
    for (const channelId of this.channels.keys()) this.parley.channel(channelId).close();
    this.channels.clear();
  }

  /** @param unknown where to begin in a channel that the bot was never in */
  private open(channelId: string, unknown?: number): void {
    const channel = this.parley.channel(channelId);
    const progress = this.channels.get(channelId) ?? this.follow(channelId);
    // Kept before the own room's position is: where that says nothing of it any more, it would begin where its log is then.
    if (progress.position === undefined && unknown !== undefined) progress.reach(unknown);
    channel.open(progress.position);
  }

  private follow(channelId: string): Progress {
    const progress = new Progress(this.store, this.keyPrefix + channelId);
    const channel = this.parley.channel(channelId);
    this.channels.set(channelId, progress);
    this.listening.push(
      channel.listen('message:new', (message) => {
        progress.begin(message.seq);
        this.handlers.message(message, progress);
      }),
      channel.listen('reload', () => this.handlers.missed(channelId)),
    );
    return progress;
  }

  /** What is said while the bot is not in a channel is none of its business when it is there again. */
  private forget(channelId: string): void {
    this.parley.channel(channelId).close();
    this.channels.get(channelId)?.forget();
  }

  /** Keeps where each room is now: a bot that is stopped before its first message there must not miss it. */
  private note(): void {
    if (this.parley.position !== undefined) this.own.reach(this.parley.position);
    for (const [channelId, progress] of this.channels) {
      const { position } = this.parley.channel(channelId);
      if (position !== undefined) progress.reach(position);
    }
  }
}
