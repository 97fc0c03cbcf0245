import type { Room } from '../contract/rooms.ts';
import type { RedisConnections } from '../infrastructure/redis.ts';
import { within } from '../infrastructure/within.ts';
import { Confirmations } from './confirmations.ts';
import type { LogEntry } from './entry.ts';

/** A message between nodes that is not an event: caches to drop, sockets to evict or disconnect. */
export type ControlMessage =
  /** Cache keys that are no longer valid. */
  | { kind: 'drop'; cache: string; keys: string[] }
  /** A user lost access to rooms, as event `seq` of its own log says; `rooms: null` means every room of the server. */
  | { kind: 'evict'; userId: string; serverId: string | null; rooms: Room[] | null; seq: number }
  /** Rooms that no longer exist: everyone leaves. */
  | { kind: 'dissolve'; rooms: Room[] }
  /** Closes the sockets of a session or of a user. */
  | { kind: 'disconnect'; sessionId?: string; userId?: string; event: { name: string; data: object } | null }
  /** What a bot may hear has changed. */
  | { kind: 'hearing'; userId: string }
  /** The webhook of a bot was changed or removed. */
  | { kind: 'webhook'; agentId: string }
  /** A client came back elsewhere: the node that still holds its old socket saves its state and closes it. */
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
  /** Up to here, as `performance.now()` has it, something may have been said that this node did not hear; infinite: still. */
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
 * Redis pub/sub with one channel per room: a node hears only the rooms that someone on it is in.
 *
 * A message is a line `node` and then, for each entry, a line `seq event thread length` and the JSON text, which goes
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
      // What is no control message fails here, and is reported as a strange message.
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

/** Undefined for a malformed message; whatever it held will be read from the log. */
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
