import pg from 'pg';
import { costOf } from '../cost.ts';
import { percentile, text, timed } from '../load.ts';
import type { Figures } from '../scenario.ts';
import type { Subject } from '../subject.ts';
import { type Amount, channelOf, commonWord, rareWord } from './fill.ts';
import { bytesOf } from './indexes.ts';

/** A server with so many messages, once it is filled. */
export interface Filled {
  subject: Subject;
  amount: Amount;
  isFilled: boolean;
}

interface Measure {
  name: string;
  /** Whether it is measured in several rounds. */
  isFast: boolean;
  measure(side: Filled): Promise<Figures>;
}

/** The crowd's members begin at 1; the first has read everything, the second nothing. */
export const reader = 1;
const stranger = 2;

/** Every request of a run has a number of its own, so that each is for channels that were not asked for lately. */
let turn = 0;

type Ask = (subject: Subject, amount: Amount) => Promise<void>;

/** Requests one after the other: the median time, and CPU of the node and of PostgreSQL for each. */
function asked(name: string, times: number, ask: Ask): Measure {
  const measure = async ({ subject, amount }: Filled): Promise<Figures> => {
    const waits: number[] = [];
    const round = async () => {
      waits.length = 0;
      for (let i = 0; i < times; i++, turn++) waits.push(await timed(() => ask(subject, amount)));
    };
    await round();
    const { nodes, postgres } = await costOf(subject, round);
    return { 'p50 (ms)': percentile(waits, 0.5), 'CPU (µs)': (nodes + postgres) / times };
  };
  return { name, isFast: true, measure };
}

const get = (path: (subject: Subject, amount: Amount) => string, person: number): Ask => {
  return (subject, amount) => subject.first.send('GET', path(subject, amount), undefined, subject.tokens[person]);
};
const place = ({ channels }: Amount) => `/api/channels/${channelOf((turn * 37) % channels)}/messages`;
/** As many as are in each channel on both sides. */
const limit = 10;
const newestPage = (_: Subject, amount: Amount) => `${place(amount)}?limit=${limit}`;
/** Somewhere in the older half of a channel. */
const olderPage = (_: Subject, amount: Amount) => {
  const share = ((turn * 13) % 100) / 200;
  return `${place(amount)}?limit=${limit}&after=${Math.floor((amount.messages / amount.channels) * share)}`;
};
/** A limit that differs, lest the same question is answered from a cache. */
const search =
  (word: string) =>
  ({ serverId }: Subject) =>
    `/api/search/messages?query=${word}&serverId=${serverId}&limit=${25 - (turn % 5)}`;
const list = ({ serverId }: Subject) => `/api/servers/${serverId}/channels`;

export const measures: Measure[] = [
  { name: 'on disk', isFast: false, measure: ({ subject }) => sizes(subject.databaseUrl) },
  {
    name: 'start of a node',
    isFast: true,
    measure: async ({ subject }) => ({ 'ready (ms)': await subject.restart(0) }),
  },
  asked('send', 300, ({ first, tokens }, amount) =>
    first.send('POST', place(amount), { content: text }, tokens[stranger]),
  ),
  asked(`newest page of ${limit}`, 300, get(newestPage, stranger)),
  asked(`older page of ${limit}`, 300, get(olderPage, stranger)),
  asked('search of a rare word', 30, get(search(rareWord), stranger)),
  asked('search of a common word', 30, get(search(commonWord), stranger)),
  asked('channel list, all read', 10, get(list, reader)),
  asked('channel list with unread counts', 10, get(list, stranger)),
];

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
