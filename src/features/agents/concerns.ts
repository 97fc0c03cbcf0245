import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { LogEntry } from '../../cluster/entry.ts';
import type { Database } from '../../database/database.ts';
import { atMost } from '../../infrastructure/cache.ts';
import { type Concerned, readConcerned, readParts } from './concern.table.ts';

/** The fields of a message event that are read here. */
const messageSchema = z.object({
  seq: z.number(),
  content: z.string().default(''),
  authorId: z.string().nullish(),
  threadId: z.string().nullish(),
  replyTo: z.object({ authorId: z.string() }).nullish(),
  mentions: z.array(z.object({ kind: z.string(), targetId: z.string() })).default([]),
});
const aboutMessageSchema = z.object({ seq: z.number() });
const aboutThreadSchema = z.object({ id: z.string() });

const tellsMessage = new Set(['message:new', 'message:updated', 'message:pinned', 'message:unpinned']);
const tellsOfMessage = new Set(['message:deleted', 'reaction:updated', 'poll:updated']);
const tellsThread = new Set(['thread:created', 'thread:updated']);

/** Whether something concerns a bot, or what must be looked up first. */
type Verdict = boolean | { threadId: string } | { seq: number };
/** Events that may be about a command: a new one, or a change to one. */
const tellsOfCommand = new Set([...tellsMessage, ...tellsOfMessage]);

/** A bot's part in a thread, as far as its channel's log has been read. */
interface Part {
  since: number | null;
  seen: number;
}

const maxKnown = 50_000;

/**
 * Selects the events for a bot that gets only what concerns it: messages that mention it or reply to it, threads that
 * it takes part in, and all changes to those. This depends only on earlier entries of the channel's log, so the bot
 * gets the same by its sockets and its webhook, from each node, now and later.
 */
export class Concerns {
  private readonly database: Database;
  /** Key: `bot thread`. */
  private readonly parts = new LRUCache<string, Part>(atMost(maxKnown));

  constructor(database: Database) {
    this.database = database;
  }

  /** The events of a channel that concern the bot, with at most two queries for all of them. */
  async among(botUserId: string, channelId: string, entries: LogEntry[]): Promise<LogEntry[]> {
    const verdicts = await this.settled(botUserId, channelId, entries);
    const asked = verdicts.flatMap((verdict) => (asksThread(verdict) ? verdict.threadId : []));
    const since = await this.takesPartIn(botUserId, asked, entries.at(-1)?.seq ?? 0);
    return entries.filter(({ seq }, index) => {
      const verdict = verdicts[index];
      return asksThread(verdict) ? seq >= (since.get(verdict.threadId) ?? Infinity) : verdict === true;
    });
  }

  /** Only slash commands that name the bot, and changes to them, with at most one query for all. */
  async commanding(botUserId: string, channelId: string, entries: LogEntry[]): Promise<LogEntry[]> {
    const seqs = entries.map((entry) => (tellsOfCommand.has(entry.event) ? seqOfMessage(entry, botUserId) : null));
    const messages = await this.bySeq(
      botUserId,
      channelId,
      seqs.filter((seq) => seq !== null),
    );
    return entries.filter((_, index) => messages.get(seqs[index] ?? -1)?.commanded != null);
  }

  /** Verdicts that depend at most on threads. */
  private async settled(botUserId: string, channelId: string, entries: LogEntry[]): Promise<Verdict[]> {
    const verdicts = entries.map((entry) => verdictOn(entry, botUserId));
    const asked = verdicts.flatMap((verdict) => (asksMessage(verdict) ? verdict.seq : []));
    const messages = await this.bySeq(botUserId, channelId, asked);
    return entries.map(({ seq }, index) => {
      const verdict = verdicts[index] ?? false;
      const message = asksMessage(verdict) ? messages.get(verdict.seq) : undefined;
      if (!message) return !asksMessage(verdict) && verdict;
      if (message.after !== null && seq > message.after) return true;
      return message.threadId !== null && { threadId: message.threadId };
    });
  }

  private async bySeq(botUserId: string, channelId: string, seqs: number[]): Promise<Map<number, Concerned>> {
    if (seqs.length === 0) return new Map();
    const rows = await readConcerned(this.database.committedRows, botUserId, channelId, [...new Set(seqs)]);
    return new Map(rows.map((row) => [row.seq, row]));
  }

  /** @returns since when, by thread, for those that the bot takes part in at number `upTo` */
  private async takesPartIn(botUserId: string, threadIds: string[], upTo: number): Promise<Map<string, number>> {
    const asked = [...new Set(threadIds)].map((id) => ({ id, ...this.partOf(botUserId, id) }));
    const open = asked.filter(({ since, seen }) => since === null && seen < upTo);
    // What has been read is not read again, however long the thread.
    const found = open.length > 0 ? await readParts(this.database.committedRows, botUserId, open) : [];
    for (const { id, since } of found) this.parts.set(`${botUserId} ${id}`, { since, seen: upTo });
    return new Map([...asked, ...found].flatMap(({ id, since }) => (since === null ? [] : [[id, since]])));
  }

  private partOf(botUserId: string, threadId: string): Part {
    return this.parts.get(`${botUserId} ${threadId}`) ?? { since: null, seen: 0 };
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
  // Joins, leaves and changes of the channel are for everyone in it.
  return !event.startsWith('message:');
}

function verdictOnMessage({ event, json, isOutdated }: LogEntry, botUserId: string): Verdict {
  const parsed = messageSchema.safeParse(JSON.parse(json));
  if (!parsed.success) return false;
  const { seq, content, authorId, threadId, replyTo, mentions } = parsed.data;
  // An outdated entry has the present text and mentions; its original mentions are looked up by the message.
  if (isOutdated && authorId !== botUserId) return { seq };
  const mentioned = mentions.some((mention) => mention.kind === 'user' && mention.targetId === botUserId);
  if (mentioned || replyTo?.authorId === botUserId) return true;
  // Changes to a message are for those who got it, even if its new text no longer concerns them.
  if (event !== 'message:new') return { seq };
  // It may be a command.
  if (content.startsWith('/') && authorId !== botUserId) return { seq };
  // What it said itself, it knows.
  return threadId != null && { threadId };
}

/** The number of the message that an entry is about, if that may be a command: new ones show whether they are. */
function seqOfMessage({ event, json, isOutdated }: LogEntry, botUserId: string): number | null {
  const parsed = messageSchema.safeParse(JSON.parse(json));
  if (!parsed.success) return null;
  const { seq, content, authorId } = parsed.data;
  if (event !== 'message:new' || (isOutdated && authorId !== botUserId)) return seq;
  return content.startsWith('/') && authorId !== botUserId ? seq : null;
}

function asksMessage(verdict: Verdict): verdict is { seq: number } {
  return typeof verdict === 'object' && 'seq' in verdict;
}

function asksThread(verdict: Verdict | undefined): verdict is { threadId: string } {
  return typeof verdict === 'object' && 'threadId' in verdict;
}
