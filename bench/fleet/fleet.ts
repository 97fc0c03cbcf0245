import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Arrival, Opening, Order, Report, Tally } from './orders.ts';

/** How many clients a process has: each is a file of it, of which systems allow at least so many. */
const perProcess = 15_000;
const script = path.join(import.meta.dirname, 'process.ts');

/** Many clients in processes of their own. */
export class Fleet {
  private readonly processes: ChildProcess[] = [];

  /** Opens one client for each token. */
  async open({ tokens, ...opening }: Opening): Promise<Tally> {
    const parts: string[][] = [];
    for (let at = 0; at < tokens.length; at += perProcess) parts.push(tokens.slice(at, at + perProcess));
    const fresh = parts.map(() => fork(script));
    this.processes.push(...fresh);
    const orders = parts.map((part, i) => ask<Tally>(fresh[i], { kind: 'open', ...opening, tokens: part }));
    await Promise.all(orders);
    return this.tally();
  }

  async tally(): Promise<Tally> {
    const all = await this.askAll<Tally>({ kind: 'tally' });
    const sum = (name: keyof Tally) => all.reduce((total, one) => total + one[name], 0);
    const [clients, ready, refused] = [sum('clients'), sum('ready'), sum('refused')];
    return { clients, ready, events: sum('events'), bytes: sum('bytes'), refused };
  }

  async watch(): Promise<void> {
    await this.askAll({ kind: 'watch' });
  }

  /** Ends all connections at once; the clients come back by themselves. */
  async cut(): Promise<void> {
    await this.askAll({ kind: 'cut' });
  }

  /** @param sent the numbers of the messages that should have come */
  async report(sent: number[]): Promise<Report> {
    const all = await this.askAll<Report>({ kind: 'report', sent });
    const of = (name: keyof Report) => all.map((one) => one[name]);
    const sum = (name: keyof Report) => of(name).reduce((total, one) => total + one, 0);
    const most = (name: keyof Report) => Math.max(...of(name));
    return {
      lost: sum('lost'),
      doubled: sum('doubled'),
      delivered: sum('delivered'),
      returned: sum('returned'),
      recovered: sum('recovered'),
      lastBack: most('lastBack'),
      lastComplete: most('lastComplete'),
      longestGap: most('longestGap'),
    };
  }

  /** Of each numbered message, over all clients. */
  async arrivals(): Promise<Map<number, Arrival>> {
    const found = new Map<number, Arrival>();
    for (const one of (await this.askAll<Arrival[]>({ kind: 'arrivals' })).flat()) {
      const known = found.get(one.number);
      if (!known) found.set(one.number, one);
      else {
        known.first = Math.min(known.first, one.first);
        known.last = Math.max(known.last, one.last);
        known.clients += one.clients;
      }
    }
    return found;
  }

  /** Ends all clients, in the way of people who leave. */
  async close(): Promise<void> {
    await this.askAll({ kind: 'close' });
    await this.stop();
  }

  async stop(): Promise<void> {
    const ended = this.processes.map((child) => child.exitCode === null && once(child, 'exit'));
    for (const child of this.processes) child.kill();
    this.processes.length = 0;
    await Promise.all(ended);
  }

  private askAll<T>(order: Order): Promise<T[]> {
    return Promise.all(this.processes.map((child) => ask<T>(child, order)));
  }
}

/** @throws Error when the process ends instead */
async function ask<T>(child: ChildProcess | undefined, order: Order): Promise<T> {
  if (!child) throw new Error('There is no such process.');
  const waiting = new AbortController();
  const ended = () => waiting.abort(new Error('A process of the fleet has ended.'));
  child.once('exit', ended);
  child.send(order);
  const [{ answer }] = await once(child, 'message', { signal: waiting.signal }).finally(() => child.off('exit', ended));
  return answer;
}
