import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { atEnd } from '../rig/ending.ts';
import { freePort } from '../rig/free-port.ts';
import { inherited, killWithUs } from '../rig/processes.ts';
import { until } from '../rig/until.ts';

const main = path.resolve(import.meta.dirname, '../../src/main.ts');
const keptLines = 5000;

/** How a node process came to its end. */
export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
  ms: number;
}

/** A node as a process of its own, to be killed, frozen, stopped and started again on the same port. */
export class NodeProcess {
  readonly port: number;
  readonly url: string;
  /** What it logged, as JSON lines, over all of its lives. */
  readonly lines: string[] = [];
  private readonly env: Record<string, string>;
  private child: ChildProcess | undefined;
  private exited: Promise<unknown> = Promise.resolve();
  private dismissGuard = () => {};

  private constructor(port: number, env: Record<string, string>) {
    this.port = port;
    this.url = `http://127.0.0.1:${port}`;
    this.env = env;
  }

  /** Starts one on a free port and waits until it takes requests. It is ended with the tests if they forgot. */
  static async start(env: Record<string, string>, timeout?: number): Promise<NodeProcess> {
    const node = new NodeProcess(await freePort(), env);
    atEnd(() => node.kill());
    await node.start(false);
    await node.ready(timeout);
    return node;
  }

  /** @param wait false: return at once, while it is still starting */
  async start(wait = true): Promise<void> {
    const ours = { PORT: String(this.port), HOST: '127.0.0.1', ...inherited() };
    const child = spawn(process.execPath, [main], {
      env: { ...ours, ...this.env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.child = child;
    this.exited = once(child, 'close');
    this.dismissGuard = killWithUs(child.pid ?? 0);
    for (const stream of [child.stdout, child.stderr]) this.collect(stream);
    if (wait) await this.ready();
  }

  /** Waits until it takes requests. */
  async ready(timeout = 60_000): Promise<void> {
    const answered = async () => {
      if (!this.isRunning) throw new Error(`A node did not start: ${this.lines.slice(-5).join('\n')}`);
      return (await this.health('/healthz')) === 200;
    };
    await until(answered, { timeout, message: 'A node did not become ready' });
  }

  /** The status of `/healthz` or `/readyz`; 0 when nothing answers. */
  async health(which: '/healthz' | '/readyz'): Promise<number> {
    const signal = AbortSignal.timeout(3000);
    return fetch(this.url + which, { signal, headers: { connection: 'close' } }).then(
      async (response) => {
        await response.arrayBuffer();
        return response.status;
      },
      () => 0,
    );
  }

  get isRunning(): boolean {
    return this.child !== undefined && this.child.exitCode === null && this.child.signalCode === null;
  }

  signal(name: NodeJS.Signals): void {
    this.child?.kill(name);
  }

  /** Sudden death. A bundler in the middle of its work prints where it was when its node is gone: that is no failure. */
  async kill(): Promise<void> {
    const before = this.lines.length;
    this.signal('SIGKILL');
    await this.exit();
    this.lines.push(...this.lines.splice(before).filter((line) => line.startsWith('{')));
  }

  /** An orderly end. */
  async stop(): Promise<Exit> {
    this.signal('SIGTERM');
    return this.exit();
  }

  /** Waits for its end. */
  async exit(): Promise<Exit> {
    const begun = Date.now();
    await this.exited;
    this.dismissGuard();
    return { code: this.child?.exitCode ?? null, signal: this.child?.signalCode ?? null, ms: Date.now() - begun };
  }

  /** What it keeps in memory, in MiB (Linux). */
  get memory(): number {
    const status = readFileSync(`/proc/${this.child?.pid}/status`, 'utf8');
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
  }

  /** What it logged that should never be: errors, and failures that nobody handled. */
  get failures(): string[] {
    return this.lines.filter((line) => /"level":"(error|fatal)"/.test(line) || !line.startsWith('{'));
  }

  private collect(stream: NodeJS.ReadableStream): void {
    let rest = '';
    stream.on('data', (chunk: Buffer) => {
      const lines = (rest + chunk.toString()).split('\n');
      rest = lines.pop() ?? '';
      this.lines.push(...lines.filter((line) => line !== ''));
      if (this.lines.length > keptLines) this.lines.splice(0, this.lines.length - keptLines);
    });
  }
}

/** With which nodes of one site sign their tokens. */
export const siteSecret = 'a secret for the stress run only';

/** What node processes of one site are told. */
export function siteEnvironment(databaseUrl: string, redisUrl: string | null, dataDir: string): Record<string, string> {
  return {
    NODE_ENV: 'stress',
    DATABASE_URL: databaseUrl,
    ...(redisUrl ? { REDIS_URL: redisUrl } : {}),
    DATA_DIR: dataDir,
    JWT_SECRET: siteSecret,
    RATE_LIMITS: 'off',
    NEW_ACCOUNT_TIER: 'member',
  };
}
