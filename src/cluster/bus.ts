import type { Choice } from '../contract/command-option.ts';
import type { Room } from '../contract/rooms.ts';
import type { Vitals } from '../contract/vitals.ts';
import type { RedisConnections } from '../infrastructure/redis.ts';
import { within } from '../infrastructure/within.ts';
import type { LogEntry } from './entry.ts';

/** How long a message waits for receivers that were silent before: one that was only frozen confirms in this time. */
const doubtMs = 100;

interface Message {
  number: number;
  confirmed: Set<string>;
  /** How many are to confirm; undefined until Redis has replied. */
  receivers: number | undefined;
  doubt: NodeJS.Timeout | undefined;
  limit: NodeJS.Timeout;
  answer: (all: boolean) => void;
}

/**
 * Waits until all nodes have confirmed a message. Redis counts who receives it, and for minutes still counts the
 * connection of a node that vanished, say by a power failure. So after receivers let a message wait for its full time,
 * later ones wait for them only briefly, until they confirm again; nodes that did confirm it are always waited for.
 */
export class Confirmations {
  private readonly messages = new Map<string, Message>();
  /** How many receivers did not confirm the last message that ended, and which nodes did, then or since. */
  private silent = 0;
  private reliable = new Set<string>();
  private count = 0;
  /** The newest message from which that is known: older ones that end later know less. */
  private known = 0;

  /** @returns whether all have confirmed the message in `ms` */
  all(id: string, ms: number): Promise<boolean> {
    return new Promise((answer) => {
      const limit = setTimeout(() => this.expire(id), ms);
      const number = ++this.count;
      this.messages.set(id, { number, confirmed: new Set(), receivers: undefined, doubt: undefined, limit, answer });
    });
  }

  /** Redis has given the message to `receivers` other nodes. */
  sent(id: string, receivers: number): void {
    const message = this.messages.get(id);
    if (!message) return;
    message.receivers = receivers;
    this.check(id, message);
  }

  /** Redis did not take the message. */
  failed(id: string): void {
    this.end(id, false);
  }

  /** Confirmations may arrive before the number of receivers is known. */
  confirm(id: string, node: string): void {
    const message = this.messages.get(id);
    if (!message) return;
    message.confirmed.add(node);
    this.reliable.add(node);
    this.check(id, message);
  }

  private check(id: string, message: Message): void {
    const { confirmed, receivers } = message;
    if (receivers === undefined) return;
    if (confirmed.size >= receivers) {
      this.learn(message);
      this.end(id, true);
    } else if (confirmed.size + this.silent >= receivers && this.reliable.isSubsetOf(confirmed)) {
      // It stays known until its time is over: a node that confirms late is waited for again.
      message.doubt ??= setTimeout(() => message.answer(false), doubtMs);
    }
  }

  private expire(id: string): void {
    const message = this.messages.get(id);
    if (message) this.learn(message);
    this.end(id, false);
  }

  private learn({ number, confirmed, receivers }: Message): void {
    if (receivers === undefined || number < this.known) return;
    this.known = number;
    this.silent = receivers - confirmed.size;
    this.reliable = confirmed;
  }

  private end(id: string, all: boolean): void {
    const message = this.messages.get(id);
    if (!message) return;
    clearTimeout(message.limit);
    clearTimeout(message.doubt);
    this.messages.delete(id);
    message.answer(all);
  }
}

/** A message between nodes that is not an event: caches to drop, sockets to evict or disconnect. */
export type ControlMessage =
  /** Cache keys that are no longer valid. */
  | { kind: 'drop'; cache: string; keys: string[] }
  /** A user lost access to rooms, as event `seq` of its own log shows; `rooms: null` means every room of the server. */
  | { kind: 'evict'; userId: string; serverId: string | null; rooms: Room[] | null; seq: number }
  /** Other people may be in channels of a server than before: these, or null, anyone. */
  | { kind: 'recheck'; serverId: string; channelIds: string[]; userIds: string[] | null }
  /** Rooms that no longer exist: everyone leaves. */
  | { kind: 'dissolve'; rooms: Room[] }
  /** Closes the sockets of a session or of a user. */
  | { kind: 'disconnect'; sessionId?: string; userId?: string; event: { name: string; data: object } | null }
  /** The events that a bot may get have changed. */
  | { kind: 'hearing'; userId: string }
  /** A bot suggests values, as a node asked it to for someone who waits there. */
  | { kind: 'choices'; id: string; userId: string; choices: Choice[] }
  /** The webhook of a bot was changed or removed. */
  | { kind: 'webhook'; agentId: string }
  /** A node wants to know what the others measured of themselves after a time (ms since 1970). */
  | { kind: 'vitals-ask'; id: string; from: string; after: number }
  | { kind: 'vitals-told'; id: string; node: string; host: string; points: Vitals[] }
  /** The subscriptions of a session of the Model Context Protocol have changed, or it has ended. */
  | { kind: 'mcp'; sessionId: string; isOver: boolean }
  /** A client reconnected elsewhere: the node that still holds its old socket saves its state and closes it. */
  | { kind: 'hand-over'; pid: string };

/** A control message on its way. */
interface ControlEnvelope {
  id: string;
  from: string;
  message: ControlMessage;
}

/** Carries log entries and control messages between nodes. It may lose anything: the log heals that. */
export interface Bus {
  publish(room: Room, entries: LogEntry[]): void;
  subscribe(room: Room): Promise<void>;
  unsubscribe(room: Room): void;
  /** Sends to all other nodes, and waits until each has acted on it or `ms` are over. @returns whether all did */
  control(message: ControlMessage, ms: number): Promise<boolean>;
  /** Until this time (`performance.now()`) this node may have missed messages; infinite: it still may. */
  readonly deafUntil: number;
  onEntries(listener: (room: Room, entries: LogEntry[]) => void): void;
  onControl(listener: (message: ControlMessage) => void | Promise<void>): void;
}

/** For a single node. */
export class SoloBus implements Bus {
  readonly deafUntil = Number.NEGATIVE_INFINITY;
  publish(): void {}
  async subscribe(): Promise<void> {}
  unsubscribe(): void {}
  async control(): Promise<boolean> {
    return true;
  }
  onEntries(): void {}
  onControl(): void {}
}

const subscribeWaitMs = 250;

/** What it needs of Redis. */
type PubSub = Pick<
  RedisConnections,
  | ('healthy' | 'onHealth' | 'named' | 'controlChannel' | 'besideControl')
  | ('onMessage' | 'publish' | 'subscribe' | 'unsubscribe')
>;

/**
 * Redis pub/sub with one channel per room: a node subscribes only to the rooms that someone on it is in.
 *
 * A message is a line `node` and then, for each entry, a line `seq event thread length` and the JSON text, which passes
 * from the writer to the sockets without being parsed on the way.
 */
export class RedisBus implements Bus {
  private readonly redis: PubSub;
  private readonly nodeId: string;
  private readonly roomPrefix: string;
  private entriesListener: (room: Room, entries: LogEntry[]) => void = () => {};
  private controlListener: (message: ControlMessage) => void | Promise<void> = () => {};
  private readonly confirmations = new Confirmations();
  private controlCount = 0;
  deafUntil: number;

  constructor(redis: PubSub, nodeId: string) {
    this.redis = redis;
    this.nodeId = nodeId;
    this.roomPrefix = redis.named('room:');
    const deafUntil = (healthy: boolean) => (healthy ? performance.now() : Number.POSITIVE_INFINITY);
    this.deafUntil = deafUntil(redis.healthy);
    redis.onHealth((healthy) => {
      this.deafUntil = deafUntil(healthy);
    });
    redis.onMessage((channel, text) => this.receive(channel, text));
    void redis.subscribe(redis.controlChannel);
    void redis.subscribe(this.replyChannel(nodeId));
  }

  publish(room: Room, entries: LogEntry[]): void {
    // While Redis hangs, commands would pile up in memory; other nodes read the log instead.
    if (!this.redis.healthy) return;
    void this.redis.publish(this.roomChannel(room), encode(this.nodeId, entries));
  }

  async subscribe(room: Room): Promise<void> {
    const subscribed = this.redis.subscribe(this.roomChannel(room));
    if (!this.redis.healthy) return;
    await within(subscribed, subscribeWaitMs);
  }

  unsubscribe(room: Room): void {
    void this.redis.unsubscribe(this.roomChannel(room));
  }

  async control(message: ControlMessage, ms: number): Promise<boolean> {
    if (!this.redis.healthy) return false;
    const id = `${this.nodeId}-${++this.controlCount}`;
    const confirmed = this.confirmations.all(id, ms);
    const text = JSON.stringify({ id, from: this.nodeId, message });
    void this.redis.publish(this.redis.controlChannel, text).then((receivers) => {
      // This node is one of the receivers, and has acted already. No receivers: Redis did not take the message.
      if (receivers === 0) this.confirmations.failed(id);
      else this.confirmations.sent(id, receivers - 1);
    });
    return confirmed;
  }

  onEntries(listener: (room: Room, entries: LogEntry[]) => void): void {
    this.entriesListener = listener;
  }

  onControl(listener: (message: ControlMessage) => void | Promise<void>): void {
    this.controlListener = listener;
  }

  private replyChannel(nodeId: string): string {
    return this.redis.besideControl(`reply:${nodeId}`);
  }

  private roomChannel(room: Room): string {
    return this.roomPrefix + room;
  }

  private receive(channel: string, text: string): void {
    if (channel === this.redis.controlChannel) {
      // Anything but a control message fails here, and is reported as a strange message.
      const sent: ControlEnvelope = JSON.parse(text);
      if (typeof sent.message.kind !== 'string') throw new Error('This is no control message.');
      void this.receiveControl(sent);
    } else if (channel === this.replyChannel(this.nodeId)) {
      const [id = '', node = ''] = text.split(' ');
      this.confirmations.confirm(id, node);
    } else {
      const room = roomOf(channel.slice(this.roomPrefix.length));
      if (!room || text.startsWith(`${this.nodeId}\n`)) return;
      const entries = decode(room, text);
      if (entries) this.entriesListener(room, entries);
    }
  }

  private async receiveControl({ id, from, message }: ControlEnvelope): Promise<void> {
    if (from === this.nodeId) return;
    await this.controlListener(message);
    void this.redis.publish(this.replyChannel(from), `${id} ${this.nodeId}`);
  }
}

function roomOf(text: string): Room | undefined {
  if (text.startsWith('channel:')) return `channel:${text.slice('channel:'.length)}`;
  if (text.startsWith('user:')) return `user:${text.slice('user:'.length)}`;
  return undefined;
}

function encode(nodeId: string, entries: LogEntry[]): string {
  let text = `${nodeId}\n`;
  for (const entry of entries) {
    text += `${entry.seq} ${entry.event} ${entry.threadId ?? '-'} ${entry.json.length}\n${entry.json}`;
  }
  return text;
}

/** Undefined for a malformed message; its entries will be read from the log. */
function decode(room: Room, text: string): LogEntry[] | undefined {
  const entries: LogEntry[] = [];
  let at = text.indexOf('\n') + 1;
  while (at < text.length) {
    const end = text.indexOf('\n', at);
    const [seq, event, thread, length] = text.slice(at, end).split(' ');
    if (end === -1 || !seq || !event || !thread || !length) return undefined;
    at = end + 1 + Number(length);
    const json = text.slice(end + 1, at);
    entries.push({ room, seq: Number(seq), event, threadId: thread === '-' ? null : thread, json });
  }
  return entries;
}
