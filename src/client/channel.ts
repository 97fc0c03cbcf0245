import type { z } from 'zod';
import type { streamSchema } from '../contract/stream.ts';
import type { Connection } from './connection.ts';
import { Emitter } from './emitter.ts';
import type { ParleyError } from './errors.ts';
import type { ChannelEvents } from './events.ts';
import { Feed } from './feed.ts';
import type { Message } from './index.ts';
import type { MessageInput, Pending } from './outbox.ts';

/** A channel's events besides the server's. */
export interface ChannelSignals {
  /** Events were missed that the log no longer has: reread the messages. Later events continue from there. */
  reload: null;
  /** The server does not serve this channel (any more). */
  closed: ParleyError;
  /** The list of unsent messages has changed. */
  pending: readonly Pending[];
  /** A message was acknowledged; its `message:new` may still follow. */
  sent: { pending: Pending; message: Message };
}

/** A piece of a reply in progress; only bots may send these. */
export type StreamPiece = Omit<z.input<typeof streamSchema>, 'channelId'>;

export type ChannelEventMap = ChannelEvents & ChannelSignals;

/** What a channel needs of its client. */
export interface ChannelParts {
  connection: Connection;
  send(channelId: string, input: MessageInput, nonce?: string): Promise<Message>;
  pending(channelId: string): readonly Pending[];
  /** Over HTTP. */
  stream(channelId: string, piece: StreamPiece): Promise<Message | undefined>;
}

/** A channel: its events in order and without gaps, and a way to write to it. */
export class Channel {
  readonly id: string;
  private readonly parts: ChannelParts;
  private readonly emitter = new Emitter<ChannelEventMap>();
  private feed: Feed & { channelId: string };
  private opened = false;
  /** User → activity. */
  private doing = new Map<string, string>();

  constructor(id: string, parts: ChannelParts) {
    this.id = id;
    this.parts = parts;
    this.feed = this.newFeed();
    // A snapshot names everyone who has one: it omits those that ended during an absence. Older nodes name none.
    this.emitter.on('presence:snapshot', ({ activities = [] }) => {
      this.doing = new Map(activities.map(({ userId, activity }) => [userId, activity]));
    });
    this.emitter.on('presence:activity', ({ userId, activity }) => {
      if (activity === null) this.doing.delete(userId);
      else this.doing.set(userId, activity);
    });
  }

  /** Adds a listener, and opens the channel. @returns a function that removes it */
  on<E extends keyof ChannelEventMap>(event: E, listener: (data: ChannelEventMap[E]) => void): () => void {
    this.open();
    return this.listen(event, listener);
  }

  /** Like `on`, but without opening the channel. */
  listen<E extends keyof ChannelEventMap>(event: E, listener: (data: ChannelEventMap[E]) => void): () => void {
    return this.emitter.on(event, listener);
  }

  /**
   * Follows the channel from now on, over all future connections.
   * @param after number of the last known event (`lastSeq` of a channel, `seq` of a message)
   */
  open(after?: number): void {
    if (this.opened) return;
    this.opened = true;
    // Nothing requested before it was closed is for this one.
    this.feed = this.newFeed();
    this.feed.position = after;
    this.parts.connection.add(this.feed);
  }

  /** Closes it; later events are not emitted. Messages in the outbox are sent all the same. */
  close(): void {
    this.opened = false;
    this.feed.live = false;
    this.doing.clear();
    this.parts.connection.remove(this.feed);
  }

  get isOpen(): boolean {
    return this.opened;
  }

  /** Whether all events arrive live. */
  get live(): boolean {
    return this.feed.live;
  }

  /** What others are doing here, by user; `presence:activity` and `presence:snapshot` report changes. */
  get activities(): ReadonlyMap<string, string> {
    return this.doing;
  }

  /** Number of the last event received. */
  get position(): number | undefined {
    return this.feed.position;
  }

  /**
   * Sends a message exactly once, in order with the others, now or as soon as there is a connection.
   * @param options a `nonce` of the caller's own: for a day, another message with it is the same one
   * @returns the message as stored. @throws ParleyError when the server refuses it
   */
  send(message: string | MessageInput, options: { nonce?: string } = {}): Promise<Message> {
    return this.parts.send(this.id, typeof message === 'string' ? { content: message } : message, options.nonce);
  }

  /** Messages that the server has not acknowledged yet, in sending order. */
  get pending(): readonly Pending[] {
    return this.parts.pending(this.id);
  }

  /** Shows others, if connected, that the user is typing here. */
  typing(options: { threadId?: string | null; typing?: boolean } = {}): void {
    this.parts.connection.tell('message:typing', { channelId: this.id, ...options });
  }

  /** Shows others, if connected, what the user is doing here; null: nothing any more. */
  activity(activity: string | null): void {
    this.parts.connection.tell('presence:activity', { channelId: this.id, activity });
  }

  /**
   * For bots: shows the next piece of a reply; with `done` (and the whole text as `content`) it becomes a message. Unlike
   * `send` it does not wait for a connection, since pieces are worthless later; `done` may be repeated. Without a socket it is
   * sent over HTTP.
   * @returns the message, with `done`. @throws ParleyError NETWORK without a connection
   */
  async stream(piece: StreamPiece): Promise<Message | undefined> {
    if (!this.parts.connection.hasSocket) return this.parts.stream(this.id, piece);
    const payload = { ...piece, channelId: this.id };
    return (await this.parts.connection.call<{ message?: Message }>('message:stream', payload)).message;
  }

  /** For the client: events that do not come from the server. */
  signal<E extends keyof ChannelSignals>(event: E, data: ChannelSignals[E]): void {
    if (event === 'closed') this.opened = false;
    this.emitter.emit(event, data as ChannelEventMap[E]);
  }

  private newFeed(): Feed & { channelId: string } {
    const hand = (event: string, data: object) => this.handOn(event, data);
    const feed = new Feed(this.id, hand, () => this.emitter.emit('reload', null));
    return Object.assign(feed, { channelId: this.id });
  }

  private handOn(event: string, data: object): void {
    // The server adheres to its contract, from which these types are generated.
    this.emitter.emit(event as keyof ChannelEvents, data as ChannelEventMap[keyof ChannelEvents]);
  }
}
