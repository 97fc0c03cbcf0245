import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';

const root = path.join(import.meta.dirname, '..');
/** Linux counts CPU time in these. */
const ticksPerSecond = 100;

/** A server under measurement, in a process of its own. */
export class BenchServer {
  readonly port: number;
  private readonly process: ChildProcess;

  private constructor(process: ChildProcess, port: number) {
    this.process = process;
    this.port = port;
  }

  /** @param script from the root of the repository */
  static async start(script: string, environment: Record<string, string>): Promise<BenchServer> {
    const port = await freePort();
    const child = spawn(process.execPath, [path.join(root, script)], {
      env: { ...process.env, LOG_LEVEL: 'info', ...environment, PORT: String(port), HOST: '127.0.0.1' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise<void>((resolve, reject) => {
      child.once('exit', () => reject(new Error(`${script} ended before it was ready.`)));
      child.stdout?.on('data', (text: Buffer) => {
        if (text.includes('ready on')) resolve();
      });
    });
    return new BenchServer(child, port);
  }

  /** CPU time so far, in µs. */
  cpu(): number {
    const fields = readFileSync(`/proc/${this.process.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return ((Number(fields[11]) + Number(fields[12])) * 1_000_000) / ticksPerSecond;
  }

  /** Resident memory, in KiB. */
  memory(): number {
    const status = readFileSync(`/proc/${this.process.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]);
  }

  async request<T>(method: string, path: string, body?: object, token?: string): Promise<T> {
    const response = await fetch(`http://127.0.0.1:${this.port}${path}`, {
      method,
      body: body && JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    const answer: T = JSON.parse(await response.text());
    return answer;
  }

  async stop(): Promise<void> {
    if (this.process.exitCode !== null) return;
    const ended = once(this.process, 'exit');
    this.process.kill('SIGTERM');
    await ended;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
