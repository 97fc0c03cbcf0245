import type { RawClient } from './client.ts';
import { baseline, parley, type Subject } from './subject.ts';

/** What a run measured, by name; smaller or larger is better as the scenario says. */
export type Figures = Record<string, number>;

export interface Scenario {
  name: string;
  /** The figure that is compared, and what counts as good. */
  figure: string;
  unit: string;
  better: 'smaller' | 'larger';
  goal: number;
  subjects: [baseline: () => Promise<Subject>, ours: () => Promise<Subject>];
  measure(subject: Subject): Promise<Figures>;
}

const text = 'A message of about the length that people write in a chat.';

/** Text of what the stock server passes on: as long as the record that Parley sends. */
const filler = { filler: 'x'.repeat(520) };

/** @param burst messages sent at once */
function fanOut(sockets: number, rate: number, burst: number, goal: number): Scenario {
  const setting = { channels: 1, people: 1 };
  return {
    name: `fan-out to ${sockets} sockets${burst > 1 ? `, bursts of ${burst}` : ''}`,
    figure: 'CPU per delivery',
    unit: 'µs',
    better: 'smaller',
    goal,
    subjects: [() => baseline('stock', setting), () => parley(setting)],
    async measure(subject) {
      const clients = await connectAll(subject, sockets, 1);
      const [sender] = clients;
      const [channelId] = subject.channels;
      if (!sender || !channelId) throw new Error('nobody there');
      const payload = subject.name === 'stock' ? { channelId, ...filler } : { channelId, content: text };
      await sender.emit('message:send', payload);
      const before = deliveries(clients);
      const cpu = await cpuOf(subject, () =>
        paced(4000, rate / burst, () =>
          Promise.all(Array.from({ length: burst }, () => sender.emit('message:send', payload))),
        ),
      );
      await settled(clients);
      const delivered = deliveries(clients) - before;
      close(clients);
      return { 'CPU per delivery': cpu / delivered, deliveries: delivered };
    },
  };
}

const sends: Scenario = {
  name: 'sends over sockets, 20 channels of 10, 16 senders',
  figure: 'messages/s',
  unit: '/s',
  better: 'larger',
  goal: 1,
  subjects: [() => baseline('bare', { channels: 20, people: 16 }), () => parley({ channels: 20, people: 16 })],
  async measure(subject) {
    const listeners = await connectAll(subject, 200, 20);
    const senders = await connectAll(subject, 16, 0);
    const waits: number[] = [];
    let sent = 0;
    const { channels } = subject;
    const cpu = await cpuOf(subject, () =>
      hammer(4000, senders, async (sender) => {
        const started = performance.now();
        const answer = await sender.emit('message:send', { channelId: channels[sent++ % 20], content: text });
        if (!answer.ok) throw new Error(JSON.stringify(answer));
        waits.push(performance.now() - started);
      }),
    );
    await settled(listeners);
    close([...listeners, ...senders]);
    return { 'messages/s': waits.length / 4, 'CPU per send (µs)': cpu / waits.length, ...percentiles(waits) };
  },
};

function rest(
  name: string,
  goal: number,
  ask: (subject: Subject, turn: number) => Promise<unknown> | undefined,
): Scenario {
  return {
    name,
    figure: 'requests/s',
    unit: '/s',
    better: 'larger',
    goal,
    subjects: [() => baseline('bare', { channels: 20, people: 16 }), () => parley({ channels: 20, people: 16 })],
    async measure(subject) {
      for (let i = 0; i < 2000; i += 16) await Promise.all(Array.from({ length: 16 }, (_, j) => post(subject, i + j)));
      const waits: number[] = [];
      let turn = 0;
      const cpu = await cpuOf(subject, () =>
        hammer(4000, Array.from({ length: 16 }), async () => {
          const started = performance.now();
          await ask(subject, turn++);
          waits.push(performance.now() - started);
        }),
      );
      return { 'requests/s': waits.length / 4, 'CPU per request (µs)': cpu / waits.length, ...percentiles(waits) };
    },
  };
}

const post = (subject: Subject, turn: number) =>
  subject.servers[0]?.request(
    'POST',
    `/api/channels/${subject.channels[turn % 20]}/messages`,
    { content: text },
    subject.tokens[turn % 16],
  );

const page = (subject: Subject, turn: number) =>
  subject.servers[0]?.request(
    'GET',
    `/api/channels/${subject.channels[turn % 20]}/messages`,
    undefined,
    subject.tokens[turn % 16],
  );

function connects(figure: 'connects/s' | 'KiB a socket', better: 'smaller' | 'larger', goal: number): Scenario {
  const setting = { channels: 5, people: 16 };
  return {
    name: figure === 'connects/s' ? 'connect, authenticate, join' : 'memory of an idle socket in 5 rooms',
    figure,
    unit: figure === 'connects/s' ? '/s' : 'KiB',
    better,
    goal,
    subjects: [() => baseline('stock', setting), () => parley(setting)],
    async measure(subject) {
      const warm = await connectAll(subject, 100, 5);
      close(warm);
      await pause(1000);
      const [server] = subject.servers;
      const before = server?.memory() ?? 0;
      const started = performance.now();
      const rooms = figure === 'connects/s' ? 1 : 5;
      const clients = await connectAll(subject, 1000, rooms, rooms === 5);
      const seconds = (performance.now() - started) / 1000;
      await pause(1500);
      const memory = ((server?.memory() ?? 0) - before) / clients.length;
      close(clients);
      return { 'connects/s': clients.length / seconds, 'KiB a socket': memory };
    },
  };
}

/** @param redisUrl of a Redis for both nodes */
function twoNodes(redisUrl: string): Scenario {
  const setting = { channels: 1, people: 2, nodes: 2, redisUrl };
  return {
    name: 'latency over two nodes, 100 messages/s',
    figure: 'p99 (ms)',
    unit: 'ms',
    better: 'smaller',
    goal: 1.2,
    subjects: [() => baseline('stock', setting), () => parley(setting)],
    async measure(subject) {
      const [sender, receiver] = [await subject.connect(0, 0), await subject.connect(1, 1)];
      const [channelId] = subject.channels;
      await receiver.emit('channel:join', { channelId });
      const waits: number[] = [];
      const sentAt = new Map<string, number>();
      receiver.onEvent = (event) => {
        const id = /m-(\d+)-/.exec(event)?.[1];
        const started = id === undefined ? undefined : sentAt.get(id);
        if (started !== undefined) waits.push(performance.now() - started);
      };
      let count = 0;
      await paced(5000, 100, async () => {
        const id = String(count++);
        sentAt.set(id, performance.now());
        await sender.emit('message:send', { channelId, content: `m-${id}- ${text}` });
      });
      await pause(500);
      close([sender, receiver]);
      return { ...percentiles(waits), delivered: waits.length };
    },
  };
}

/** @param redisUrl for what runs on two nodes */
export function scenarios(redisUrl: string): Scenario[] {
  return [
    fanOut(500, 60, 1, 1),
    fanOut(500, 120, 8, 0.6),
    fanOut(5000, 6, 1, 1),
    sends,
    rest('sends over REST', 0.8, post),
    rest('page of 50 messages over REST', 1, page),
    connects('connects/s', 'larger', 0.8),
    connects('KiB a socket', 'smaller', 1.2),
    twoNodes(redisUrl),
  ];
}

/** @param rooms each client joins one of the first `rooms` channels, or all of them */
async function connectAll(subject: Subject, count: number, rooms: number, all = false): Promise<RawClient[]> {
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

async function cpuOf(subject: Subject, work: () => Promise<unknown>): Promise<number> {
  const total = () => subject.servers.reduce((sum, server) => sum + server.cpu(), 0);
  const before = total();
  await work();
  return total() - before;
}

/** Calls `work` at an even rate, whether or not earlier calls are done. */
async function paced(ms: number, perSecond: number, work: () => Promise<unknown>): Promise<void> {
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

/** Calls `work` over and over on each of `workers`, one call after the other. */
async function hammer<W>(ms: number, workers: W[], work: (worker: W) => Promise<void>): Promise<void> {
  const end = performance.now() + ms;
  await Promise.all(
    workers.map(async (worker) => {
      while (performance.now() < end) await work(worker);
    }),
  );
}

/** Waits until no more events come. */
async function settled(clients: RawClient[]): Promise<void> {
  for (let before = -1; before !== deliveries(clients); ) {
    before = deliveries(clients);
    await pause(300);
  }
}

const deliveries = (clients: RawClient[]) => clients.reduce((sum, client) => sum + client.events, 0);
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

function close(clients: RawClient[]): void {
  for (const client of clients) client.close();
}

function percentiles(values: number[]): Figures {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0;
  return { 'p50 (ms)': at(0.5), 'p99 (ms)': at(0.99) };
}
