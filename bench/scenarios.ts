import { growth } from './growth.ts';
import { close, connectAll, cpuOf, deliveries, hammer, paced, pause, percentiles, settled, text } from './load.ts';
import type { Figures, Scenario, Side } from './scenario.ts';
import { secondStart } from './start.ts';
import { type Baseline, baseline, type Options, parley, type Subject } from './subject.ts';

/** Text of what the stock server passes on: as long as the record that Parley sends. */
const filler = { filler: 'x'.repeat(520) };
const roundMs = 1500;

/**
 * The same on a baseline and on Parley.
 * @param prepare brings a subject under the conditions to be measured, and gives what measures one round
 */
function both(
  script: Baseline,
  options: Options,
  prepare: (subject: Subject) => Promise<() => Promise<Figures>>,
): Scenario['sides'] {
  const side = (open: () => Promise<Subject>) => async (): Promise<Side> => {
    const subject = await open();
    return { measure: await prepare(subject), close: () => subject.stop() };
  };
  return [side(() => baseline(script, options)), side(() => parley(options))];
}

/** @param burst messages sent at once */
function fanOut(sockets: number, rate: number, burst: number, goal: number): Scenario {
  return {
    name: `fan-out to ${sockets} sockets${burst > 1 ? `, bursts of ${burst}` : ''}`,
    figure: 'CPU per delivery',
    unit: 'µs',
    better: 'smaller',
    goal,
    sides: both('stock', { channels: 1, people: 1 }, async (subject) => {
      const clients = await connectAll(subject, sockets, 1);
      const [sender] = clients;
      const [channelId] = subject.channels;
      if (!sender || !channelId) throw new Error('nobody there');
      const payload = subject.name === 'stock' ? { channelId, ...filler } : { channelId, content: text };
      const send = () => Promise.all(Array.from({ length: burst }, () => sender.emit('message:send', payload)));
      await paced(500, rate / burst, send);
      return async () => {
        await settled(clients);
        const before = deliveries(clients);
        const cpu = await cpuOf(subject, () => paced(roundMs, rate / burst, send));
        await settled(clients);
        return { 'CPU per delivery': cpu / (deliveries(clients) - before) };
      };
    }),
  };
}

const sends: Scenario = {
  name: 'sends over sockets, 20 channels of 10, 16 senders',
  figure: 'messages/s',
  unit: '/s',
  better: 'larger',
  goal: 1,
  sides: both('bare', { channels: 20, people: 16 }, async (subject) => {
    const listeners = await connectAll(subject, 200, 20);
    const senders = await connectAll(subject, 16, 0);
    let sent = 0;
    const round = (ms: number) =>
      hammer(ms, senders, async (sender) => {
        const channelId = subject.channels[sent++ % 20];
        const answer = await sender.emit('message:send', { channelId, content: text });
        if (!answer.ok) throw new Error(JSON.stringify(answer));
      });
    await round(1000);
    return async () => {
      const figures = await loaded(subject, 'send', round);
      await settled(listeners);
      return figures;
    };
  }),
};

/** What happens per second and what each costs. @param unit what is counted */
async function loaded(subject: Subject, unit: string, round: (ms: number) => Promise<number[]>): Promise<Figures> {
  let waits: number[] = [];
  const cpu = await cpuOf(subject, async () => {
    waits = await round(roundMs);
  });
  const name = unit === 'send' ? 'messages/s' : 'requests/s';
  return {
    [name]: (waits.length * 1000) / roundMs,
    [`CPU per ${unit} (µs)`]: cpu / waits.length,
    ...percentiles(waits),
  };
}

type Ask = (subject: Subject, turn: number) => Promise<unknown>;

/**
 * @param ask one request of turn after turn
 * @param messages in all channels together, before it begins
 */
function rest(name: string, goal: number, ask: Ask, messages = 1200): Scenario {
  return {
    name,
    figure: 'requests/s',
    unit: '/s',
    better: 'larger',
    goal,
    sides: both('bare', { channels: 20, people: 16 }, async (subject) => {
      let turn = 0;
      const workers = Array.from({ length: 16 });
      for (let i = 0; i < messages; i += 16) await Promise.all(workers.map(() => post(subject, turn++)));
      const round = (ms: number) => hammer(ms, workers, () => ask(subject, turn++));
      await round(1000);
      return () => loaded(subject, 'request', round);
    }),
  };
}

const messagesOf = (subject: Subject, turn: number) => `/api/channels/${subject.channels[turn % 20]}/messages`;
const post: Ask = (subject, turn) =>
  subject.first.send('POST', messagesOf(subject, turn), { content: text }, subject.tokens[turn % 16]);
const newestPage: Ask = (subject, turn) =>
  subject.first.send('GET', messagesOf(subject, turn), undefined, subject.tokens[turn % 16]);
/** @param places where pages begin, in each of the channels */
const olderPage =
  (places: number): Ask =>
  (subject, turn) => {
    const path = `${messagesOf(subject, turn)}?after=${Math.floor(turn / 20) % places}`;
    return subject.first.send('GET', path, undefined, subject.tokens[turn % 16]);
  };

const connects: Scenario = {
  name: 'connect, authenticate, join',
  figure: 'connects/s',
  unit: '/s',
  better: 'larger',
  goal: 0.8,
  sides: both('stock', { channels: 5, people: 16 }, async (subject) => {
    const round = async (count: number): Promise<Figures> => {
      const started = performance.now();
      let seconds = 0;
      const cpu = await cpuOf(subject, async () => {
        const clients = await connectAll(subject, count, 5);
        seconds = (performance.now() - started) / 1000;
        close(clients);
      });
      await pause(500);
      return { 'connects/s': count / seconds, 'CPU per connect (µs)': cpu / count };
    };
    await round(500);
    return () => round(1000);
  }),
};

const memory: Scenario = {
  name: 'memory of an idle socket in 5 rooms',
  figure: 'memory',
  unit: 'KiB',
  better: 'smaller',
  goal: 1.2,
  sides: both('stock', { channels: 5, people: 16 }, async (subject) => {
    close(await connectAll(subject, 100, 5, true));
    return async () => {
      await pause(500);
      const before = await subject.first.memory();
      const clients = await connectAll(subject, 1000, 5, true);
      await pause(500);
      const used = ((await subject.first.memory()) - before) / clients.length;
      close(clients);
      return { memory: used };
    };
  }),
};

/**
 * @param other `stock` passes messages on and keeps nothing; `bare` waits for one INSERT before it does
 * @param redisUrl of a Redis for both nodes
 */
function twoNodes(other: 'stock' | 'bare', redisUrl: string): Scenario {
  return {
    name: `latency over two nodes, 100 messages/s${other === 'bare' ? ', against one INSERT each' : ''}`,
    figure: 'p99 (ms)',
    unit: 'ms',
    better: 'smaller',
    goal: 1.2,
    sides: both(other, { channels: 1, people: 2, nodes: 2, redisUrl }, async (subject) => {
      const [sender, receiver] = [await subject.connect(0, 0), await subject.connect(1, 1)];
      const [channelId] = subject.channels;
      await receiver.emit('channel:join', { channelId });
      let count = 0;
      const round = async (ms: number): Promise<Figures> => {
        const waits: number[] = [];
        const sentAt = new Map<string, number>();
        receiver.onEvent = (event) => {
          const started = sentAt.get(/m-(\d+)-/.exec(event)?.[1] ?? '');
          if (started !== undefined) waits.push(performance.now() - started);
        };
        await paced(ms, 100, async () => {
          const id = String(count++);
          sentAt.set(id, performance.now());
          await sender.emit('message:send', { channelId, content: `m-${id}- ${text}` });
        });
        await pause(300);
        return percentiles(waits);
      };
      // Servers that have run for a while: compiled, their statements prepared.
      const send = async () => void (await sender.emit('message:send', { channelId, content: text }));
      await hammer(1500, [1, 2, 3, 4], send);
      return () => round(4000);
    }),
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
    rest('newest page of 50 messages over REST', 1, newestPage),
    rest('older page of 50, which others read too', 1, olderPage(1)),
    rest('older page of 50, which nobody else reads', 1, olderPage(500), 11_000),
    connects,
    memory,
    twoNodes('stock', redisUrl),
    twoNodes('bare', redisUrl),
    ...growth,
    secondStart,
  ];
}
