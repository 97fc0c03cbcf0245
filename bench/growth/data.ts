import pg from 'pg';
import { withoutIndexes } from '../data/indexes.ts';
import { medians, text, timed } from '../load.ts';
import { type Figures, type Stage, stage } from '../scenario.ts';
import { parley, type Subject } from '../subject.ts';

/** What a person's send and page of messages take where there is little, and where there is much. */
const turns = 60;

/** Puts so much into the subject's database. $1 the channel, $2 how many. */
interface Seed {
  what: string;
  little: number;
  much: number;
  /** The table that gets so many rows that its indexes are built afterwards. */
  table?: string;
  statements: string[];
}

const newId = "overlay(overlay(gen_random_uuid()::text PLACING '7' FROM 15 FOR 1) PLACING 'a' FROM 20 FOR 1)::uuid";

const seeds: Seed[] = [
  {
    what: 'messages in the channel',
    little: 1000,
    much: 1_000_000,
    table: 'messages',
    statements: [
      `INSERT INTO messages (id, channel_id, seq, author_id, content, has_extras, created_at, updated_at)
       SELECT ${newId}, $1, s.last_seq + i, c.created_by, '${text}', false, now(), now()
       FROM channels c JOIN streams s ON s.id = c.id CROSS JOIN generate_series(1, $2::int) AS i WHERE c.id = $1`,
      'UPDATE streams SET last_seq = last_seq + $2::int, floor_seq = last_seq + $2::int WHERE id = $1',
    ],
  },
  {
    what: 'members',
    little: 10,
    much: 10_000,
    statements: [
      `INSERT INTO users (id, username, username_key, display_name, is_bot, tier, created_at, updated_at)
       SELECT ${newId}, 'many' || i, 'many' || i, 'many' || i, false, 'member', now(), now()
       FROM generate_series(1, $2::int) AS i WHERE $1::uuid IS NOT NULL`,
      `INSERT INTO streams (id, kind) SELECT id, 'user' FROM users WHERE username LIKE 'many%'`,
      `INSERT INTO server_members (server_id, user_id, role, joined_at)
       SELECT c.server_id, u.id, 'member', now() FROM channels c CROSS JOIN users u
       WHERE c.id = $1 AND u.username LIKE 'many%' AND $2::int > 0`,
    ],
  },
  {
    what: 'channels of a user',
    little: 1,
    much: 1000,
    statements: [
      `INSERT INTO channels (id, server_id, kind, name, type, is_private, created_by, created_at, updated_at)
       SELECT ${newId}, server_id, 'server', 'many' || i, 'text', false, created_by, now(), now()
       FROM channels CROSS JOIN generate_series(1, $2::int) AS i WHERE channels.id = $1`,
      `INSERT INTO streams (id, kind) SELECT id, 'channel' FROM channels WHERE name LIKE 'many%'`,
    ],
  },
];

async function fill(url: string, { table, statements }: Seed, channelId: string, count: number): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  const insert = async () => {
    for (const statement of statements) {
      const values = [channelId, count].filter((_, i) => statement.includes(`$${i + 1}`));
      await client.query(statement, values);
    }
  };
  try {
    await (table ? withoutIndexes(client, table, () => {}, insert) : insert());
    await client.query('VACUUM ANALYZE');
  } finally {
    await client.end();
  }
}

async function filled(seed: Seed, count: number): Promise<Subject> {
  const subject = await parley({ channels: 1, people: 1 });
  await fill(subject.databaseUrl, seed, subject.channels[0] ?? '', count);
  return subject;
}

/** One after the other, so that what takes longer in the database shows as well. */
async function one(subject: Subject): Promise<Figures> {
  const [token] = subject.tokens;
  const [channelId] = subject.channels;
  const path = `/api/channels/${channelId}/messages`;
  const rounds: Figures[] = [];
  for (let i = 0; i < turns; i++) {
    const send = await timed(() => subject.first.send('POST', path, { content: text }, token));
    const newest = await timed(() => subject.first.send('GET', path, undefined, token));
    const older = await timed(() => subject.first.send('GET', `${path}?after=${i * 5}`, undefined, token));
    rounds.push({ 'send (ms)': send, 'newest page (ms)': newest, 'older page (ms)': older });
  }
  const middle = medians(rounds);
  return { 'send and pages (ms)': Object.values(middle).reduce((sum, ms) => sum + ms), ...middle };
}

export const dataGrowth: Stage[] = seeds.map((seed) =>
  stage(
    [() => filled(seed, seed.little), () => filled(seed, seed.much)],
    [
      {
        name: `growth: ${seed.little} → ${seed.much} ${seed.what}`,
        figure: 'send and pages (ms)',
        unit: 'ms',
        better: 'smaller',
        goal: 1.2,
        rounds: 3,
        async prepare(subject) {
          await one(subject);
          return { measure: () => one(subject), close: () => {} };
        },
      },
    ],
  ),
);
