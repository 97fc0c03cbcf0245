import { io, type Socket } from 'socket.io-client';
import { catalogue } from '../../src/contract/catalogue.ts';
import type { Node } from '../../src/node/node.ts';
import { startProxy, type TcpProxy } from '../rig/tcp-proxy.ts';
import type { Loose } from '../world/person.ts';

/** The events that have a number in the log of their channel. */
const ofChannels = new Set<string>(
  catalogue.filter(({ durable, room }) => durable && room === 'channel').map(({ name }) => name),
);

/** What the test knows of the log of a channel. */
export interface KnownLog {
  id: string;
  name: string;
  /** Everything up to here has been trimmed. */
  floor: number;
  /** The same, as far as it may have been. */
  mayFloor: number;
  /** The events that a restricted bot gets, too. */
  forBots: Set<number>;
}

/**
 * How a client returns: `recovered` relies on Socket.IO's recovery, and joins with its positions where that fails; `resumed`
 * names its positions in `auth.resume`; `joining` joins with them on each connect, recovered or not.
 */
export type Manner = 'recovered' | 'resumed' | 'joining';

interface Track {
  log: KnownLog;
  at: number;
  /** What it has missed since is its own doing, or it was told so. */
  from: number;
  /** The messages that it got, if it is a bot. */
  messages: Set<number>;
  /** It passed over something, which `resumed` has to explain: the position before that. */
  unexplained: number | null;
  /** It is not in the channel any more. */
  isOver: boolean;
  /** It has to join again, also if it is recovered. */
  mustJoin: boolean;
}

/** A client with a position in each channel that objects to everything that the contract does not allow (§10). */
export class TrackedClient {
  readonly name: string;
  readonly violations: string[] = [];
  readonly line: TcpProxy;
  /** How often it was connected, and recovered. */
  readonly connections = { all: 0, recovered: 0 };
  /** How often it had to begin anew in a channel. */
  losses = 0;
  readonly manner: Manner;
  private readonly isBot: boolean;
  private readonly tracks = new Map<string, Track>();
  private readonly socket: Socket;
  private isResuming = false;
  /** What it named in its last `auth.resume`, and where the logs began then. */
  private sent = new Map<string, { at: number; floor: number }>();
  private isClosed = false;
  /** Raised with each connection, so that answers to earlier ones are not waited for. */
  private round = 0;

  private constructor(name: string, line: TcpProxy, token: string, manner: Manner, isBot: boolean) {
    this.name = name;
    this.line = line;
    this.manner = manner;
    this.isBot = isBot;
    const pace = { reconnectionDelay: 20, reconnectionDelayMax: 60, timeout: 5000 };
    this.socket = io(`http://127.0.0.1:${line.port}`, {
      transports: ['websocket'],
      forceNew: true,
      autoConnect: false,
      ...pace,
      auth: (give) => give({ token, ...this.positions() }),
    });
    this.socket.on('connect', () => this.connected());
    this.socket.on('connect_error', (error) => {
      if (!this.socket.active) setTimeout(() => !this.isClosed && this.socket.connect(), 50);
      if (/token|revoked/i.test(error.message)) this.object(`was refused: ${error.message}`);
    });
    this.socket.on('disconnect', (reason) => this.disconnected(reason));
    this.socket.on('resumed', ({ channels }) => this.resumed(channels));
    this.socket.onAny((event: string, data: Loose) => this.note(event, data));
  }

  static async open(
    name: string,
    { node, token }: { node: Node; token: string },
    manner: Manner,
    isBot = false,
  ): Promise<TrackedClient> {
    const client = new TrackedClient(name, await startProxy(node.port), token, manner, isBot);
    client.socket.connect();
    return client;
  }

  get isConnected(): boolean {
    return this.socket.connected;
  }

  /** How often it was connected without being recovered. */
  get begun(): number {
    return this.connections.all - this.connections.recovered;
  }

  at({ id }: KnownLog): number {
    return this.tracks.get(id)?.at ?? 0;
  }

  isIn({ id }: KnownLog): boolean {
    return this.tracks.get(id)?.isOver === false;
  }

  /** From here on it is to be in the channel, and joins if it is not there by itself. @param at its position */
  want(log: KnownLog, at = this.at(log)): void {
    const fresh: Track = {
      log,
      at,
      from: at,
      messages: new Set(),
      unexplained: null,
      isOver: false,
      mustJoin: true,
    };
    const track = this.tracks.get(log.id) ?? fresh;
    Object.assign(track, { isOver: false, mustJoin: true });
    this.tracks.set(log.id, track);
    if (this.socket.connected) void this.join(log.id, this.round);
  }

  /** It may not be in the channel any more, or does not want to. */
  unwant(log: KnownLog): void {
    const track = this.tracks.get(log.id);
    if (track) track.isOver = true;
  }

  /** Whether it was answered that it is in the channel, and has lost nothing since. */
  hasJoined({ id }: KnownLog): boolean {
    const track = this.tracks.get(id);
    return track !== undefined && !track.isOver && !track.mustJoin;
  }

  /** The messages that a bot got after `seq`. */
  messagesAfter({ id }: KnownLog, seq: number): number[] {
    return [...(this.tracks.get(id)?.messages ?? [])].filter((other) => other > seq);
  }

  /** The messages that a bot should have got, and has not. */
  missing({ id }: KnownLog): number[] {
    const track = this.tracks.get(id);
    return track ? [...track.log.forBots].filter((seq) => seq > track.from && !track.messages.has(seq)) : [];
  }

  async leave(log: KnownLog): Promise<void> {
    this.unwant(log);
    await this.socket
      .timeout(20_000)
      .emitWithAck('channel:leave', { channelId: log.id })
      .catch(() => {});
  }

  /** Ends the connection as a program does, without a word to the server. */
  drop(): void {
    this.socket.io.engine?.close();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.socket.disconnect();
    await this.line.stop();
  }

  private object(what: string): void {
    this.violations.push(`${this.name} (${this.manner}) ${what}`);
  }

  private positions(): object {
    if (this.manner !== 'resumed') return {};
    const resume: Record<string, number> = {};
    for (const [id, { at, isOver, unexplained }] of this.tracks) if (!isOver) resume[id] = unexplained ?? at;
    this.sent = new Map(
      Object.entries(resume).map(([id, at]) => [id, { at, floor: this.tracks.get(id)?.log.floor ?? 0 }]),
    );
    return { resume, recover: false };
  }

  private connected(): void {
    this.round++;
    this.connections.all++;
    if (this.socket.recovered) this.connections.recovered++;
    if (this.manner === 'resumed') this.isResuming = true;
    const joinsAll = this.manner === 'joining' || (this.manner === 'recovered' && !this.socket.recovered);
    for (const [id, { isOver, mustJoin }] of this.tracks) {
      const isNamed = this.manner === 'resumed' && this.sent.has(id);
      if (!isOver && (joinsAll || (mustJoin && !isNamed))) void this.join(id, this.round);
    }
  }

  private disconnected(reason: string): void {
    this.isResuming = false;
    for (const track of this.tracks.values()) {
      if (track.unexplained !== null) track.at = track.unexplained;
      track.unexplained = null;
    }
    if (reason === 'io server disconnect') this.socket.connect();
  }

  /** Joins with its position until it is in the channel. */
  private async join(id: string, round: number): Promise<void> {
    for (;;) {
      const track = this.tracks.get(id);
      if (!track || track.isOver || round !== this.round || !this.socket.connected) return;
      const [after, floor] = [track.at, track.log.floor];
      const answer: Loose = await new Promise((resolve) => {
        // In the very moment of the ack: the next packet may be an event of the room.
        this.socket.timeout(20_000).emit('channel:join', { channelId: id, after }, (error: unknown, ack: Loose) => {
          if (!error && ack.ok && round === this.round) this.joined(track, ack, after, floor);
          resolve(error ? undefined : ack);
        });
      });
      if (!answer || (answer.ok && !answer.hasMore)) return;
      if (!answer.ok && answer.code === 'CHANNEL_NOT_FOUND') {
        if (track.log.name === 'open') this.object('is refused where it belongs');
        return;
      }
      if (!answer.ok) await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  private joined(track: Track, ack: Loose, after: number, floor: number): void {
    this.judge(track, ack.recovered, after, floor, `the ack of its join after ${after}`);
    if (!ack.recovered) this.beginAnew(track, ack.seq);
    // It may have been brought back meanwhile, and got some of it in that way.
    for (const { seq, event } of ack.events) if (seq > track.at) this.take(track, seq, event);
    if (!ack.hasMore && !track.isOver) track.mustJoin = false;
    if (this.isBot) track.at = Math.max(track.at, ack.seq);
    else if (track.at < ack.seq) this.object(`has ${track.at} of ${track.log.name} after an ack up to ${ack.seq}`);
  }

  private resumed(channels: Record<string, Loose>): void {
    this.isResuming = false;
    for (const [id, answer] of Object.entries(channels)) {
      const track = this.tracks.get(id);
      if (!track) continue;
      const from = track.unexplained;
      track.unexplained = null;
      if (answer.ok === false) {
        // Without an answer of PostgreSQL it is not in the room, and asks itself.
        if (answer.code !== 'CHANNEL_NOT_FOUND' && !track.isOver) void this.join(id, this.round);
        continue;
      }
      if (from !== null && answer.recovered) this.object(`passed over what is after ${from} in ${track.log.name}`);
      const sent = this.sent.get(id);
      if (sent) this.judge(track, answer.recovered, sent.at, sent.floor, '`resumed`');
      if (!answer.recovered) this.beginAnew(track, answer.seq);
      else if (!this.isBot && track.at < answer.seq)
        this.object(`has ${track.at} where it is resumed at ${answer.seq}`);
      if (!answer.hasMore && !track.isOver) track.mustJoin = false;
      if (answer.hasMore) void this.join(id, this.round);
    }
  }

  /** Exactly where events have left the log it is told so. @param floor when it asked */
  private judge({ log }: Track, isRecovered: boolean, after: number, floor: number, where: string): void {
    if (!isRecovered) this.losses++;
    if (isRecovered && after < floor) this.object(`is not told by ${where} that ${log.name} begins at ${floor}`);
    if (!isRecovered && after >= log.mayFloor) this.object(`is told by ${where} to begin anew in ${log.name}`);
  }

  private beginAnew(track: Track, seq: number): void {
    track.at = Math.max(track.at, seq);
    track.from = Math.max(track.from, seq);
  }

  private note(event: string, data: Loose): void {
    if (!ofChannels.has(event)) return;
    const track = this.tracks.get(data.channelId ?? data.id);
    if (!track) return;
    if (event === 'channel:deleted') this.end(track);
    else this.take(track, data.eventSeq, event);
  }

  private end(track: Track): void {
    if (track.at === Number.POSITIVE_INFINITY) this.object(`hears twice that ${track.log.name} is deleted`);
    track.at = Number.POSITIVE_INFINITY;
    track.isOver = true;
  }

  /** One event, which has to be the next one; bots need not get all. */
  private take(track: Track, seq: number, how: string): void {
    const { log, at } = track;
    const isNext = this.isBot ? seq > at : seq === at + 1;
    if (this.isBot && how === 'message:new') track.messages.add(seq);
    if (!isNext && this.isResuming && seq > at) track.unexplained ??= at;
    else if (!isNext) this.object(`gets ${seq} of ${log.name} behind ${at}: ${how}`);
    track.at = Math.max(at, seq);
  }
}
