import type { z } from 'zod';
import type { Actor } from '../../contract/actor.ts';
import { type messagePreviewSchema, previewLength } from '../../contract/message-preview.ts';
import { cut, saidIn, spoilersIn } from '../../contract/quote.ts';
import type { Context } from '../context.ts';
import { concerningAmong } from '../messages/bots.table.ts';
import { findMessages } from '../messages/message.table.ts';
import { type MessageRow, messageRecord } from '../messages/message.view.ts';
import { type Linked, linkedAmong } from './message-preview.table.ts';

type MessagePreview = z.output<typeof messagePreviewSchema>;

type Deps = Pick<Context, 'database' | 'channelAccess'>;

/** What links to messages show: to each reader what they may read at that moment, and to nobody anything else (contract §6). */
export class MessagePreviewService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** In the order in which they were asked for. Two statements, however many there are; for bots one more. */
  async of(actor: Actor, ids: string[]): Promise<MessagePreview[]> {
    const places = new Map((await this.readable(actor, ids)).map((place) => [place.id, place]));
    if (places.size === 0) return [];
    const found = await findMessages(this.deps.database.rows, [...places.keys()]);
    const rows = new Map(found.filter((row) => !row.is_deleted).map((row) => [row.id, row]));
    return ids.flatMap((id) => {
      const [row, place] = [rows.get(id), places.get(id)];
      return row && place ? [previewOf(row, place)] : [];
    });
  }

  /** People read all messages of a channel that they are in; a bot reads what its policies let it. */
  private async readable(actor: Actor, ids: string[]): Promise<Linked[]> {
    const { channelAccess, database } = this.deps;
    const { rows } = database;
    const places = await linkedAmong(rows, ids, actor.userId);
    if (!actor.user.isBot || places.length === 0) return places;
    const channels = [...new Set(places.map(({ channelId }) => channelId))];
    const listening = new Set(await channelAccess.readableAmong(actor, channels));
    const limited = new Set(await channelAccess.limitedAmong(actor, channels));
    const heard = places.filter(({ channelId }) => listening.has(channelId));
    const doubtful = heard.filter(({ channelId }) => limited.has(channelId)).map(({ id }) => id);
    const concerning = doubtful.length > 0 ? await concerningAmong(rows, actor.userId, doubtful) : new Set<string>();
    return heard.filter(({ id, channelId }) => !limited.has(channelId) || concerning.has(id));
  }
}

function previewOf(row: MessageRow, { kind, channelName, serverId, serverName }: Linked): MessagePreview {
  const { id, channelId, threadId, author, attachments, createdAt, forwarded, ...said } = messageRecord(row, null);
  const own = saidIn({ content: said.content, poll: said.poll });
  const { content: whole, mentions } = own === '' && forwarded ? forwarded : { ...said, content: own };
  const content = beginningOf(whole);
  return {
    id,
    channelId,
    threadId,
    channelName: kind === 'server' ? channelName : null,
    serverId,
    serverName,
    author,
    content,
    isCut: content.length < whole.length,
    mentions: mentions.filter(({ range }) => range.end <= content.length),
    attachmentCount: attachments.length + (forwarded?.attachments.length ?? 0),
    isForwarded: forwarded !== undefined,
    createdAt,
  };
}

/** What is hidden stays so: a text that would be cut within a spoiler ends before it. */
export function beginningOf(content: string): string {
  if (content.length <= previewLength) return content;
  const severed = spoilersIn(content).find(({ start, end }) => start < previewLength && end > previewLength);
  return cut(content, severed?.start ?? previewLength);
}
