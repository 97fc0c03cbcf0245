import type { Rows } from '../../database/database.ts';
import { hasUnspaced, unspacedWords } from '../../database/unspaced.ts';
import { concernsBot } from '../messages/bots.table.ts';
import { selectMessages } from '../messages/message.table.ts';
import type { MessageRow } from '../messages/message.view.ts';

/** How many of the newest messages are searched first: common words are found among them. */
const latest = 2000;
/** Up to this many channels are searched one by one; users with more of them read most messages anyway. */
const fewChannels = 200;

const words = "websearch_to_tsquery('simple', $1)";
const isUnspaced = hasUnspaced('m.content');

/**
 * SQL: whether a message matches the query. Scripts without spaces have an index of their own. For exclusions
 * (`isApart`) each message is checked by its own index only: the other does not know it.
 * @param wanted SQL of the query
 */
function holds(wanted: string, isApart: boolean): string {
  const amongUnspaced = `${isUnspaced} AND ${unspacedWords('m.content', 'm.channel_id')} @@ ${wanted}`;
  const amongOthers = `m.search @@ ${wanted}`;
  return isApart
    ? `(${amongUnspaced} OR NOT ${isUnspaced} AND ${amongOthers})`
    : `(${amongOthers} OR ${amongUnspaced})`;
}

/**
 * The newest messages with the words. They are found before anything is sorted: on its own PostgreSQL walks all messages
 * from the newest on, as if even unused words were not rare. Punctuation and emoji are no words: without counting the words
 * of the query, an empty one would find everything. $1 words, $2 channels, $3 author or null, $4 before which message, $5
 * how many
 * @param hits SQL of the messages that may match, by their words
 */
const newestOf = (
  hits: string,
  isLimited: boolean,
): string => `WITH hits AS MATERIALIZED (${hits}), page AS MATERIALIZED (
    SELECT hits.id FROM hits LEFT JOIN threads t ON t.id = hits.thread_id
    WHERE hits.channel_id = ANY($2::uuid[]) AND ($3::uuid IS NULL OR hits.author_id = $3) AND hits.id < $4
      AND hits.deleted_at IS NULL AND t.deleted_at IS NULL AND numnode(${words}) > 0
    ${isLimited ? `AND ${mayReadHit}` : ''}
    ORDER BY hits.id DESC LIMIT $5
  )
  ${selectMessages} WHERE m.id = ANY(ARRAY(SELECT id FROM page)) ORDER BY m.id DESC`;
/** In channels $6 bot $7 finds only what concerns it. */
const mayReadHit = `(hits.channel_id <> ALL($6::uuid[])
    OR EXISTS (SELECT FROM messages found WHERE found.id = hits.id AND ${concernsBot('found', '$7::uuid')}))`;
const columns = 'm.id, m.channel_id, m.author_id, m.thread_id, m.deleted_at';

/** Each with its text, for exclusions (see `holds`). */
const texts = (hits: (isApart: boolean) => string) => ({
  together: newestOf(hits(false), false),
  apart: newestOf(hits(true), false),
  togetherLimited: newestOf(hits(false), true),
  apartLimited: newestOf(hits(true), true),
});
const amongLatest = texts(
  (isApart) => `SELECT ${columns} FROM (SELECT * FROM messages WHERE id < $4 ORDER BY id DESC LIMIT ${latest}) AS m
    WHERE ${holds(words, isApart)}`,
);
/** Channel ids are indexed as words of their messages (see Message.search): other channels cost nothing. */
const amongFew = texts(
  (isApart) => `SELECT m.* FROM unnest($2::uuid[]) AS place (id) CROSS JOIN LATERAL (
      SELECT ${columns} FROM messages m
      WHERE ${holds(`(${words} && quote_literal(place.id)::tsquery)`, isApart)} OFFSET 0
    ) AS m WHERE m.channel_id = place.id`,
);
const amongMany = texts(
  (isApart) => `SELECT ${columns} FROM messages m
    WHERE ${holds(words, isApart)} AND ($3::uuid IS NULL OR m.author_id = $3)`,
);

/** A search for words in the messages of some channels. */
export interface Wanted {
  /** A web search query. */
  words: string;
  /** Each message is checked by its own index only (see `holds`). */
  isApart: boolean;
  channelIds: string[];
  /** Null: anyone. */
  authorId: string | null;
  /** Only messages with lower ids. */
  before: string;
  limit: number;
  /** The channels in which a bot finds only what concerns it; null: there are none. */
  limited: { channelIds: string[]; bot: string } | null;
}

/** Messages among the newest of all. */
export function searchLatest(rows: Rows, wanted: Wanted): Promise<MessageRow[]> {
  return rows<MessageRow>(amongLatest[wayOf(wanted)], valuesOf(wanted));
}

/** Messages among all. */
export function searchMessages(rows: Rows, wanted: Wanted): Promise<MessageRow[]> {
  const text = wanted.channelIds.length > fewChannels ? amongMany : amongFew;
  return rows<MessageRow>(text[wayOf(wanted)], valuesOf(wanted));
}

function wayOf({ isApart, limited }: Wanted): keyof typeof amongLatest {
  if (limited) return isApart ? 'apartLimited' : 'togetherLimited';
  return isApart ? 'apart' : 'together';
}

function valuesOf({ words, channelIds, authorId, before, limit, limited }: Wanted): unknown[] {
  return [words, channelIds, authorId, before, limit, ...(limited ? [limited.channelIds, limited.bot] : [])];
}

/** Of a partitioned table, each partition has its part of an index. */
const mergeAll = `SELECT gin_clean_pending_list(part.index) FROM unnest(ARRAY['messages_search'::regclass, 'messages_search_unspaced'])
    AS whole (index) CROSS JOIN LATERAL (
      SELECT inhrelid::regclass AS index FROM pg_inherits WHERE inhparent = whole.index
      UNION ALL SELECT whole.index WHERE NOT EXISTS (SELECT FROM pg_inherits WHERE inhparent = whole.index)
    ) AS part`;

/** Merges the words of new messages into the indexes. */
export async function mergeNewWords(rows: Rows): Promise<void> {
  await rows(mergeAll);
}
