import { dataGrowth } from './growth/data.ts';
import { peopleGrowth } from './growth/people.ts';
import {
  close,
  connectAll,
  cpuOf,
  deliveries,
  hammer,
  messageFor,
  paced,
  pause,
  percentile,
  percentiles,
  settled,
  text,
} from './load.ts';
import { type Figures, type Measured, type Stage, stage } from './scenario.ts';
import { secondStart } from './start.ts';
import { type Baseline, baseline, type Options, parley, type Subject } from './subject.ts';

const roundMs = 1000;
/**
 * Servers that have run for a while are compared: their statements prepared, and what is called often compiled, which
 * takes either side some ten thousand requests.
 */
const warmUpMs = 3000;

/** The same scenarios on a baseline and on Parley. */
function against(script: Baseline, options: Options, scenarios: Measured<Subject>[]): Stage {
  return stage([() => baseline(script, options), () => parley(options)], scenarios);
}

/** Somebody else each, and all of them members of one server. */
const sizes = [100, 1000, 10_000];
const deliveriesPerSecond = 30_000;

/** @param burst messages sent at once */
function fanOut(people: number, burst: number, goal: number): Measured<Subject> {
  const rate = (burst > 1 ? 2 : 1) * (deliveriesPerSecond / people);
  return {
    name: `fan-out to ${people} people${burst > 1 ? `, bursts of ${burst}` : ''}`,
    figure: 'CPU per delivery',
    unit: 'µs',
    better: 'smaller',
    goal,
    rounds: 3,
    async prepare(subject) {
      const clients = await connectAll(subject, people, 1);
      const [sender] = clients;
      const [channelId] = subject.channels;
      if (!sender || !channelId) throw new Error('nobody there');
      const payload = messageFor(subject, channelId, text);
      const send = () => Promise.all(Array.from({ length: burst }, () => sender.emit('message:send', payload)));
      await paced(500, rate / burst, send);
      return {
        async measure() {
          await settled(clients);
          const before = deliveries(clients);
          const cpu = await cpuOf(subject, () => paced(roundMs, rate / burst, send));
          await settled(clients);
          return { 'CPU per delivery': cpu / (deliveries(clients) - before) };
        },
        close: () => close(clients),
      };
    },
  };
}

/** @param count of senders, each of which waits for its ack before it sends again */
function sends(count: number, rounds: number): Measured<Subject> {
  return {
    name: `sends over sockets, 20 channels of 10, ${count} senders`,
    figure: 'messages/s',
    unit: '/s',
    better: 'larger',
    goal: 1,
    rounds,
    async prepare(subject) {
      const listeners = await connectAll(subject, 200, 20);
      const senders = await connectAll(subject, count, 0);
      let sent = 0;
      const round = (ms: number) =>
        hammer(ms, senders, async (sender) => {
          const channelId = subject.channels[sent++ % 20];
          const answer = await sender.emit('message:send', { channelId, content: text });
          if (!answer.ok) throw new Error(JSON.stringify(answer));
        });
      await round(warmUpMs);
      return {
        async measure() {
          const figures = await loaded(subject, 'send', round);
          await settled(listeners);
          return figures;
        },
        close: () => close([...listeners, ...senders]),
      };
    },
  };
}

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
 * @param listeners sockets that are in the channels
 * @param messages that are sent before it begins, to all channels together
 */
function rest(name: string, goal: number, ask: Ask, { listeners = 0, messages = 1200 } = {}): Measured<Subject> {
  return {
    name,
    figure: 'requests/s',
    unit: '/s',
    better: 'larger',
    goal,
    rounds: 3,
    async prepare(subject) {
      const sockets = await connectAll(subject, listeners, 20);
      let turn = 0;
      const workers = Array.from({ length: 16 });
      for (let i = 0; i < messages; i += 16) await Promise.all(workers.map(() => post(subject, turn++)));
      const round = (ms: number) => hammer(ms, workers, () => ask(subject, turn++));
      await round(warmUpMs);
      return {
        async measure() {
          const figures = await loaded(subject, 'request', round);
          if (listeners > 0) await settled(sockets);
          return figures;
        },
        close: () => close(sockets),
      };
    },
  };
}

const messagesOf = (subject: Subject, turn: number) => `/api/channels/${subject.channels[turn % 20]}/messages`;
const post: Ask = (subject, turn) =>
  subject.first.send('POST', messagesOf(subject, turn), { content: text }, subject.tokens[turn % 16]);
const newestPage: Ask = (subject, turn) =>
  subject.first.send('GET', messagesOf(subject, turn), undefined, subject.tokens[turn % 16]);
/** It begins somewhere else each time. */
const olderPage: Ask = (subject, turn) => {
  const path = `${messagesOf(subject, turn)}?after=${Math.floor(turn / 20) % 300}`;
  return subject.first.send('GET', path, undefined, subject.tokens[turn % 16]);
};

/** After so long someone who went is offline, so that whoever comes next comes online (`presence.graceMs`). */
const goneMs = 12_000;
const connectsOfRound = 1000;
const warmUpConnects = 9000;

const connects = (people: number): Measured<Subject> => ({
  name: `connect, authenticate, join, ${people} people`,
  figure: 'connects/s',
  unit: '/s',
  better: 'larger',
  goal: 0.8,
  rounds: 3,
  async prepare(subject) {
    const round = async (): Promise<Figures> => {
      let seconds = 0;
      let count = 0;
      const cpu = await cpuOf(subject, async () => {
        // More than once where they are few: CPU time is counted in steps of 10 ms.
        for (; count < connectsOfRound; count += people) {
          const started = performance.now();
          const clients = await connectAll(subject, people, 5);
          seconds += (performance.now() - started) / 1000;
          close(clients);
        }
      });
      return { 'connects/s': count / seconds, 'CPU per connect (µs)': cpu / count };
    };
    for (let done = 0; done < warmUpConnects; done += Math.max(people, connectsOfRound)) await round();
    return {
      async measure() {
        await pause(subject.name === 'parley' ? goneMs : 300);
        return round();
      },
      close: () => {},
    };
  },
});

const memory = (people: number): Measured<Subject> => ({
  name: `memory of an idle socket in 5 rooms, ${people} people`,
  figure: 'memory',
  unit: 'KiB',
  better: 'smaller',
  goal: 1.2,
  rounds: 3,
  async prepare(subject) {
    close(await connectAll(subject, 100, 5, true));
    return {
      async measure() {
        await pause(500);
        const before = await subject.first.memory();
        const clients = await connectAll(subject, people, 5, true);
        await pause(500);
        const used = ((await subject.first.memory()) - before) / clients.length;
        close(clients);
        return { memory: used };
      },
      close: () => {},
    };
  },
});

/**
 * From somebody on one node to somebody on the other, beside a server that keeps nothing and one that waits for one INSERT.
 * Short rounds by turns, and many of them: what else the machine does for a moment, which is most of a p99 at this load,
 * spoils one of them and not the median.
 */
const crossing: Measured<Subject> = {
  name: 'latency over two nodes, 100 messages/s',
  against: ['', ', against one INSERT each'],
  figure: 'p99 (ms)',
  unit: 'ms',
  better: 'smaller',
  goal: 1.2,
  rounds: 9,
  async prepare(subject) {
    const [sender, receiver] = [await subject.connect(0, 0), await subject.connect(1, 1)];
    const [channelId] = subject.channels;
    await receiver.emit('channel:join', { channelId });
    let count = 0;
    const measure = async (): Promise<Figures> => {
      const waits: number[] = [];
      const sentAt = new Map<string, number>();
      receiver.onEvent = (event) => {
        const started = sentAt.get(/m-(\d+)-/.exec(event)?.[1] ?? '');
        if (started !== undefined) waits.push(performance.now() - started);
      };
      await paced(2 * roundMs, 100, async () => {
        const id = String(count++);
        sentAt.set(id, performance.now());
        await sender.emit('message:send', { channelId, content: `m-${id}- ${text}` });
      });
      await pause(200);
      return { ...percentiles(waits), 'p95 (ms)': percentile(waits, 0.95) };
    };
    await hammer(warmUpMs, [1, 2, 3, 4], () => sender.emit('message:send', { channelId, content: text }));
    return { measure, close: () => close([sender, receiver]) };
  },
};

function twoNodes(redisUrl: string): Stage {
  const options: Options = { channels: 1, people: 2, nodes: 2, redisUrl };
  const open = [() => baseline('stock', options), () => baseline('bare', options), () => parley(options)];
  return stage(open, [crossing]);
}

/** @param redisUrl for what runs on two nodes */
export function stages(redisUrl: string): Stage[] {
  const loads = [
    sends(16, 5),
    sends(64, 3),
    rest('sends over REST, 20 channels of 10', 0.8, post, { listeners: 200 }),
    rest('sends over REST, nobody listens', 0.8, post),
    rest('newest page of 50 messages over REST', 1, newestPage),
    rest('older page of 50, which nobody else reads', 1, olderPage, { messages: 7_000 }),
  ];
  const ofSize = (people: number) => [
    against('stock', { channels: 5, people }, [fanOut(people, 1, 1), fanOut(people, 8, 0.6), memory(people)]),
    against('guarded', { channels: 5, people }, [connects(people)]),
  ];
  return [
    ...sizes.flatMap(ofSize),
    against('bare', { channels: 20, people: 16 }, loads),
    twoNodes(redisUrl),
    ...dataGrowth,
    ...peopleGrowth(redisUrl),
    secondStart,
  ];
}
