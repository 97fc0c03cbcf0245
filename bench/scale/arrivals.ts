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
export async function comeAndGo(crowd: Crowd): Promise<Figures> {
  const clients: RawClient[] = [];
  const came = await crowd.costOf(async () => {
    await arrive(crowd, clients);
    await pause(toldMs);
  });
  const gone = await crowd.costOf(async () => {
    for (const client of clients) client.close();
    await pause(goneMs);
  });
  return {
    'CPU of a connect (µs)': (came.nodes + came.postgres) / newcomers,
    'of it PostgreSQL (µs)': came.postgres / newcomers,
    'KiB to the others': came.bytes / newcomers / 1024,
    'CPU of a departure (µs)': (gone.nodes + gone.postgres) / newcomers,
  };
}

/** @param clients gets those of the newcomers */
async function arrive({ subject, quiet }: Crowd, clients: RawClient[]): Promise<void> {
  const channels = subject.channels.filter((channelId) => channelId !== quiet);
  let next = 1;
  await paced((newcomers * 1000) / perSecond - 1, perSecond, async () => {
    const client = await subject.connect(next++);
    clients.push(client);
    for (const channelId of channels) await client.emit('channel:join', { channelId });
  });
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

/** How long sends to an empty channel take while the newcomers come. */
async function sendsMeanwhile(crowd: Crowd): Promise<Figures> {
  const clients: RawClient[] = [];
  const [waits] = await Promise.all([sendTo(crowd.subject, crowd.quiet), arrive(crowd, clients)]);
  for (const client of clients) client.close();
  return percentiles(waits);
}

const named = (prefix: string, figures: Figures): Figures =>
  Object.fromEntries(Object.entries(figures).map(([name, value]) => [`${prefix}: ${name}`, value]));

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
        const calm = percentiles(await sendTo(crowd.subject, crowd.quiet));
        const costs = await comeAndGo(crowd);
        const busy = await sendsMeanwhile(crowd);
        row(`${size} people online`, { ...costs, ...named('send', calm), ...named('send meanwhile', busy) });
      } finally {
        await crowd.stop();
      }
    }
  },
};
