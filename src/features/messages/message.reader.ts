import type { z } from 'zod';
import type { ChannelWithRights } from '../../access/channel.access.ts';
import type { LogEntry } from '../../cluster/entry.ts';
import type { Actor } from '../../contract/actor.ts';
import type { listMessagesSchema, messagePageSchema } from '../../contract/message.ts';
import type { Rows } from '../../database/database.ts';
import type { Context } from '../context.ts';
import { Authors } from './authors.ts';
import { concerningAmong } from './bots.table.ts';
import { MessageList, messagePage } from './message.list.ts';
import { type MessageRecord, type MessageRow, messageRecord } from './message.view.ts';
import { PageCache } from './page-cache.ts';

type Query = z.output<typeof listMessagesSchema>;

type Deps = Pick<Context, 'database' | 'delivery' | 'caches' | 'channelAccess'>;

/** Messages as people read them, and bots as far as their policies let them (contract §4, §6). */
export class MessageReader {
  private readonly deps: Deps;
  private readonly pages: MessageList;
  private readonly kept: PageCache;

  constructor(deps: Deps) {
    this.deps = deps;
    this.pages = new MessageList({ ...deps, authors: new Authors(deps) });
    this.kept = new PageCache({ ...deps, list: this.pages });
  }

  /** Messages of a channel. @throws AppError like `ChannelAccess.readable` and `MessageList.ofChannel` */
  async list(actor: Actor, channelId: string, query: Query): Promise<z.output<typeof messagePageSchema>> {
    const channel = await this.deps.channelAccess.readable(actor, channelId);
    const bot = await this.deps.channelAccess.onlyFor(actor, channelId);
    const { rows, ...more } = await this.pages.ofChannel(channel, query, bot);
    return messagePage({ rows: await this.concealed(rows, bot), ...more }, actor.userId);
  }

  /** The same as JSON text, which may be cached (see PageCache). */
  async page(actor: Actor, channelId: string, query: Query): Promise<string> {
    if (actor.user.isBot && (await this.deps.channelAccess.onlyFor(actor, channelId))) {
      return JSON.stringify(await this.list(actor, channelId, query));
    }
    return this.kept.read(await this.deps.channelAccess.readable(actor, channelId), query, actor.userId);
  }

  /** Messages of a thread of a channel that the actor may read. @throws AppError INVALID_CURSOR */
  async ofThread(
    actor: Actor,
    channel: ChannelWithRights,
    threadId: string,
    query: Omit<Query, 'around' | 'include'>,
  ): Promise<{ records: MessageRecord[]; hasMore: boolean }> {
    const bot = await this.deps.channelAccess.onlyFor(actor, channel.id);
    const { rows, hasMore } = await this.pages.ofThread(channel, threadId, query, bot);
    const seen = await this.concealed(rows, bot);
    return { records: seen.map((row) => messageRecord(row, actor.userId)), hasMore };
  }

  /** The same rows as a bot may read them (see `concealed`). */
  concealed(rows: MessageRow[], bot: string | null): Promise<MessageRow[]> {
    return concealed(this.deps.database.rows, rows, bot);
  }

  /**
   * The response to a bot that has sent or changed a message: a reply does not reveal other people's text, nor, where
   * the bot may not listen, the reactions to its own message.
   */
  async asHeard(actor: Actor, record: MessageRecord): Promise<MessageRecord> {
    const { replyTo, channelId } = record;
    if (!(await this.deps.channelAccess.mayListen(actor, channelId))) {
      return { ...record, replyTo: replyTo && { ...replyTo, content: '' }, thread: null, reactions: [] };
    }
    const bot = replyTo && (await this.deps.channelAccess.onlyFor(actor, channelId));
    if (!bot || (await concerningAmong(this.deps.database.rows, bot, [replyTo.id])).has(replyTo.id)) return record;
    return { ...record, replyTo: { ...replyTo, content: '' } };
  }
}

/**
 * Rows that a bot may read. Quotes of messages that it may not read are removed from its own, so that a reply does not
 * reveal their text.
 * @param bot null: someone who reads all
 */
export async function concealed(rows: Rows, found: MessageRow[], bot: string | null): Promise<MessageRow[]> {
  if (bot === null) return found;
  const quoting = found.filter((row) => row.author_id === bot && row.reply_to_id && row.reply_author_id !== bot);
  if (quoting.length === 0) return found;
  const quoted = quoting.flatMap((row) => row.reply_to_id ?? []);
  const known = await concerningAmong(rows, bot, quoted);
  return found.map((row) =>
    quoting.includes(row) && !known.has(row.reply_to_id ?? '') ? { ...row, reply_content: '' } : row,
  );
}

interface Told {
  authorId?: string;
  replyTo?: { authorId: string } | null;
}

/** An entry of a log for a bot that gets only what concerns it: its own messages quote nobody. */
export function withoutQuote(entry: LogEntry, bot: string): LogEntry {
  if (!entry.event.startsWith('message:') || !entry.json.includes(bot)) return entry;
  const data: Told = JSON.parse(entry.json);
  if (data.authorId !== bot || !data.replyTo || data.replyTo.authorId === bot) return entry;
  return { ...entry, json: JSON.stringify({ ...data, replyTo: { ...data.replyTo, content: '' } }) };
}
