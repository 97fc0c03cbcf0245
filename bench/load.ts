import type { RawClient } from './client.ts';
import type { Figures } from './scenario.ts';
import type { Subject } from './subject.ts';

/** Text of about the length that people write in a chat. */
export const text = 'A message of about the length that people write in a chat.';

/** Makes what the stock server passes on as long as the record that Parley sends. */
export const filler = { filler: 'x'.repeat(450) };

/** The payload of a send. */
export const messageFor = ({ name }: Pick<Subject, 'name'>, channelId: string, content: string) =>
  name === 'stock' ? { channelId, content, ...filler } : { channelId, content };

export const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** @param rooms client i joins channel i, the channels taken by turns; `all`: each joins the first `rooms` of them */
export async function connectAll(subject: Subject, count: number, rooms: number, all = false): Promise<RawClient[]> {
  const clients: RawClient[] = [];
  for (let i = 0; i < count; i += 50) {
    const batch = Array.from({ length: Math.min(50, count - i) }, async (_, j) => {
      const client = await subject.connect(i + j);
      const joined = all ? subject.channels.slice(0, rooms) : [subject.channels[(i + j) % Math.max(rooms, 1)]];
      if (rooms > 0) for (const channelId of joined) await client.emit('channel:join', { channelId });
      return client;
    });
    clients.push(...(await Promise.all(batch)));
  }
  return clients;
}

/** CPU time that the processes of a subject take for some work, in µs. */
export async function cpuOf(subject: Subject, work: () => Promise<unknown>): Promise<number> {
  const total = () => subject.servers.reduce((sum, server) => sum + server.cpu(), 0);
  const before = total();
  await work();
  return total() - before;
}

/** Calls `work` at an even rate, whether or not earlier calls are done. */
export async function paced(ms: number, perSecond: number, work: () => Promise<unknown>): Promise<void> {
  const started = performance.now();
  const running: Promise<unknown>[] = [];
  for (let done = 0; ; done++) {
    const due = started + (done * 1000) / perSecond;
    if (due > started + ms) break;
    if (due > performance.now()) await pause(due - performance.now());
    running.push(work());
  }
  await Promise.all(running);
}

/**
 * Calls `work` over and over on each of `workers`, one call after the other.
 * @returns what a call took, each in ms
 */
export async function hammer<W>(ms: number, workers: W[], work: (worker: W) => Promise<unknown>): Promise<number[]> {
  const end = performance.now() + ms;
  const waits: number[] = [];
  await Promise.all(
    workers.map(async (worker) => {
      while (performance.now() < end) waits.push(await timed(() => work(worker)));
    }),
  );
  return waits;
}

/** How long something takes, in ms. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** Waits until no more events come. */
export async function settled(clients: RawClient[]): Promise<void> {
  for (let before = -1; before !== deliveries(clients); ) {
    before = deliveries(clients);
    await pause(300);
  }
}

export const deliveries = (clients: RawClient[]) => clients.reduce((sum, client) => sum + client.events, 0);

export function close(clients: RawClient[]): void {
  for (const client of clients) client.close();
}

export function percentiles(values: number[]): Figures {
  return { 'p50 (ms)': percentile(values, 0.5), 'p99 (ms)': percentile(values, 0.99) };
}

export function percentile(values: number[], share: number): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length * share)] ?? 0;
}

/** The median of each figure. */
export function medians(figures: Figures[]): Figures {
  const names = Object.keys(figures[0] ?? {});
  return Object.fromEntries(
    names.map((name) => [
      name,
      percentile(
        figures.map((figure) => figure[name] ?? 0),
        0.5,
      ),
    ]),
  );
}
