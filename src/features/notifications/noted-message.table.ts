import { NIL } from 'uuid';
import { selectIsInChannel } from '../../access/channel.table.ts';
import { selectMayIn } from '../../access/rights.table.ts';
import { type ChannelKind, isDirect } from '../../contract/channel.ts';
import type { MentionRecord } from '../../contract/mention.ts';
import { quoteOf, withNames } from '../../contract/quote.ts';
import type { Rows } from '../../database/database.ts';
import { selectQuoted } from '../../database/quoted.ts';
import type { NotificationDraft } from './draft.ts';

/** A message that still exists, with what its notifications need. */
export interface NotedMessage {
  id: string;
  channel_id: string;
  seq: number;
  author_id: string;
  thread_id: string | null;
  created_at: Date | string;
  channel_kind: ChannelKind;
  channel_name: string;
  server_id: string | null;
  author_name: string;
  /** Author of the message that it answers. */
  reply_author_id: string | null;
  /** Author of the message that its thread starts from. */
  parent_author_id: string | null;
  /** Whether its author may mention everyone. */
  may_broadcast: boolean;
  mentions: MentionRecord[] | null;
}

const noted = `SELECT m.id, m.channel_id, m.seq, m.author_id, m.thread_id, m.created_at, m.mentions, c.kind AS channel_kind,
  c.name AS channel_name, c.server_id, u.display_name AS author_name,
  r.author_id AS reply_author_id, p.author_id AS parent_author_id,
  coalesce(${selectMayIn('s', 'message:mention-all', 'mentionAll')}, false) AS may_broadcast
  FROM messages m JOIN channels c ON c.id = m.channel_id JOIN users u ON u.id = m.author_id
  LEFT JOIN messages r ON r.channel_id = m.channel_id AND r.id = m.reply_to_id AND r.deleted_at IS NULL
  LEFT JOIN threads t ON t.id = m.thread_id LEFT JOIN messages p ON p.id = t.parent_message_id
  LEFT JOIN server_members s ON s.server_id = c.server_id AND s.user_id = m.author_id
  WHERE m.id = ANY($1::uuid[]) AND m.deleted_at IS NULL AND t.deleted_at IS NULL AND c.deleted_at IS NULL`;

/** The known state of a message that a user may be notified of. */
export interface Known {
  place: number;
  /** When the mention was made, if it was taken back before the user read of it. */
  at: Date | string | null;
}

export interface Quoted extends Pick<NotedMessage, 'id' | 'mentions'> {
  body: string;
}

/** How much of a message a notification quotes. */
const quotedLength = 200;

const selectKnown = `SELECT d.place::int, CASE WHEN s.notification_id IS NULL AND NOT s.was_read THEN s.at END AS at
     FROM unnest($1::uuid[], $2::uuid[]) WITH ORDINALITY AS d (user_id, message_id, place)
     LEFT JOIN notification_sources s ON s.message_id = d.message_id AND s.user_id = d.user_id
     WHERE s.message_id IS NOT NULL OR EXISTS (SELECT FROM notifications n
       WHERE n.reference_type = 'message' AND n.reference_id = d.message_id AND n.user_id = d.user_id)`;
const selectContents = 'SELECT id, content FROM messages WHERE id = ANY($1::uuid[]) AND deleted_at IS NULL';
const selectQuotes = `SELECT m.id, ${selectQuoted('m')} AS body, m.mentions FROM messages m
  WHERE m.id = ANY($1::uuid[]) AND m.deleted_at IS NULL`;
const lockQuoted = `${selectQuotes} ORDER BY m.id FOR SHARE`;
const selectAudience = `SELECT s.user_id FROM server_members s JOIN users u ON u.id = s.user_id AND NOT u.is_bot
       JOIN channels c ON c.id = $4 LEFT JOIN channel_members m ON m.channel_id = c.id AND m.user_id = s.user_id
       WHERE s.server_id = $1 AND s.user_id > $2
         AND ${selectIsInChannel({ user: 's.user_id', excluded: 'm.excluded' })}
       ORDER BY s.user_id LIMIT $3`;

/** The messages that are not deleted, by id. */
export async function readMessages(rows: Rows, ids: string[]): Promise<Map<string, NotedMessage>> {
  if (ids.length === 0) return new Map();
  return new Map((await rows<NotedMessage>(noted, [ids])).map((message) => [message.id, message]));
}

/** The texts of messages that are not deleted, by id. */
export async function contentsOf(rows: Rows, ids: string[]): Promise<Map<string, string>> {
  const found = await rows<{ id: string; content: string }>(selectContents, [ids]);
  return new Map(found.map(({ id, content }) => [id, content]));
}

/** What is known of each draft that has been made before, in the order of their places, the first of which is 1. */
export function knownOf(rows: Rows, drafts: NotificationDraft[]): Promise<Known[]> {
  return rows(selectKnown, [drafts.map((draft) => draft.userId), drafts.map((draft) => draft.referenceId)]);
}

/** What notifications quote of messages that are not deleted, which stay as they are until the commit. */
export async function holdQuoted(rows: Rows, ids: string[]): Promise<Quoted[]> {
  return asQuoted(await rows(lockQuoted, [ids]));
}

/** What notifications quote of messages that are not deleted. */
export async function readQuoted(rows: Rows, ids: string[]): Promise<Quoted[]> {
  return asQuoted(await rows(selectQuotes, [ids]));
}

/** An id that is cut off at the end is left out: it says nothing to anybody. */
const asQuoted = (found: Quoted[]): Quoted[] =>
  found.map((message) => {
    const body = withNames(message.body, message.mentions).replace(/<[@#][\da-f-]{0,36}$/, '');
    return { ...message, body: quoteOf(body, quotedLength) };
  });

/** The people who are in the channel of a message, by id. @param after up to whom they are left out */
export async function audienceOf(
  rows: Rows,
  { server_id: serverId, channel_id: channelId }: NotedMessage,
  after: string | null,
  most: number,
): Promise<string[]> {
  const people = await rows<{ user_id: string }>(selectAudience, [serverId, after ?? NIL, most, channelId]);
  return people.map((row) => row.user_id);
}

/** Everyone in each DM and group among the channels of `messages`. */
export async function readPartners(rows: Rows, messages: NotedMessage[]): Promise<Map<string, string[]>> {
  const ids = messages.filter((message) => isDirect(message.channel_kind)).map((message) => message.channel_id);
  if (ids.length === 0) return new Map();
  const found = await rows<{ channel_id: string; people: string[] }>(
    `SELECT channel_id, array_agg(user_id) AS people FROM channel_members
     WHERE channel_id = ANY($1::uuid[]) AND NOT excluded GROUP BY channel_id`,
    [ids],
  );
  return new Map(found.map((row) => [row.channel_id, row.people]));
}
