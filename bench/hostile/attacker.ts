import { once, setMaxListeners } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setPriority } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent } from 'undici';
import { WebSocket } from 'ws';
import { attacks } from './attacks.ts';

/** What the attackers know, all of which they made themselves or may see. */
export interface Target {
  port: number;
  /** Of people who are members of `server` and of the honest people's server. */
  tokens: string[];
  /** The attackers' own server, and the folders in its workspace by their number of files. */
  server: string;
  folders: Record<string, string>;
  /** A server whose workspace has 48 000 nodes. */
  largeServer: string;
  /** Of the honest people. */
  channels: string[];
  /** ZIP files in the workspace. */
  archives: string[];
  /** An app whose server never answers. */
  app: string;
}

/** Attackers have this many addresses, all of this machine. */
const addresses = Array.from({ length: 8 }, (_, i) => `127.0.0.${i + 2}`);

/** What attacks are made of. Whatever it opened is closed at the end; answers are counted by their status. */
export class Attacker {
  readonly target: Target;
  readonly counts = new Map<string, number>();
  private readonly end = new AbortController();
  private readonly agents = addresses.map(
    (localAddress) => new Agent({ localAddress, connections: 50, headersTimeout: 30_000 }),
  );
  private readonly opened = new Set<{ destroy(): void }>();
  private turn = 0;

  constructor(target: Target) {
    setMaxListeners(0, this.end.signal);
    this.target = target;
  }

  get isOver(): boolean {
    return this.end.signal.aborted;
  }

  get token(): string {
    return this.target.tokens[this.turn++ % this.target.tokens.length] ?? '';
  }

  count(what: string | number): void {
    this.counts.set(String(what), (this.counts.get(String(what)) ?? 0) + 1);
  }

  /** One request from one of the addresses; its answer is thrown away as it comes. */
  async ask(method: 'GET' | 'POST', path: string, { body, headers, giveUpMs }: Request = {}): Promise<void> {
    const agent = this.agents[this.turn++ % this.agents.length];
    const signals = [this.end.signal, ...(giveUpMs ? [AbortSignal.timeout(Math.ceil(giveUpMs))] : [])];
    try {
      const answer = await (agent ?? new Agent()).request({
        origin: `http://127.0.0.1:${this.target.port}`,
        path,
        method,
        body: body ?? null,
        headers: { 'content-type': 'application/json', ...headers },
        signal: AbortSignal.any(signals),
      });
      this.count(answer.statusCode);
      for await (const _ of answer.body) if (this.isOver) break;
    } catch {
      if (!this.isOver) this.count(giveUpMs ? 'given up' : 'cut');
    }
  }

  /** The same of someone signed in. */
  askAs(method: 'GET' | 'POST', path: string, request: Request = {}): Promise<void> {
    return this.ask(method, path, {
      ...request,
      headers: { authorization: `Bearer ${this.token}`, ...request.headers },
    });
  }

  /** Does something over and over, so many at once, until the attack ends. */
  async loop(atOnce: number, work: () => Promise<unknown>): Promise<void> {
    const one = async () => {
      while (!this.isOver) {
        await work();
        await this.pause(1);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, one));
  }

  /** Ends early with the attack. */
  pause(ms: number): Promise<void> {
    return delay(ms, undefined, { signal: this.end.signal }).catch(() => {});
  }

  /** A plain connection, on which anything may be said. */
  async raw(): Promise<Socket> {
    const localAddress = addresses[this.turn++ % addresses.length] ?? '127.0.0.1';
    const socket = connect({ port: this.target.port, host: '127.0.0.1', localAddress });
    this.opened.add(socket);
    socket.on('error', () => this.count('cut'));
    socket.on('close', () => this.opened.delete(socket));
    await once(socket, 'connect').catch(() => {});
    return socket;
  }

  /** A WebSocket that has been answered `40` or refused. @param auth the JSON sent with the connect */
  socket(auth: string): Promise<WebSocket> {
    const localAddress = addresses[this.turn++ % addresses.length] ?? '127.0.0.1';
    const url = `ws://127.0.0.1:${this.target.port}/socket.io/?EIO=4&transport=websocket`;
    const socket = new WebSocket(url, { perMessageDeflate: false, localAddress });
    const entry = { destroy: () => socket.terminate() };
    this.opened.add(entry);
    return new Promise((resolve) => {
      const done = (what: string) => {
        this.count(what);
        resolve(socket);
      };
      socket.on('error', () => done('error'));
      socket.on('close', () => {
        this.opened.delete(entry);
        resolve(socket);
      });
      socket.on('message', (data: Buffer) => {
        const start = data.toString('latin1', 0, 2);
        if (start.startsWith('0')) socket.send(`40${auth}`);
        else if (start === '2') socket.send('3');
        else if (start === '40') done('connected');
        else if (start === '44') done('refused');
        else if (start === '43') this.count(data.includes('"ok":true') ? 'ok' : 'not ok');
      });
    });
  }

  stop(): void {
    this.end.abort();
  }

  async close(): Promise<void> {
    this.stop();
    for (const one of this.opened) one.destroy();
    await Promise.all(this.agents.map((agent) => agent.destroy()));
  }
}

export interface Request {
  body?: string | Buffer;
  headers?: Record<string, string>;
  /** After so long nobody waits for the answer. */
  giveUpMs?: number;
}

/** What the run tells the process of the attackers. */
export interface Order {
  attack: string;
  ms: number;
  target: Target;
}

// They are on other machines in truth: what they compute takes nothing from the node.
if (process.send) {
  setPriority(10);
  // The server of an app, which never answers.
  const silent = createServer().listen(0, '127.0.0.1');
  silent.unref();
  await once(silent, 'listening');
  process.send(silent.address());
  process.on('message', async ({ attack, ms, target }: Order) => {
    const attacker = new Attacker(target);
    const timer = setTimeout(() => attacker.stop(), ms);
    await attacks[attack]?.(attacker);
    clearTimeout(timer);
    await attacker.close();
    process.send?.(Object.fromEntries(attacker.counts));
  });
}
