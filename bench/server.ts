import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Pool } from 'undici';
import { freePort } from '../test/rig/free-port.ts';
import { killWithUs } from '../test/rig/processes.ts';
import { until } from '../test/rig/until.ts';
import { cpuOfProcess } from './cost.ts';

const root = path.join(import.meta.dirname, '..');
const memoryProbe = path.join(import.meta.dirname, 'memory.ts');
/** As `npm start` has it (see docs/performance.md), and what asks for the memory. */
const flags = ['--concurrent-marking-max-worker-num=1', '--expose-gc', '--import', memoryProbe];
const longestTurn = /"longestTurnMs":([\d.]+)/g;

/** A server under measurement, in a process of its own. */
export class BenchServer {
  readonly port: number;
  private readonly process: ChildProcess;
  private readonly pool: Pool;

  /** What the meter told (test/rig/turn-meter.ts), in ms. */
  private readonly turns: number[] = [];

  private constructor(process: ChildProcess, port: number) {
    this.process = process;
    this.port = port;
    this.pool = new Pool(`http://127.0.0.1:${port}`, { connections: 16 });
    process.stdout?.on('data', (text: Buffer) => {
      for (const [, ms] of text.toString().matchAll(longestTurn)) this.turns.push(Number(ms));
    });
  }

  /** @param script from the root of the repository @param given a port of its own, if it is to have a certain one */
  static async start(script: string, environment: Record<string, string>, given?: number): Promise<BenchServer> {
    const port = given ?? (await freePort());
    const child = spawn(process.execPath, [...flags, path.join(root, script)], {
      env: { ...process.env, LOG_LEVEL: 'info', ...environment, PORT: String(port), HOST: '127.0.0.1' },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    child.once('exit', killWithUs(child.pid ?? 0));
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
    return cpuOfProcess(this.process.pid ?? 0);
  }

  /** Memory in use, in KiB: heap and buffers, without garbage. */
  async memory(): Promise<number> {
    this.process.send('memory');
    const [bytes] = await once(this.process, 'message');
    return bytes / 1024;
  }

  /** Values of its metrics by their names, without labels. */
  async metrics(): Promise<Map<string, number>> {
    const text = await (await this.ask('GET', '/metrics')).text();
    return new Map([...text.matchAll(/^(\w+) ([\d.e+-]+)$/gm)].map(([, name = '', value]) => [name, Number(value)]));
  }

  /** What the process has from the system, in MiB. */
  resident(): number {
    const status = readFileSync(`/proc/${this.process.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
  }

  /** The longest turn of its event loop since this was last asked, in ms of processor time; started with the meter only. */
  async longestTurn(): Promise<number> {
    const known = this.turns.length;
    this.process.kill('SIGUSR2');
    await until(() => this.turns.length > known, { timeout: 60_000 });
    return this.turns.at(-1) ?? 0;
  }

  /** A request whose answer nobody looks into, so that the bench has little work with it. */
  async send(method: 'GET' | 'POST', path: string, body?: object, token?: string): Promise<void> {
    await (await this.ask(method, path, body, token)).dump();
  }

  async request<T>(method: 'GET' | 'POST', path: string, body?: object, token?: string): Promise<T> {
    const answer: T = JSON.parse(await (await this.ask(method, path, body, token)).text());
    return answer;
  }

  private async ask(method: 'GET' | 'POST', path: string, body?: object, token?: string) {
    const { statusCode, body: answer } = await this.pool.request({
      method,
      path,
      body: body ? JSON.stringify(body) : null,
      headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
    });
    if (statusCode >= 300) throw new Error(`${method} ${path}: ${statusCode} ${await answer.text()}`);
    return answer;
  }

  async stop(): Promise<void> {
    await this.pool.destroy();
    if (this.process.exitCode !== null) return;
    const ended = once(this.process, 'exit');
    this.process.kill('SIGTERM');
    await ended;
  }
}
