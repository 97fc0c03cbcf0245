import pg from 'pg';
import { crowdUser } from '../crowd.ts';
import { withoutIndexes } from './indexes.ts';

/** What a database is filled with. */
export interface Amount {
  messages: number;
  channels: number;
  /** Members of the server, one of whom wrote each message. */
  members: number;
}

/** Words of the messages: the commoner the lower its number, as in any language (Zipf). */
const vocabulary = 20_000;
const wordsOfMessage = 9;
export const commonWord = 'word1';
/** It is in as many messages whatever their number. */
export const rareWord = 'needle';
const rareMessages = 20;
/** The newest messages of each channel are in its log. */
const logged = 20;

const chunk = 50_000;
const atOnce = 2;

const hex = (prefix: string, n: string) => `('${prefix}' || lpad(to_hex(${n}), 12, '0'))::uuid`;
const channelPrefix = '00000000-0000-7000-8002-';
export const channelOf = (n: number) => channelPrefix + (n + 1).toString(16).padStart(12, '0');
const channelId = hex(channelPrefix, 'n');

/** $1 how many, $2 a channel of the server */
const insertChannels = `INSERT INTO channels
    (id, server_id, kind, name, type, is_private, position, created_by, created_at, updated_at)
  SELECT ${channelId}, c.server_id, 'server', 'data' || n, 'text', false, n, c.created_by, now(), now()
  FROM channels c CROSS JOIN generate_series(1, $1::int) AS n WHERE c.id = $2`;
const insertStreams = `INSERT INTO streams (id, kind) SELECT ${channelId}, 'channel' FROM generate_series(1, $1::int) AS n`;

const word = `'word' || floor(power(${vocabulary}, random()))::int`;
/**
 * Messages number $1 to $2 of $3, over a year, by turns in $4 channels and of $5 members. The ids have the time in them, as
 * those that nodes make, since that is what keeps an index in order.
 */
const insertMessages = `INSERT INTO messages (id, channel_id, seq, author_id, content, has_extras, created_at, updated_at)
  SELECT uuidv7(-age), ${hex(channelPrefix, 'i % $4::int + 1')}, i / $4::int + 1,
    ${hex(crowdUser(0).slice(0, -12), '(i::bigint * 7919 % $5::int)::int + 1')}, content, false, now() - age, now() - age
  FROM generate_series($1::int, $2::int) AS i
  CROSS JOIN LATERAL (SELECT make_interval(secs => 31536000.0 * ($3::int - i) / $3::int) AS age) AS time
  CROSS JOIN LATERAL (SELECT string_agg(${word}, ' ')
    || CASE WHEN i % greatest($3::int / ${rareMessages}, 1) = 7 THEN ' ${rareWord}' ELSE '' END AS content
    FROM generate_series(1, ${wordsOfMessage}) AS w WHERE i >= 0) AS text`;

const moveHeads = `UPDATE streams s SET last_seq = m.last, floor_seq = greatest(m.last - ${logged}, 0)
  FROM (SELECT channel_id, max(seq) AS last FROM messages GROUP BY channel_id) AS m WHERE s.id = m.channel_id`;
/** As the entry of a message that was really sent, $1 in $2 with the content $3. */
const insertLog = `INSERT INTO log_entries (stream_id, seq, event, data)
  SELECT m.channel_id, m.seq, e.event,
    replace(replace(replace(e.data::text, $1::text, m.id::text), $2::text, m.channel_id::text), $3::text, m.content)::json
  FROM streams s JOIN messages m ON m.channel_id = s.id AND m.seq > s.floor_seq
  CROSS JOIN (SELECT event, data FROM log_entries WHERE stream_id = $2::text::uuid AND event = 'message:new' LIMIT 1) AS e
  WHERE s.id <> $2::text::uuid`;
/** Member $1 has read everything. */
const readAll = `INSERT INTO channel_reads (channel_id, user_id, last_read_seq)
  SELECT id, $1, last_seq FROM streams WHERE kind = 'channel' ON CONFLICT DO NOTHING`;

/** A message that was really sent. */
export interface Sample {
  id: string;
  channelId: string;
  content: string;
}

/**
 * Fills the server of the sample's channel.
 * @param reader who has read everything @param say is told how far it is
 */
export async function fill(
  url: string,
  amount: Amount,
  sample: Sample,
  reader: string,
  say: (line: string) => void,
): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  const run = (text: string, values: unknown[] = []) => client.query(text, values);
  try {
    await run(insertChannels, [amount.channels, sample.channelId]);
    await run(insertStreams, [amount.channels]);
    await withoutIndexes(client, 'messages', say, () => insertAll(url, amount, say));
    say('moves the heads of the logs, and fills the logs');
    await run(moveHeads);
    await withoutIndexes(client, 'log_entries', say, () =>
      run(insertLog, [sample.id, sample.channelId, sample.content]),
    );
    await run(readAll, [reader]);
    say('vacuums');
    await run('VACUUM ANALYZE');
    await run('CHECKPOINT').catch(() => say('(no right to a checkpoint)'));
  } finally {
    await client.end();
  }
}

async function insertAll(url: string, amount: Amount, say: (line: string) => void): Promise<void> {
  const started = performance.now();
  let next = 0;
  let done = 0;
  const worker = async () => {
    const client = new pg.Client(url);
    await client.connect();
    try {
      while (next < amount.messages) {
        const from = next;
        next = Math.min(from + chunk, amount.messages);
        const { messages, channels, members } = amount;
        const to = next - 1;
        await client.query(insertMessages, [from, to, messages, channels, members]);
        done += to - from + 1;
        const perSecond = (done * 1000) / (performance.now() - started);
        if (Math.floor(done / 500_000) > Math.floor((done - chunk) / 500_000) || done === messages)
          say(`${done} messages, ${perSecond.toFixed(0)} a second`);
      }
    } finally {
      await client.end();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
