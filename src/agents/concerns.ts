import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Database } from '../database/database.ts';
import type { LogEntry } from '../delivery/entry.ts';
import { atMost } from '../infrastructure/cache.ts';

/** What is looked at in an event about a message. */
const messageSchema = z.object({
  seq: z.number(),
  threadId: z.string().nullish(),
  replyTo: z.object({ authorId: z.string() }).nullish(),
  mentions: z.array(z.object({ kind: z.string(), targetId: z.string() })).default([]),
});
const aboutMessageSchema = z.object({ seq: z.number() });
const aboutThreadSchema = z.object({ id: z.string() });

const tellsMessage = new Set(['message:new', 'message:updated', 'message:pinned', 'message:unpinned']);
const tellsOfMessage = new Set(['message:deleted', 'reaction:updated']);
const tellsThread = new Set(['thread:created', 'thread:updated']);

/** Which of the threads a bot takes part in: it made them, wrote in them, or they start from what it said. */
const partIn = `SELECT t.id FROM threads t WHERE t.id = ANY($2::uuid[]) AND (t.creator_id = $1
  OR EXISTS (SELECT 1 FROM messages p WHERE p.id = t.parent_message_id AND p.author_id = $1)
  OR EXISTS (SELECT 1 FROM messages m WHERE m.thread_id = t.id AND m.author_id = $1))`;
const mentionsIt = (mentions: string) =>
  `coalesce(${mentions} @> jsonb_build_array(jsonb_build_object('kind', 'user', 'targetId', $1::text)), false)`;
/**
 * Which of the messages (by their numbers) are a bot's own, answer it, mention it or did when they were sent, or are in
 * threads. Edits between would have to be looked for in all of the log: of those only the node knows that told it of them.
 */
const concerning = `SELECT m.seq, m.thread_id AS "threadId", m.author_id = $1 OR coalesce(r.author_id = $1, false)
    OR ${mentionsIt('m.mentions::jsonb')}
    OR EXISTS (SELECT 1 FROM log_entries e WHERE e.stream_id = $2 AND e.seq = m.seq AND e.event = 'message:new'
      AND ${mentionsIt("(e.data -> 'mentions')::jsonb")}) AS concerns
  FROM messages m LEFT JOIN messages r ON r.id = m.reply_to_id WHERE m.channel_id = $2 AND m.seq = ANY($3::bigint[])`;

/** Whether something concerns a bot, or what has to be known first. */
type Verdict = boolean | { threadId: string } | { seq: number };

const maxKnown = 50_000;
const maxTold = 50_000;

/**
 * What concerns a bot that hears only what is meant for it: messages that mention it or answer it, threads that it takes
 * part in, and whatever happens to those.
 */
export class Concerns {
  private readonly database: Database;
  /** `bot thread` for threads that a bot takes part in: once it does, that stays so. */
  private readonly taking = new LRUCache<string, true>(atMost(maxKnown));

  /**
   * `bot channel seq` of messages that concerned a bot. When they are erased, nothing else tells that they did, and the
   * bot has to hear that it need not answer any more.
   */
  private readonly told = new LRUCache<string, true>(atMost(maxTold));

  constructor(database: Database) {
    this.database = database;
  }

  /** Those of a channel's events that concern the bot, with at most two queries for all of them. */
  async among(botUserId: string, channelId: string, entries: LogEntry[]): Promise<LogEntry[]> {
    const verdicts = await this.settled(botUserId, channelId, entries);
    const asked = verdicts.flatMap((verdict) => (asksThread(verdict) ? verdict.threadId : []));
    const threads = await this.takesPartIn(botUserId, asked);
    return entries.filter((entry, index) => {
      const verdict = verdicts[index];
      const concerns = verdict === true || (asksThread(verdict) && threads.has(verdict.threadId));
      const seq = concerns ? toldBy(entry) : null;
      if (seq !== null) this.told.set(`${botUserId} ${channelId} ${seq}`, true);
      return concerns;
    });
  }

  /** Verdicts that depend on threads at most. */
  private async settled(botUserId: string, channelId: string, entries: LogEntry[]): Promise<Verdict[]> {
    const first = entries.map((entry) => verdictOn(entry, botUserId));
    const verdicts = first.map((verdict) =>
      asksMessage(verdict) && this.told.has(`${botUserId} ${channelId} ${verdict.seq}`) ? true : verdict,
    );
    const asked = verdicts.flatMap((verdict) => (asksMessage(verdict) ? verdict.seq : []));
    const bySeq = await this.bySeq(botUserId, channelId, asked);
    return verdicts.map((verdict) => (asksMessage(verdict) ? (bySeq.get(verdict.seq) ?? false) : verdict));
  }

  private async bySeq(botUserId: string, channelId: string, seqs: number[]): Promise<Map<number, Verdict>> {
    if (seqs.length === 0) return new Map();
    const rows = await this.database.committedRows<{ seq: number; threadId: string | null; concerns: boolean }>(
      concerning,
      [botUserId, channelId, [...new Set(seqs)]],
    );
    return new Map(rows.map(({ seq, threadId, concerns }) => [seq, concerns || (threadId !== null && { threadId })]));
  }

  private async takesPartIn(botUserId: string, threadIds: string[]): Promise<Set<string>> {
    const asked = new Set(threadIds);
    const known = new Set([...asked].filter((id) => this.taking.has(`${botUserId} ${id}`)));
    const unknown = [...asked].filter((id) => !known.has(id));
    if (unknown.length === 0) return known;
    const found = await this.database.committedRows<{ id: string }>(partIn, [botUserId, unknown]);
    for (const { id } of found) {
      this.taking.set(`${botUserId} ${id}`, true);
      known.add(id);
    }
    return known;
  }
}

function verdictOn(entry: LogEntry, botUserId: string): Verdict {
  const { event } = entry;
  if (tellsMessage.has(event)) return verdictOnMessage(entry, botUserId);
  if (tellsOfMessage.has(event)) {
    const about = aboutMessageSchema.safeParse(JSON.parse(entry.json));
    return about.success && { seq: about.data.seq };
  }
  if (tellsThread.has(event)) {
    const thread = aboutThreadSchema.safeParse(JSON.parse(entry.json));
    return thread.success && { threadId: thread.data.id };
  }
  // Who came and went, and what became of the channel, is for everyone in it.
  return !event.startsWith('message:');
}

function verdictOnMessage({ event, json }: LogEntry, botUserId: string): Verdict {
  const parsed = messageSchema.safeParse(JSON.parse(json));
  if (!parsed.success) return false;
  const { seq, threadId, replyTo, mentions } = parsed.data;
  const mentioned = mentions.some((mention) => mention.kind === 'user' && mention.targetId === botUserId);
  if (mentioned || replyTo?.authorId === botUserId) return true;
  // What becomes of a message is for whoever was told of it, also when it no longer says what it said.
  if (event !== 'message:new') return { seq };
  // What it said itself, it knows.
  return threadId != null && { threadId };
}

/** The number of the message whose words an event has. */
function toldBy({ event, seq, json }: LogEntry): number | null {
  if (event === 'message:new') return seq;
  // Also an edit may be the first that a bot hears of a message.
  return event === 'message:updated' ? (aboutMessageSchema.safeParse(JSON.parse(json)).data?.seq ?? null) : null;
}

function asksMessage(verdict: Verdict): verdict is { seq: number } {
  return typeof verdict === 'object' && 'seq' in verdict;
}

function asksThread(verdict: Verdict | undefined): verdict is { threadId: string } {
  return typeof verdict === 'object' && 'threadId' in verdict;
}
