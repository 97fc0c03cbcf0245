import type { Rows } from '../../database/database.ts';
import { concernsBot } from './bots.table.ts';
import { selectPage, selectSome } from './message.table.ts';
import type { MessageRow, PlainRow } from './message.view.ts';

/** A message of a page as it is found. */
export interface FoundRow extends PlainRow {
  /** It may reply to another, have files, reactions, or a thread. */
  has_more: boolean;
}

/** The statements of a list: messages older than a number, newest first, and newer ones, oldest first. */
interface Texts {
  older(limit: number): string;
  newer(limit: number): string;
}

/** Limits that are inlined: as parameters they would be unknown to the generic plan, which would then expect many rows. */
const sizes = [21, 51, 101];

const sized = (from: string, order: string) => {
  const text = (size: number) => `${selectPage(`SELECT m.* FROM ${from} LIMIT ${size}`)} ${order}`;
  const texts = sizes.map(text);
  return (limit: number) => texts[sizes.findIndex((size) => size >= limit)] ?? text(limit);
};

const some = (from: string): Texts => ({
  older: sized(`${from} AND m.deleted_at IS NULL AND m.seq < $2 ORDER BY m.seq DESC`, 'ORDER BY m.seq DESC'),
  newer: sized(`${from} AND m.deleted_at IS NULL AND m.seq > $2 ORDER BY m.seq`, 'ORDER BY m.seq'),
});
/** Each for everyone, and with what concerns bot $3 alone. */
const texts = (from: string) => ({ whole: some(from), limited: some(`${from} AND ${concernsBot('m', '$3::uuid')}`) });

// Constants, so that each is prepared once. Messages of deleted threads are hidden, though their rows may still exist.
const lists = {
  roots: texts('messages m WHERE m.channel_id = $1 AND m.thread_id IS NULL'),
  all: texts('messages m LEFT JOIN threads t ON t.id = m.thread_id WHERE m.channel_id = $1 AND t.deleted_at IS NULL'),
  thread: texts('messages m WHERE m.thread_id = $1'),
};

/** Messages of a channel or a thread, for one reader. */
export interface List {
  /** Those of a channel outside of threads, all of a channel, or those of a thread. */
  of: keyof typeof lists;
  /** The id of the channel or thread. */
  id: string;
  /** A bot that gets only what concerns it; null: anyone else. */
  bot: string | null;
}

/**
 * Reads a little more or exactly as many messages as asked for.
 * @param where `older` than a number, newest first, or `newer`, oldest first
 */
export function readPage(
  rows: Rows,
  { of, id, bot }: List,
  where: keyof Texts,
  seq: number,
  limit: number,
): Promise<FoundRow[]> {
  const text = lists[of][bot === null ? 'whole' : 'limited'][where](limit);
  return rows<FoundRow>(text, bot === null ? [id, seq] : [id, seq, bot]);
}

/** Messages of a channel's page with their optional parts; without those that were deleted meanwhile. */
export function completeRows(rows: Rows, channelId: string, ids: string[]): Promise<MessageRow[]> {
  return rows<MessageRow>(selectSome, [channelId, ids]);
}

/** The number of a message of the channel, even of a deleted one: it keeps its place (contract §6). */
export async function seqOf(rows: Rows, channelId: string, id: string): Promise<number | undefined> {
  const [row] = await rows<{ seq: number }>('SELECT seq FROM messages WHERE id = $1 AND channel_id = $2', [
    id,
    channelId,
  ]);
  return row?.seq;
}

/** The last message up to a number, and whether it was sent at `time` or later. */
export async function lastUpTo(
  rows: Rows,
  channelId: string,
  seq: number,
  time: Date,
): Promise<{ seq: number; late: boolean } | undefined> {
  const [row] = await rows<{ seq: number; late: boolean }>(
    `SELECT seq, created_at >= $3 AS late FROM messages WHERE channel_id = $1 AND seq <= $2
      ORDER BY seq DESC LIMIT 1`,
    [channelId, seq, time],
  );
  return row;
}
