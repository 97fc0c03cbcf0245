import type { Components } from '../../contract/component.ts';
import type { KeptForward } from '../../contract/forwarded.ts';
import type { HeldKind, HeldReason, HeldState } from '../../contract/held.ts';
import type { NewPoll } from '../../contract/poll.ts';
import type { Rows } from '../../database/database.ts';
import type { UserColumns } from '../accounts/account.view.ts';
import { selectResponsible } from '../accounts/responsible.table.ts';
import { selectReadsChannel } from '../members/audience.table.ts';
import type { AttachmentRow } from './attachment.table.ts';
import { type ForwardRow, heldForwardOf, type NewForward, removeWaitingCopies } from './forward.table.ts';
import type { Hearing } from './hearing.ts';

/** Something that waits for a moderator. */
export interface HeldDraft {
  kind: HeldKind;
  messageId: string | null;
  threadId: string | null;
  replyToId: string | null;
  content: string;
  /** Of an edit: the text that it replaces. */
  previousContent: string | null;
  metadata: Record<string, unknown> | null;
  poll: NewPoll | null;
  components: Components | null;
  nonce: string | null;
  sentKey: string | null;
  attachmentIds: string[];
  namesNobody: boolean;
  /** What it forwards, as it is kept; the files are copied when it is held. */
  forward: NewForward | null;
  ifHead: number | null;
  answersTo: number | null;
  answersWithin: Hearing | null;
  reason: HeldReason;
  pattern: string | null;
}

/** A row of `held_messages` with its author and files. */
export interface HeldRow extends UserColumns {
  id: string;
  server_id: string;
  channel_id: string;
  author_id: string;
  kind: HeldKind;
  message_id: string | null;
  thread_id: string | null;
  reply_to_id: string | null;
  content: string;
  previous_content: string | null;
  metadata: Record<string, unknown> | null;
  poll: NewPoll | null;
  components: Components | null;
  nonce: string | null;
  sent_key: string | null;
  if_head: number | null;
  answers_to: number | null;
  answers_within: Hearing | null;
  reason: HeldReason;
  pattern: string | null;
  names_nobody: boolean;
  status: HeldState;
  decided_at: Date | string | null;
  created_at: Date | string;
  attachments: AttachmentRow[] | null;
  forwarded: ForwardRow | null;
}

/** A row of the queue, with whether its reader answers for its author. */
export type QueuedRow = HeldRow & { is_own: boolean };

const files = '(SELECT json_agg(a ORDER BY a.place, a.id) FROM attachments a WHERE a.held_id = h.id)';
const columns = `h.id, h.server_id, h.channel_id, h.author_id, h.kind, h.message_id, h.thread_id, h.reply_to_id, h.content,
    h.previous_content, h.metadata, h.poll, h.components, h.nonce, h.sent_key, h.reason, h.pattern, h.names_nobody, h.status, h.decided_at,
    h.created_at, h.if_head, h.answers_to, h.answers_within,
    w.username, w.display_name, w.avatar_url, w.is_bot, ${files} AS attachments, ${heldForwardOf} AS forwarded`;
const from = 'FROM held_messages h JOIN users w ON w.id = h.author_id';
const select = `SELECT ${columns} ${from}`;
const byId = `${select} WHERE h.id = $1`;
/** What the same nonce or Idempotency-Key was held for; the key counts first (contract §13). */
const byKeys = `${select} WHERE h.channel_id = $1 AND h.author_id = $2 AND (h.nonce = $3 OR h.sent_key = $4)
  ORDER BY (h.sent_key = $4) DESC NULLS LAST LIMIT 1`;
const editOf = `${select} WHERE h.author_id = $1 AND h.channel_id = $2 AND h.message_id = $3 AND h.kind = 'edit'
  AND h.status = 'waiting' AND (h.busy_until IS NULL OR h.busy_until < now())`;
const own = `${select} WHERE h.author_id = $1 AND h.channel_id = $2
  AND h.status IN ('waiting', 'rejected') ORDER BY h.id`;
/** In channels that the reader may know of, and of bots that they read. $1 server, $2 reader, $3 after, $4 limit */
const queue = `SELECT ${columns}, ${selectResponsible('h.author_id')} = ${selectResponsible('$2::uuid')} AS is_own
  ${from} JOIN channels c ON c.id = h.channel_id AND c.deleted_at IS NULL
  JOIN server_members m ON m.server_id = h.server_id AND m.user_id = $2 JOIN users u ON u.id = m.user_id
  LEFT JOIN channel_members e ON e.channel_id = c.id AND e.user_id = $2
  WHERE h.server_id = $1 AND h.status = 'waiting' AND h.id > $3 AND ${selectReadsChannel}
  ORDER BY h.id LIMIT $4`;
const count = `SELECT count(*)::int AS count FROM held_messages
  WHERE server_id = $1 AND author_id = $2 AND status = 'waiting'`;
const insert = `INSERT INTO held_messages (id, server_id, channel_id, author_id, kind, message_id, thread_id, reply_to_id,
    content, previous_content, metadata, nonce, sent_key, reason, pattern, status, created_at, poll, forward, components,
    if_head, answers_to, answers_within, names_nobody)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, 'waiting', $16, $17, $18, $19, $20, $21, $22, $23)`;
const keepFiles = `UPDATE attachments SET held_id = $1, place = f.place
  FROM unnest($2::uuid[], $4::int[]) AS f (id, place)
  WHERE attachments.id = f.id AND uploader_id = $3 AND message_id IS NULL AND held_id IS NULL RETURNING attachments.id`;
const releaseFiles = 'UPDATE attachments SET held_id = NULL WHERE held_id = $1';
/** What a publication that nobody knows the end of has left: the message, or the text that it was edited to. */
const wasPublished = `CASE WHEN kind = 'edit'
  THEN EXISTS (SELECT FROM messages m WHERE m.id = held_messages.message_id AND m.content = held_messages.content)
  ELSE EXISTS (SELECT FROM messages m WHERE m.channel_id = held_messages.channel_id
    AND m.author_id = held_messages.author_id
    AND m.sent_key = coalesce(held_messages.sent_key, 'held ' || held_messages.id)) END`;
/**
 * Only one decides; while it is being published nobody else does, and what was published can only be approved. What is rejected
 * stays readable for its author. What it was to forward is that of before: its files are published, or deleted.
 */
const settle = `WITH settled AS (UPDATE held_messages SET status = $2, decided_by = $3, decided_at = $4, message_id = coalesce($5, message_id),
    busy_until = NULL, metadata = NULL, poll = NULL, components = NULL, previous_content = NULL,
    content = CASE WHEN $2 = 'rejected' AND status = 'waiting' THEN content ELSE '' END,
    forward = CASE WHEN $2 = 'rejected' AND status = 'waiting' THEN forward END
  WHERE id = $1 AND status = ANY($6::text[]) AND (busy_until IS NULL OR $2 = 'approved'
    OR (busy_until < now() AND NOT ${wasPublished})) RETURNING id),
  dropped AS (SELECT forward FROM held_messages WHERE id IN (SELECT id FROM settled) AND $2 <> 'approved'),
  files AS (${removeWaitingCopies})
  SELECT id FROM settled`;
const claim = `UPDATE held_messages SET busy_until = now() + make_interval(secs => $2)
  WHERE id = $1 AND status = 'waiting' AND (busy_until IS NULL OR busy_until < now()) RETURNING id`;
/** That it was tried stays known: an earlier attempt, whose end nobody knew, may have published it. */
const release = `UPDATE held_messages SET busy_until = now() - interval '1 millisecond' WHERE id = $1 AND status = 'waiting'`;
const forget = `WITH dropped AS (DELETE FROM held_messages WHERE id IN (
    SELECT id FROM held_messages WHERE created_at < now() - make_interval(days => $1) LIMIT $2) RETURNING id, forward),
  files AS (${removeWaitingCopies})
  SELECT id FROM dropped`;

const first = async <R extends object>(found: Promise<R[]>): Promise<R | undefined> => (await found)[0];

export const findHeld = (rows: Rows, id: string): Promise<HeldRow | undefined> => first(rows<HeldRow>(byId, [id]));

/** What was held of an author in a channel with the same nonce or Idempotency-Key. */
export async function heldBefore(
  rows: Rows,
  channelId: string,
  authorId: string,
  { nonce, sentKey }: Pick<HeldDraft, 'nonce' | 'sentKey'>,
): Promise<HeldRow | undefined> {
  if (nonce === null && sentKey === null) return undefined;
  return first(rows<HeldRow>(byKeys, [channelId, authorId, nonce, sentKey]));
}

/** The edit of a message that waits. */
export function waitingEdit(
  rows: Rows,
  authorId: string,
  channelId: string,
  messageId: string,
): Promise<HeldRow | undefined> {
  return first(rows<HeldRow>(editOf, [authorId, channelId, messageId]));
}

/** Those of an author in a channel that wait or were rejected, oldest first. */
export function ownHeld(rows: Rows, authorId: string, channelId: string): Promise<HeldRow[]> {
  return rows<HeldRow>(own, [authorId, channelId]);
}

/** What waits in channels of a server that the reader may know of, oldest first. */
export function heldQueue(
  rows: Rows,
  serverId: string,
  readerId: string,
  page: { after: string; limit: number },
): Promise<QueuedRow[]> {
  return rows<QueuedRow>(queue, [serverId, readerId, page.after, page.limit]);
}

export async function countWaiting(rows: Rows, serverId: string, authorId: string): Promise<number> {
  return (await first(rows<{ count: number }>(count, [serverId, authorId])))?.count ?? 0;
}

/** Where and when something is held. */
export interface HeldPlace {
  id: string;
  serverId: string;
  channelId: string;
  authorId: string;
  createdAt: Date;
}

export async function insertHeld(rows: Rows, place: HeldPlace, draft: HeldDraft): Promise<void> {
  const metadata = draft.metadata && JSON.stringify(draft.metadata);
  await rows(insert, [
    ...[place.id, place.serverId, place.channelId, place.authorId, draft.kind, draft.messageId, draft.threadId],
    ...[draft.replyToId, draft.content, draft.previousContent, metadata, draft.nonce, draft.sentKey],
    ...[draft.reason, draft.pattern, place.createdAt, draft.poll && JSON.stringify(draft.poll)],
    draft.forward && JSON.stringify(keptOf(draft.forward)),
    draft.components && JSON.stringify(draft.components),
    ...[draft.ifHead, draft.answersTo, draft.answersWithin],
    draft.namesNobody,
  ]);
}

/** Without what the moment of sending alone needs. */
const keptOf = ({ via: _, copies: __, ...kept }: NewForward): KeptForward => kept;

/** Keeps unsent uploads of someone until what they are for is decided. @returns how many there were */
export async function holdFiles(rows: Rows, heldId: string, authorId: string, ids: string[]): Promise<number> {
  if (ids.length === 0) return 0;
  return (await rows(keepFiles, [heldId, ids, authorId, ids.map((_, place) => place)])).length;
}

export interface Decision {
  status: 'approved' | 'rejected' | 'withdrawn';
  by: string;
  at: Date;
  /** What was published. */
  messageId: string | null;
  /** The states that it may be decided in. */
  from: HeldState[];
}

/** Decides, and lets go of the files. @returns false if it was decided before, or is being or was published */
export async function settleHeld(rows: Rows, id: string, decision: Decision): Promise<boolean> {
  const { status, by, at, messageId, from } = decision;
  if ((await rows(settle, [id, status, by, at, messageId, from])).length === 0) return false;
  await rows(releaseFiles, [id]);
  return true;
}

/** Reserves it for publishing. @returns false if it was decided before, or someone else is at it */
export async function claimHeld(rows: Rows, id: string, seconds: number): Promise<boolean> {
  return (await rows(claim, [id, seconds])).length > 0;
}

/** Nothing came of publishing it: it waits again. */
export async function releaseHeld(rows: Rows, id: string): Promise<void> {
  await rows(release, [id]);
}

/** Forgets some that are older than so many days. @returns how many */
export async function forgetHeld(rows: Rows, days: number, limit: number): Promise<number> {
  return (await rows(forget, [days, limit])).length;
}
