import pg from 'pg';
import { costOf } from '../cost.ts';
import { percentile, percentiles, text, timed } from '../load.ts';
import type { Figures } from '../scenario.ts';
import type { Subject } from '../subject.ts';
import { type Amount, channelOf, commonWord, rareWord } from './fill.ts';
import { bytesOf } from './indexes.ts';

/** What is measured: the median time of one and what one costs the node and PostgreSQL. */
interface Measure {
  name: string;
  times: number;
  ask(subject: Subject, turn: number): Promise<unknown>;
}

/** The crowd's members begin at 1; the first has read everything, the second nothing. */
export const reader = 1;
const stranger = 2;

/** Channels that have not been asked for lately, one after the other. */
const measures = ({ messages, channels }: Amount): Measure[] => {
  const place = (turn: number) => `/api/channels/${channelOf((turn * 37) % channels)}/messages`;
  const newest = Math.floor(messages / channels);
  const older = (turn: number) => `${place(turn)}?after=${Math.floor((newest * ((turn * 13) % 100)) / 110)}`;
  const get = (path: (turn: number) => string, person: number) => (subject: Subject, turn: number) =>
    subject.first.send('GET', path(turn), undefined, subject.tokens[person]);
  const search =
    (word: string) =>
    (turn: number, { serverId }: Subject) =>
      `/api/search/messages?query=${word}&serverId=${serverId}&limit=${25 - (turn % 5)}`;
  const find = (word: string) => (subject: Subject, turn: number) =>
    subject.first.send('GET', search(word)(turn, subject), undefined, subject.tokens[stranger]);
  const list = (person: number) => (subject: Subject) =>
    subject.first.send('GET', `/api/servers/${subject.serverId}/channels`, undefined, subject.tokens[person]);
  return [
    {
      name: 'send',
      times: 400,
      ask: ({ first, tokens }, turn) => first.send('POST', place(turn), { content: text }, tokens[stranger]),
    },
    { name: 'newest page', times: 400, ask: get(place, stranger) },
    { name: 'older page', times: 400, ask: get(older, stranger) },
    { name: `search of a rare word`, times: 40, ask: find(rareWord) },
    { name: `search of a common word`, times: 40, ask: find(commonWord) },
    { name: 'channel list, all read', times: 12, ask: list(reader) },
    { name: 'channel list, all unread', times: 12, ask: list(stranger) },
  ];
};

/** Everything that is measured, by its name. */
export function measured(subject: Subject, amount: Amount): [name: string, measure: () => Promise<Figures>][] {
  const asked = measures(amount).map((measure): [string, () => Promise<Figures>] => [
    measure.name,
    () => one(subject, measure),
  ]);
  return [['on disk', () => sizes(subject.databaseUrl)], ['start of a node', () => starts(subject)], ...asked];
}

async function one(subject: Subject, { times, ask }: Measure): Promise<Figures> {
  const waits: number[] = [];
  const { nodes, postgres } = await costOf(subject, async () => {
    for (let turn = 0; turn < times; turn++) waits.push(await timed(() => ask(subject, turn)));
  });
  return { ...percentiles(waits), 'CPU (µs)': (nodes + postgres) / times };
}

/** A node that starts is another process each time, so only its time is measured. */
async function starts(subject: Subject): Promise<Figures> {
  const waits = [await subject.restart(0), await subject.restart(0), await subject.restart(0)];
  return { 'ready after, median of 3 (ms)': percentile(waits, 0.5) };
}

/** Bytes on disk: of a message in its table and in the indexes, and of an entry in the log with its indexes. */
async function sizes(url: string): Promise<Figures> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const count = async (table: string) => (await client.query(`SELECT count(*)::float AS n FROM ${table}`)).rows[0].n;
    const [messages, entries] = [await bytesOf(client, 'messages'), await bytesOf(client, 'log_entries')];
    const [ofMessages, ofEntries] = [await count('messages'), await count('log_entries')];
    return {
      'table (bytes a message)': messages.rows / ofMessages,
      'indexes (bytes a message)': messages.indexes / ofMessages,
      'log (bytes an entry)': entries.rows / ofEntries,
      'its indexes (bytes an entry)': entries.indexes / ofEntries,
    };
  } finally {
    await client.end();
  }
}
