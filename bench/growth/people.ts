import pg from 'pg';
import { costAboveIdle, costOf } from '../cost.ts';
import { crowdUser } from '../crowd.ts';
import { messageFor, paced, percentiles, text, timed } from '../load.ts';
import { type Crowd, comeAndGo, newcomers, openCrowd, sendElsewhere } from '../scale/arrivals.ts';
import { type Figures, type Measured, type Stage, stage } from '../scenario.ts';
import { parley, type Subject } from '../subject.ts';

/** CPU of all nodes and of PostgreSQL together, where there are few people, rooms or nodes, and where there are many. */
const goal = 1.2;

const perRun = { unit: 'µs', better: 'smaller', goal } as const;

interface Row<S> {
  what: string;
  figure: string;
  rounds: number;
  measure(subject: S): Promise<Figures>;
}

/** @param open those with little, then those with much */
function rows<S extends { stop(): Promise<void> }>(open: (() => Promise<S>)[], ...all: Row<S>[]): Stage {
  const scenario = ({ what, measure, ...rest }: Row<S>): Measured<S> => ({
    name: `growth: ${what}`,
    ...perRun,
    ...rest,
    async prepare(subject) {
      await measure(subject);
      return { measure: () => measure(subject), close: () => {} };
    },
  });
  return stage(open, all.map(scenario));
}

const [fewPeople, manyPeople] = [100, 10_000];

const people: Stage = rows<Crowd>(
  [fewPeople, manyPeople].map((online) => () => openCrowd(online)),
  {
    what: `${fewPeople} → ${manyPeople} people online, ${newcomers} who come into 5 rooms`,
    figure: 'CPU of a connect (µs)',
    rounds: 1,
    measure: comeAndGo,
  },
  {
    what: `${fewPeople} → ${manyPeople} people online, a send in an empty channel`,
    figure: 'CPU of a send (µs)',
    rounds: 3,
    measure: sendElsewhere,
  },
);

const [fewDms, manyDms] = [1, 1000];
const connects = 100;

/** DMs number 1 to $1 of the first member of a crowd with those after them. */
const dm = `('00000000-0000-7000-8003-' || lpad(to_hex(n), 12, '0'))::uuid`;
const other = `('${crowdUser(0).slice(0, -12)}' || lpad(to_hex(n + 1), 12, '0'))::uuid`;
const insertDms = [
  `INSERT INTO channels (id, kind, name, type, is_private, created_at, updated_at)
   SELECT ${dm}, 'dm', 'dm', 'text', true, now(), now() FROM generate_series(1, $1::int) AS n`,
  `INSERT INTO streams (id, kind) SELECT ${dm}, 'channel' FROM generate_series(1, $1::int) AS n`,
  `INSERT INTO dm_channels (channel_id, low_id, high_id, last_active_at)
   SELECT ${dm}, '${crowdUser(1)}', ${other}, now() FROM generate_series(1, $1::int) AS n`,
];

async function withDms(count: number): Promise<Subject> {
  const subject = await parley({ channels: 1, people: manyDms + 2 });
  const client = new pg.Client(subject.databaseUrl);
  await client.connect();
  try {
    for (const statement of insertDms) await client.query(statement, [count]);
  } finally {
    await client.end();
  }
  return subject;
}

/** The first member of the crowd comes again and again. */
async function connectAlone(subject: Subject): Promise<Figures> {
  const { nodes, postgres } = await (await costAboveIdle(subject))(async () => {
    for (let i = 0; i < connects; i++) (await subject.connect(1)).close();
  });
  return { 'CPU of a connect (µs)': (nodes + postgres) / connects, 'of it PostgreSQL (µs)': postgres / connects };
}

const dms: Stage = rows(
  [fewDms, manyDms].map((count) => () => withDms(count)),
  {
    what: `${fewDms} → ${manyDms} DMs of a person who connects`,
    figure: 'CPU of a connect (µs)',
    rounds: 3,
    measure: connectAlone,
  },
);

const [fewRooms, manyRooms] = [1, 500];
const sends = 200;
const sendsPerSecond = 100;

/** Sends to the first channel, whose listener is in others too. */
async function sendToFirst(subject: Subject): Promise<Figures> {
  const [channelId = ''] = subject.channels;
  const sender = await subject.connect(0);
  const waits: number[] = [];
  const payload = messageFor(subject, channelId, text);
  const { nodes, postgres } = await (await costAboveIdle(subject))(() =>
    paced((sends * 1000) / sendsPerSecond - 1, sendsPerSecond, async () => {
      waits.push(await timed(() => sender.emit('message:send', payload)));
    }),
  );
  sender.close();
  const figures = { 'CPU of a send (µs)': (nodes + postgres) / sends, 'of it PostgreSQL (µs)': postgres / sends };
  return { ...figures, ...percentiles(waits) };
}

/** A socket that is in all channels. */
async function inRooms(count: number): Promise<Subject> {
  const subject = await parley({ channels: count, people: 2 });
  const listener = await subject.connect(1);
  for (const channelId of subject.channels) await listener.emit('channel:join', { channelId });
  return subject;
}

const leastJoins = 1000;

/** Joins and leaves all channels over and over. */
async function joinAll(subject: Subject): Promise<Figures> {
  const { channels } = subject;
  const turns = Math.max(2, leastJoins / channels.length);
  let joins = 0;
  const { nodes, postgres } = await costOf(subject, async () => {
    const client = await subject.connect(1);
    for (let turn = 0; turn < turns; turn++) {
      for (const channelId of channels) await client.emit('channel:join', { channelId });
      for (const channelId of channels) await client.emit('channel:leave', { channelId });
      joins += channels.length;
    }
    client.close();
  });
  return { 'CPU of a join (µs)': (nodes + postgres) / joins, 'of it PostgreSQL (µs)': postgres / joins };
}

const rooms: Stage = rows(
  [fewRooms, manyRooms].map((count) => () => inRooms(count)),
  {
    what: `${fewRooms} → ${manyRooms} rooms of a socket, a send to one of them`,
    figure: 'CPU of a send (µs)',
    rounds: 3,
    measure: sendToFirst,
  },
  {
    what: `${fewRooms} → ${manyRooms} rooms of a socket, a join`,
    figure: 'CPU of a join (µs)',
    rounds: 1,
    measure: joinAll,
  },
);

const listeners = 4;

/** Nodes with a listener each in the first channel. */
async function withNodes(nodes: number, redisUrl: string): Promise<Subject> {
  const subject = await parley({ channels: 1, people: listeners + 1, nodes, redisUrl });
  const [channelId] = subject.channels;
  for (let i = 0; i < listeners; i++) {
    const listener = await subject.connect(i + 1, i % nodes);
    await listener.emit('channel:join', { channelId });
  }
  return subject;
}

const nodes = (redisUrl: string): Stage[] =>
  [2, 4].map((count) =>
    rows(
      [1, count].map((each) => () => withNodes(each, redisUrl)),
      {
        what: `1 → ${count} nodes, a send to ${listeners} sockets`,
        figure: 'CPU of a send (µs)',
        rounds: 3,
        measure: sendToFirst,
      },
    ),
  );

/** @param redisUrl for what runs on several nodes */
export const peopleGrowth = (redisUrl: string): Stage[] => [people, dms, rooms, ...nodes(redisUrl)];
