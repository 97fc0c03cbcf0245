import { io, type Socket } from 'socket.io-client';
import type { Node } from '../../src/node/node.ts';
import { until } from '../rig/until.ts';
import { documentsFrom, falseEvents, knownDocuments } from './documents.ts';

/** What came over the wire: tests look into it by hand, the schemas are checked elsewhere. */
export type Loose = ReturnType<typeof JSON.parse>;

/** Where a node can be reached: all that people have to know of it. */
export interface Place {
  url: string;
}

/** An answer of the REST interface. */
export interface Answer {
  status: number;
  body: Loose;
  headers: Headers;
}

/** One event that a socket got. */
export interface Received {
  event: string;
  data: Loose;
}

/** A socket that remembers everything it got. */
export class Listener {
  readonly socket: Socket;
  readonly received: Received[] = [];

  constructor(socket: Socket) {
    this.socket = socket;
    socket.onAny((event: string, data: unknown) => {
      this.received.push({ event, data });
      const verdict = knownDocuments()?.event(event, data);
      if (verdict) falseEvents.push(`The event ${event} is not as the API documents say: ${verdict}`);
    });
  }

  async emit(event: string, payload?: unknown): Promise<Loose> {
    const ack = await this.socket.timeout(15_000).emitWithAck(event, payload);
    expectTruth(`the ack of ${event}`, knownDocuments()?.ack(event, ack));
    return ack;
  }

  /** All payloads of an event so far, in order. */
  all(event: string): Loose[] {
    return this.received.filter((received) => received.event === event).map((received) => received.data);
  }

  /** Waits for an event (that fits). */
  next(event: string, fits: (data: Loose) => boolean = () => true, timeout?: number): Promise<Loose> {
    return until(() => this.all(event).find(fits), { timeout, message: `no ${event}` });
  }

  close(): void {
    this.socket.disconnect();
  }
}

/** Someone with an account, who talks to one node over REST and sockets. */
export class Person<N extends Place = Node> {
  readonly node: N;
  readonly id: string;
  readonly username: string;
  token: string;
  refreshToken: string;
  /** Of this person on all nodes. */
  protected readonly listeners: Listener[];

  constructor(
    node: N,
    account: { id: string; username: string; token: string; refreshToken: string },
    listeners: Listener[] = [],
  ) {
    this.node = node;
    this.id = account.id;
    this.username = account.username;
    this.token = account.token;
    this.refreshToken = account.refreshToken;
    this.listeners = listeners;
  }

  /** The same person on another node. */
  on(node: N): Person<N> {
    return new Person(node, this, this.listeners);
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return request(this.node, 'GET', path, undefined, { ...this.auth, ...headers });
  }

  post(path: string, body: unknown = {}, headers: Record<string, string> = {}): Promise<Answer> {
    return request(this.node, 'POST', path, body, { ...this.auth, ...headers });
  }

  put(path: string, body: unknown = {}, headers: Record<string, string> = {}): Promise<Answer> {
    return request(this.node, 'PUT', path, body, { ...this.auth, ...headers });
  }

  patch(path: string, body: unknown = {}, headers: Record<string, string> = {}): Promise<Answer> {
    return request(this.node, 'PATCH', path, body, { ...this.auth, ...headers });
  }

  delete(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return request(this.node, 'DELETE', path, undefined, { ...this.auth, ...headers });
  }

  /** A stock Socket.IO client of this person, once it is in its own room. */
  async connect(options: Parameters<typeof io>[1] = {}): Promise<Listener> {
    const listener = this.dial(options);
    await listener.next('ready');
    return listener;
  }

  /** Like `connect`, but without waiting. */
  dial(options: Parameters<typeof io>[1] = {}): Listener {
    const auth = { token: this.token, ...(typeof options?.auth === 'object' ? options.auth : {}) };
    const socket = io(this.node.url, { transports: ['websocket'], forceNew: true, ...options, auth });
    const listener = new Listener(socket);
    this.listeners.push(listener);
    return listener;
  }

  /** A socket that is in the given channels already. */
  async listen(...channelIds: string[]): Promise<Listener> {
    const listener = await this.connect();
    for (const channelId of channelIds) {
      const ack = await listener.emit('channel:join', { channelId });
      if (!ack.ok) throw new Error(`cannot join: ${JSON.stringify(ack)}`);
    }
    return listener;
  }

  /** Sends a message over REST and gives its record. */
  async say(channelId: string, content: string, more: object = {}) {
    const answer = await this.post(`/api/channels/${channelId}/messages`, { content, ...more });
    if (answer.status !== 201) throw new Error(`not sent: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  /** Uploads a file for a message and gives its record. */
  async upload(name: string, bytes: Uint8Array<ArrayBuffer>, fields: Record<string, string> = {}) {
    const form = new FormData();
    for (const [field, value] of Object.entries(fields)) form.append(field, value);
    form.append('file', new Blob([bytes]), name);
    const response = await fetch(`${this.node.url}/api/media/upload`, {
      method: 'POST',
      body: form,
      headers: this.auth,
    });
    const record: Loose = await response.json();
    if (response.status !== 201) throw new Error(`not uploaded: ${JSON.stringify(record)}`);
    return record;
  }

  hangUp(): void {
    for (const listener of this.listeners) listener.close();
  }

  private get auth(): Record<string, string> {
    return { authorization: `Bearer ${this.token}` };
  }
}

function expectTruth(what: string, verdict: string | undefined): void {
  if (verdict) throw new Error(`${what} is not as the API documents say: ${verdict}`);
}

/** One request to a node. */
export async function request(
  node: { url: string },
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const json = text === undefined ? {} : { 'content-type': 'application/json' };
  // Reading them holds up this process, and a node in it, longer than a transaction may wait: nothing is asked before.
  await documentsFrom(node.url);
  const response = await fetch(`${node.url}${path}`, { method, body: text, headers: { ...json, ...headers } });
  const answer = await response.text();
  const type = response.headers.get('content-type') ?? '';
  // Lines of JSON are no JSON.
  const parsed = /[/+]json\b/.test(type) ? JSON.parse(answer) : answer;
  const documents = await documentsFrom(node.url);
  expectTruth(`${method} ${path}`, documents?.answer(method, path, response.status, response.headers, parsed));
  return { status: response.status, body: parsed, headers: response.headers };
}
