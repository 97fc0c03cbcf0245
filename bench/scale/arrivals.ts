import type { RawClient } from '../client.ts';
import { type Cost, costAboveIdle } from '../cost.ts';
import { Fleet } from '../fleet/fleet.ts';
import { paced, pause, percentiles, text, timed } from '../load.ts';
import type { Figures } from '../scenario.ts';
import { parley, type Subject } from '../subject.ts';
import { atOnce, type Part, portsOf } from './part.ts';

const rooms = 5;
const perSecond = 20;
export const newcomers = 60;
/** How long a node is given to tell everybody who came, or who went (`presence.graceMs` and what follows it). */
const toldMs = 1500;
const goneMs = 13_000;
const sends = 200;
const sendsPerSecond = 50;

/** People online in one server, `newcomers` more who may come, and a channel beside their rooms that is empty. */
export interface Crowd {
  subject: Subject;
  fleet: Fleet;
  quiet: string;
  /** What some work costs beyond what goes on anyway, and how many bytes those who are online get for it. */
  costOf(work: () => Promise<unknown>): Promise<Cost & { bytes: number }>;
  stop(): Promise<void>;
}

/** @param online how many are there */
export async function openCrowd(online: number): Promise<Crowd> {
  const subject = await parley({ channels: rooms + 1, people: online + newcomers + 1 });
  const fleet = new Fleet();
  const [quiet = '', ...channels] = subject.channels;
  const tokens = subject.tokens.slice(newcomers + 1);
  const stop = () => fleet.stop().then(() => subject.stop());
  try {
    await fleet.open({ ports: portsOf(subject), tokens, channels, atOnce });
    await warmUp(subject);
    await pause(goneMs);
    const above = await costAboveIdle(subject);
    const costOf: Crowd['costOf'] = async (work) => {
      let bytes = 0;
      const cost = await above(async () => {
        const before = await fleet.tally();
        await work();
        bytes = (await fleet.tally()).bytes - before.bytes;
      });
      return { ...cost, bytes };
    };
    return { subject, fleet, quiet, costOf, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const warmUpConnects = 300;

/** The owner of the server comes and goes until that runs compiled. */
export async function warmUp(subject: Subject): Promise<void> {
  for (let i = 0; i < warmUpConnects; i++) {
    const owner = await subject.connect(0);
    for (const channelId of subject.channels) await owner.emit('channel:join', { channelId });
    owner.close();
  }
}

/** What each of the newcomers costs who comes into five rooms, and who goes again. */
export async function comeAndGo({ subject, quiet, costOf }: Crowd, sending = false): Promise<Figures> {
  const channels = subject.channels.filter((channelId) => channelId !== quiet);
  const clients: RawClient[] = [];
  const arrive = async () => {
    const client = await subject.connect(1 + clients.length);
    clients.push(client);
    for (const channelId of channels) await client.emit('channel:join', { channelId });
  };
  let waits: number[] = [];
  const came = await costOf(async () => {
    const meanwhile = sending ? sendTo(subject, quiet).then((times) => (waits = times)) : null;
    await paced((newcomers * 1000) / perSecond - 1, perSecond, arrive);
    await meanwhile;
    await pause(toldMs);
  });
  const gone = await costOf(async () => {
    for (const client of clients) client.close();
    await pause(goneMs);
  });
  return {
    'CPU of a connect (µs)': (came.nodes + came.postgres) / clients.length,
    'of it PostgreSQL (µs)': came.postgres / clients.length,
    'KiB to the others': came.bytes / clients.length / 1024,
    'CPU of a departure (µs)': (gone.nodes + gone.postgres) / clients.length,
    ...(sending ? named(waits, 'send meanwhile, ') : {}),
  };
}

/** Sends at an even rate to a channel that nobody is in. @returns how long each took, in ms */
async function sendTo(subject: Subject, channelId: string): Promise<number[]> {
  const sender = await subject.connect(0);
  const waits: number[] = [];
  const send = () => sender.emit('message:send', { channelId, content: text });
  await paced((sends * 1000) / sendsPerSecond - 1, sendsPerSecond, async () => {
    waits.push(await timed(send));
  });
  sender.close();
  return waits;
}

/** What a send costs in a channel that none of the people online is in. */
export async function sendElsewhere({ subject, quiet, costOf }: Crowd): Promise<Figures> {
  let waits: number[] = [];
  const { nodes, postgres, bytes } = await costOf(async () => {
    waits = await sendTo(subject, quiet);
  });
  return {
    'CPU of a send (µs)': (nodes + postgres) / sends,
    'of it PostgreSQL (µs)': postgres / sends,
    'KiB to the others': bytes / sends / 1024,
    ...percentiles(waits),
  };
}

const named = (waits: number[], prefix: string): Figures =>
  Object.fromEntries(Object.entries(percentiles(waits)).map(([name, ms]) => [prefix + name, ms]));

export const arrivals: Part = {
  name: 'arrivals',
  about:
    `${newcomers} people come online in a server, ${perSecond} a second, and go again: CPU of the node and of ` +
    'PostgreSQL beyond what goes on anyway, bytes to those who are there, and sends in a channel that nobody else is in.',
  people: 10_000,
  async run(people, row) {
    const sizes = [100, people].filter((size, at) => at > 0 || size < people);
    for (const size of sizes) {
      const crowd = await openCrowd(size);
      try {
        await sendElsewhere(crowd);
        const calm = await sendElsewhere(crowd);
        const busy = await comeAndGo(crowd, true);
        row(`${size} people online`, {
          ...busy,
          'calm, p50 (ms)': calm['p50 (ms)'] ?? 0,
          'calm, p99 (ms)': calm['p99 (ms)'] ?? 0,
        });
      } finally {
        await crowd.stop();
      }
    }
  },
};
