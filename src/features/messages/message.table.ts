import { AppError } from '../../contract/errors.ts';
import { messageNew } from '../../contract/message.ts';
import type { Rows } from '../../database/database.ts';
import { selectQuoted } from '../../database/quoted.ts';
import type { WriterTable } from '../../delivery/batch.ts';
import type { Columns } from '../../delivery/log.ts';
import { insertFlags } from '../../jobs/flag.jobs.ts';
import { insertJobs } from '../../jobs/notification.jobs.ts';
import { insertLinkJobs } from '../../jobs/preview.jobs.ts';
import type { StorageAllowance } from '../blobs/allowance.ts';
import { currentMentions } from '../mentions/mention.table.ts';
import { attachmentsOf, claimFiles } from './attachment.table.ts';
import { holdForwards, requireRoomForCopies, requireRoomInServers, serversWithFiles } from './forward.limits.ts';
import { forwardOf, insertForwards } from './forward.table.ts';
import { checkHeads } from './head.table.ts';
import { flagsOf, isNoticed, namedIn, noticesOf } from './message.notices.ts';
import { type MessageRecord, type MessageRow, messageRecord, shownNonce } from './message.view.ts';
import type { NewMessage } from './new-message.ts';
import { insertPolls, pollOfMessage } from './poll.table.ts';
import { reactionsOf } from './reaction.table.ts';
import { takeTurns } from './slow-mode.table.ts';
import { checkBots, checkReplies, StaleMessage } from './stale-message.table.ts';
import { countReplies } from './thread-replies.table.ts';

const columnsOfAll = `m.id, m.seq, m.content, m.author_id, m.thread_id, m.metadata, ${currentMentions} AS mentions, m.previews, m.components,
  m.nonce, m.is_edited, m.answers_to, m.pinned_at IS NOT NULL AS is_pinned, m.created_at,
  m.updated_at`;

/** Deleted, alone or with its thread, whose messages may be erased a little later. */
const isGone = '(m.deleted_at IS NOT NULL OR t.deleted_at IS NOT NULL)';

/** Everything that records of messages need, in one statement. */
export const selectMessages = `SELECT ${columnsOfAll}, u.username, u.display_name, u.avatar_url, u.is_bot, m.channel_id, c.kind, ${isGone} AS is_deleted, m.reply_to_id,
  r.author_id AS reply_author_id, ${selectQuoted('r')} AS reply_content, r.deleted_at IS NOT NULL AS reply_deleted,
  o.id AS own_thread_id, o.name AS own_thread_name, o.message_count AS own_thread_count,
  o.last_message_at AS own_thread_last, ${attachmentsOf('m.id')} AS attachments, ${reactionsOf('m.id')} AS reactions,
  ${pollOfMessage} AS poll, ${forwardOf} AS forwarded
  FROM messages m JOIN users u ON u.id = m.author_id
  JOIN channels c ON c.id = m.channel_id LEFT JOIN threads t ON t.id = m.thread_id
  LEFT JOIN messages r ON r.channel_id = m.channel_id AND r.id = m.reply_to_id
  LEFT JOIN LATERAL (SELECT * FROM threads WHERE parent_message_id = m.id LIMIT 1) AS o ON true`;

/**
 * What all messages of a page have beside their authors, and which of them have more: to gather that for those alone takes
 * a third of the time.
 * @param page SQL of some rows of `messages`
 */
export const selectPage = (page: string): string => `SELECT ${columnsOfAll},
  m.has_extras OR m.reply_to_id IS NOT NULL AS has_more FROM (${page}) AS m`;

/** Not deleted, nor its thread or channel. */
export const isThere = 'm.deleted_at IS NULL AND t.deleted_at IS NULL AND c.deleted_at IS NULL';

/**
 * Messages of a channel, with a parameter in the place of each channel: where `messages` is partitioned, only one
 * partition is looked into (see database/moves).
 * @param channel SQL of its id, a parameter
 */
const selectIn = (channel: string): string =>
  `${selectMessages.replace('r.channel_id = m.channel_id', `r.channel_id = ${channel}`)} WHERE m.channel_id = ${channel}`;

/** The messages of a page that have more than all have. $1 channel, $2 messages */
export const selectSome = `${selectIn('$1')} AND m.id = ANY($2::uuid[]) AND ${isThere}`;

const selectAny = `${selectMessages} WHERE m.id = ANY($1::uuid[])`;
const oneThere = `${selectMessages} WHERE m.id = $1 AND ${isThere}`;
const oneThereIn = `${selectIn('$1')} AND m.id = $2 AND ${isThere}`;

/** A message, without an access check; undefined: it does not exist (any more). */
export async function findMessage(rows: Rows, messageId: string): Promise<MessageRow | undefined> {
  const [row] = await rows<MessageRow>(oneThere, [messageId]);
  return row;
}

/** Messages by their ids, deleted ones too. */
export function findMessages(rows: Rows, ids: string[]): Promise<MessageRow[]> {
  return rows<MessageRow>(selectAny, [ids]);
}

/** A message of a channel that is known to be readable, unless it was deleted meanwhile. @throws AppError MESSAGE_NOT_FOUND */
export async function readMessage(rows: Rows, channelId: string, messageId: string): Promise<MessageRow> {
  const [row] = await rows<MessageRow>(oneThereIn, [channelId, messageId]);
  if (!row) throw new AppError('MESSAGE_NOT_FOUND');
  return row;
}

/**
 * SQL: whether the nonce or Idempotency-Key of a message `m` has expired (contract §1). The log says when it was committed;
 * the message itself has the time of its node, whose clock may be off by more than a day.
 */
const isForgotten = `coalesce(
    (SELECT l.created_at FROM log_entries l WHERE l.stream_id = m.channel_id AND l.seq = m.seq), m.created_at
  ) < now() - interval '1 day'`;

const sentBy = (column: string) => `${selectIn('$1')} AND m.author_id = $2 AND m.${column} = $3
  AND NOT ${isForgotten}`;
/** A message that an author sent to a channel. $1 channel, $2 author, $3 its nonce, or its Idempotency-Key */
export const [sentByNonce, sentByKey] = [sentBy('nonce'), sentBy('sent_key')];

const columns: Columns<NewMessage> = [
  { name: 'id', type: 'uuid', of: (row) => row.id },
  { name: 'author_id', type: 'uuid', of: (row) => row.authorId },
  { name: 'content', type: 'text', of: (row) => row.content },
  { name: 'thread_id', type: 'uuid', of: (row) => row.threadId },
  { name: 'reply_to_id', type: 'uuid', of: (row) => row.replyToId },
  { name: 'metadata', type: 'json', of: (row) => row.metadata && JSON.stringify(row.metadata) },
  { name: 'mentions', type: 'json', of: (row) => row.mentions && JSON.stringify(row.mentions) },
  { name: 'mentioned_bots', type: 'json', of: (row) => row.mentionedBots && JSON.stringify(row.mentionedBots) },
  { name: 'components', type: 'json', of: (row) => row.components && JSON.stringify(row.components) },
  { name: 'nonce', type: 'text', of: (row) => row.nonce },
  { name: 'sent_key', type: 'text', of: (row) => row.sentKey },
  { name: 'answers_to', type: 'bigint', of: (row) => row.answersTo },
  { name: 'answers_within', type: 'text', of: (row) => row.answersWithin },
  { name: 'answers_use', type: 'boolean', of: (row) => String(row.answersUse) },
  { name: 'created_at', type: 'timestamptz', of: (row) => row.createdAt },
];
/** Columns that plain messages do not have; omitting them saves a fifteenth of a batch. */
const special = [
  'thread_id',
  'reply_to_id',
  'mentions',
  'mentioned_bots',
  'components',
  'answers_to',
  'answers_within',
  'answers_use',
];
const plainColumns = columns.filter(({ name }) => !special.includes(name));

const namesOf = (some: Columns<NewMessage>) => some.map(({ name }) => name).join(', ');
const inserting = (names: string) => `INSERT INTO messages (channel_id, seq, ${names}, updated_at)
  SELECT stream_id, seq, ${names}, created_at`;
const types = columns.map(({ type }, at) => `$${at + 3}::${type}[]`).join(', ');
const insertAll = `${inserting(namesOf(columns))}
  FROM unnest($1::uuid[], $2::bigint[], ${types}) AS new (stream_id, seq, ${namesOf(columns)})`;

/** A key counts whatever the request contains (contract §13), so its match is last, and wins. */
const sentBefore = `WITH item AS (
    SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[])
      WITH ORDINALITY AS item (channel_id, author_id, nonce, sent_key, place)
  ), known AS (
    SELECT place, m.id, false AS by_key FROM item JOIN messages m USING (channel_id, author_id, nonce)
    UNION ALL SELECT place, m.id, true FROM item JOIN messages m USING (channel_id, author_id, sent_key)
  )
  SELECT known.place::int, ${isForgotten} AS expired, m.*
  FROM known JOIN (${selectMessages}) AS m ON m.id = known.id ORDER BY by_key`;
const makeRoom = 'UPDATE messages SET nonce = NULL, sent_key = NULL WHERE id = ANY($1::uuid[])';

/** How the writer fills `messages`. */
export class MessageTable implements WriterTable<NewMessage, MessageRecord> {
  readonly event = messageNew.name;
  readonly columns = plainColumns;
  readonly insertion = inserting(namesOf(plainColumns));
  private readonly allowance: StorageAllowance;

  constructor(allowance: StorageAllowance) {
    this.allowance = allowance;
  }

  isPlain(row: NewMessage): boolean {
    return (
      !isNoticed(row) &&
      row.mentions === null &&
      row.mentionedBots === null &&
      row.attachmentIds.length === 0 &&
      row.poll === null &&
      row.components === null &&
      row.forward === null &&
      row.lastBotSeq === null &&
      row.slowModeSeconds === null &&
      row.ifHead === null &&
      row.answersTo === null &&
      !row.answersUse &&
      row.flag === null &&
      !row.hasLinks
    );
  }

  async findWritten(rows: Rows, items: NewMessage[]): Promise<Map<number, number>> {
    const ids = items.map((item) => item.id);
    const found = await rows<{ id: string; seq: number }>('SELECT id, seq FROM messages WHERE id = ANY($1::uuid[])', [
      ids,
    ]);
    return new Map(found.map(({ id, seq }) => [ids.indexOf(id), seq]));
  }

  async findRepeats(rows: Rows, items: NewMessage[]): Promise<Map<number, MessageRecord>> {
    const keys = [
      items.map((item) => item.channelId),
      items.map((item) => item.authorId),
      items.map((item) => item.nonce),
      items.map((item) => item.sentKey),
    ];
    const found = await rows<MessageRow & { place: number; expired: boolean }>(sentBefore, keys);
    // Expired ones are removed, so that a client may start counting from 1 each day.
    const expired = found.filter((row) => row.expired).map((row) => row.id);
    if (expired.length > 0) await rows(makeRoom, [expired]);
    const repeats = found.filter((row) => !row.expired);
    return new Map(repeats.map((row) => [row.place - 1, { ...messageRecord(row, null), ...shownNonce(row.nonce) }]));
  }

  async hold(rows: Rows, items: NewMessage[]): Promise<void> {
    await holdForwards(rows, this.allowance, items, await serversWithFiles(rows, items));
  }

  async insert(rows: Rows, items: { row: NewMessage; seq: number }[]): Promise<void> {
    const added = items.map(({ row }) => row);
    await checkReplies(rows, added);
    await checkBots(rows, added);
    await takeTurns(rows, added);
    if (!(await countReplies(rows, repliesIn(items)))) throw new StaleMessage();
    await insertMessages(rows, items);
    // Those of the same batch count too.
    await checkHeads(rows, items);
    await takeFiles(rows, added);
    await insertPolls(rows, pollsOf(added));
    if (!(await insertForwards(rows, added))) throw new StaleMessage();
    await requireRoomForCopies(rows, this.allowance, added);
    await requireRoomInServers(rows, this.allowance, added);
    await insertJobs(rows, noticesOf(added));
    await insertFlags(rows, flagsOf(added));
    await insertLinkJobs(rows, linkingOf(added));
  }

  /** Only keys: a nonce is part of its message. Of several keys sent with one nonce the message has the first. */
  async remember(rows: Rows, repeated: { row: NewMessage; first: MessageRecord }[]): Promise<void> {
    const keyed = repeated.filter(({ row }) => row.sentKey !== null);
    if (keyed.length === 0) return;
    await rows(
      `UPDATE messages SET sent_key = given.key FROM unnest($1::uuid[], $2::text[]) AS given (id, key)
       WHERE messages.id = given.id AND messages.sent_key IS NULL`,
      [keyed.map(({ first }) => first.id), keyed.map(({ row }) => row.sentKey)],
    );
  }
}

const pollsOf = (added: NewMessage[]) =>
  added.flatMap(({ id: messageId, channelId, createdAt, poll }) =>
    poll ? [{ messageId, channelId, createdAt, poll }] : [],
  );

const repliesIn = (items: { row: NewMessage; seq: number }[]) =>
  items.flatMap(({ row: { threadId, authorId, mentions, createdAt }, seq }) =>
    threadId === null ? [] : [{ threadId, seq, authorId, named: namedIn(mentions ?? []), createdAt }],
  );

const linkingOf = (added: NewMessage[]) =>
  added.filter(({ hasLinks }) => hasLinks).map(({ id, channelId }) => ({ messageId: id, channelId }));

async function insertMessages(rows: Rows, items: { row: NewMessage; seq: number }[]): Promise<void> {
  await rows(insertAll, [
    items.map(({ row }) => row.channelId),
    items.map(({ seq }) => seq),
    ...columns.map(({ of }) => items.map(({ row }) => of(row))),
  ]);
}

async function takeFiles(rows: Rows, added: NewMessage[]): Promise<void> {
  const claims = added.flatMap(({ id: messageId, authorId, attachmentIds, thumbnailIds }) =>
    attachmentIds.map((id, place) => ({ id, place, messageId, authorId, hasThumbnail: thumbnailIds.includes(id) })),
  );
  if (!(await claimFiles(rows, claims))) throw new StaleMessage();
}
