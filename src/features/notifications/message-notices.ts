import type { ChannelKind } from '../../contract/channel.ts';
import type { MentionRecord } from '../../contract/mention.ts';
import type { NotificationKind } from '../../contract/notification.ts';
import { rolesThatMay } from '../../contract/roles.ts';
import type { Rows } from '../../database/database.ts';
import type { BroadcastJob, EditJob, MessageJob, NotificationJob } from '../../jobs/notification.jobs.ts';
import type { NotificationDraft } from './draft.ts';

/** Only the authors of this many newest messages of a thread are notified of the next. */
const rememberedMessages = 500;

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

/** The excerpt of message `m` that a notification quotes. */
export const preview = 'left(m.content, 200)';

const noted = `SELECT m.id, m.channel_id, m.seq, m.author_id, m.thread_id, m.created_at, m.mentions, c.kind AS channel_kind,
  c.name AS channel_name, c.server_id, u.display_name AS author_name,
  r.author_id AS reply_author_id, p.author_id AS parent_author_id,
  coalesce(s.role IN (${rolesThatMay('message:mention-all')}), false) AS may_broadcast
  FROM messages m JOIN channels c ON c.id = m.channel_id JOIN users u ON u.id = m.author_id
  LEFT JOIN messages r ON r.id = m.reply_to_id AND r.deleted_at IS NULL
  LEFT JOIN threads t ON t.id = m.thread_id LEFT JOIN messages p ON p.id = t.parent_message_id
  LEFT JOIN server_members s ON s.server_id = c.server_id AND s.user_id = m.author_id
  WHERE m.id = ANY($1::uuid[]) AND m.deleted_at IS NULL AND t.deleted_at IS NULL AND c.deleted_at IS NULL`;

/** The messages of jobs; those deleted meanwhile are missing. */
export async function readNoted(rows: Rows, jobs: NotificationJob[]): Promise<Map<string, NotedMessage>> {
  return readMessages(
    rows,
    jobs.flatMap((job) => ('messageId' in job ? [job.messageId] : [])),
  );
}

/** The messages that are not deleted, by id. */
export async function readMessages(rows: Rows, ids: string[]): Promise<Map<string, NotedMessage>> {
  if (ids.length === 0) return new Map();
  return new Map((await rows<NotedMessage>(noted, [ids])).map((message) => [message.id, message]));
}

/** Who is notified of messages, apart from broadcasts. Each person is notified of a message once. */
export async function draftsOfMessages(
  rows: Rows,
  jobs: MessageJob[],
  messages: Map<string, NotedMessage>,
): Promise<NotificationDraft[]> {
  const partners = await readPartners(rows, [...messages.values()]);
  const writers = await readWriters(rows, [...messages.values()]);
  return jobs.flatMap((job) => {
    const message = messages.get(job.messageId);
    if (!message) return [];
    if (message.channel_kind === 'dm') {
      const people = partners.get(message.channel_id) ?? [];
      return people.map((userId) => draftOf(message, userId, 'dm.message'));
    }
    const drafts = new Map<string, NotificationDraft>();
    const add = (userId: string, kind: NotificationKind, onlyUnderAll = false) => {
      if (!drafts.has(userId)) drafts.set(userId, { ...draftOf(message, userId, kind), onlyUnderAll });
    };
    for (const userId of job.users) if (isMentioned(message, userId)) add(userId, 'message.mention');
    if (message.reply_author_id) add(message.reply_author_id, 'message.reply');
    if (message.parent_author_id) add(message.parent_author_id, 'thread.reply');
    for (const userId of writers.get(message.thread_id ?? '') ?? []) add(userId, 'thread.reply', true);
    return [...drafts.values()];
  });
}

/** Who may be notified of messages that mention them since an edit. */
export function draftsOfEdits(jobs: EditJob[], messages: Map<string, NotedMessage>): NotificationDraft[] {
  return jobs.flatMap((job) => {
    const message = messages.get(job.messageId);
    if (!message || message.channel_kind === 'dm') return [];
    return job.users.map((userId) => ({ ...draftOf(message, userId, 'message.mention'), at: new Date(job.at) }));
  });
}

/** The known state of a message that a user may be notified of. */
interface Known {
  place: number;
  /** When the mention was made, if it was taken back before the user read of it. */
  at: Date | string | null;
}

/**
 * The drafts whose users have not been notified of their messages yet, each once. A mention that was taken back
 * and is there again returns without being announced. The logs of the users must be locked: another node may notify
 * them of an edit that mentions them too.
 * @param besides notifications made in the same change
 */
export async function notYetNotified(
  rows: Rows,
  all: NotificationDraft[],
  besides: NotificationDraft[],
): Promise<NotificationDraft[]> {
  const keyOf = ({ userId, referenceId }: NotificationDraft) => `${userId} ${referenceId}`;
  const once = new Map(all.map((draft) => [keyOf(draft), draft]));
  for (const draft of besides) once.delete(keyOf(draft));
  const drafts = [...once.values()];
  if (drafts.length === 0) return [];
  const told = await rows<Known>(
    `SELECT d.place::int, CASE WHEN s.notification_id IS NULL AND NOT s.was_read THEN s.at END AS at
     FROM unnest($1::uuid[], $2::uuid[]) WITH ORDINALITY AS d (user_id, message_id, place)
     LEFT JOIN notification_sources s ON s.message_id = d.message_id AND s.user_id = d.user_id
     WHERE s.message_id IS NOT NULL OR EXISTS (SELECT FROM notifications n
       WHERE n.reference_type = 'message' AND n.reference_id = d.message_id AND n.user_id = d.user_id)`,
    [drafts.map((draft) => draft.userId), drafts.map((draft) => draft.referenceId)],
  );
  const known = new Map(told.map(({ place, at }) => [place, at]));
  return drafts.flatMap((draft, index) => {
    const at = known.get(index + 1);
    if (at === undefined) return [draft];
    return at ? [{ ...draft, at: new Date(at), isAnnounced: true }] : [];
  });
}

/** The jobs left for messages that mention everyone, once those mentioned by name are notified. */
export function broadcastsOf(
  jobs: MessageJob[],
  messages: Map<string, NotedMessage>,
  drafts: NotificationDraft[],
): BroadcastJob[] {
  return jobs.flatMap((job): BroadcastJob[] => {
    const message = messages.get(job.messageId);
    if (!job.broadcast || !message?.may_broadcast) return [];
    const told = drafts.filter((draft) => draft.referenceId === message.id).map((draft) => draft.userId);
    const except = [message.author_id, ...told];
    return [{ job: 'broadcast', messageId: message.id, here: job.broadcast === 'here', after: null, told: 0, except }];
  });
}

/** A notification of a message, still without its text (see `quoted`). */
export function draftOf(message: NotedMessage, userId: string, kind: NotificationKind): NotificationDraft {
  return {
    userId,
    kind,
    senderId: message.author_id,
    serverId: message.server_id,
    channelId: message.channel_id,
    referenceType: 'message',
    referenceId: message.id,
    title: titleOf(message, kind),
    body: '',
    at: new Date(message.created_at),
    onlyUnderAll: false,
    isAnnounced: false,
  };
}

/**
 * The drafts with the text of their messages, without those whose message is gone or mentions them no more. The
 * messages stay locked until the commit: an edit or deletion then looks for notifications that quote it, and finds only
 * committed ones (see quotes.ts). The logs of the users must be locked before, since that may have to wait.
 */
export async function quoted(rows: Rows, drafts: NotificationDraft[]): Promise<NotificationDraft[]> {
  const ids = drafts.flatMap((draft) => (isOfMessage(draft) ? [draft.referenceId] : []));
  if (ids.length === 0) return drafts;
  const found = await rows<Quoted>(
    `SELECT m.id, ${preview} AS body, m.mentions FROM messages m WHERE m.id = ANY($1::uuid[]) AND m.deleted_at IS NULL
     ORDER BY m.id FOR SHARE`,
    [[...new Set(ids)]],
  );
  const messages = new Map(found.map((message) => [message.id, message]));
  return drafts.flatMap((draft) => {
    if (!isOfMessage(draft)) return [draft];
    const message = messages.get(draft.referenceId);
    if (!message || (draft.kind === 'message.mention' && !isMentioned(message, draft.userId))) return [];
    return [{ ...draft, body: message.body }];
  });
}

interface Quoted extends Pick<NotedMessage, 'id' | 'mentions'> {
  body: string;
}

/** Whether a message mentions a user as it is now, by name or with everyone. */
function isMentioned({ mentions }: Pick<NotedMessage, 'mentions'>, userId: string): boolean {
  const names = ({ kind, targetId }: MentionRecord) => kind === 'user' && targetId === userId;
  return mentions?.some((mention) => mention.kind === 'here' || mention.kind === 'everyone' || names(mention)) ?? false;
}

function isOfMessage(draft: NotificationDraft): draft is NotificationDraft & { referenceId: string } {
  return draft.referenceType === 'message' && draft.referenceId !== null;
}

/** The title of a notification of a message. */
export function titleOf(message: NotedMessage, kind: NotificationKind): string {
  const place = `#${message.channel_name}`;
  switch (kind) {
    case 'message.mention':
      return `${message.author_name} mentioned you in ${place}`;
    case 'message.reply':
      return `${message.author_name} replied to you in ${place}`;
    case 'thread.reply':
      return `${message.author_name} replied in a thread in ${place}`;
    default:
      return message.author_name;
  }
}

/** The two people of each DM among the channels of `messages`. */
async function readPartners(rows: Rows, messages: NotedMessage[]): Promise<Map<string, string[]>> {
  const ids = messages.filter((message) => message.channel_kind === 'dm').map((message) => message.channel_id);
  if (ids.length === 0) return new Map();
  const found = await rows<{ channel_id: string; low_id: string; high_id: string }>(
    'SELECT channel_id, low_id, high_id FROM dm_channels WHERE channel_id = ANY($1::uuid[])',
    [ids],
  );
  return new Map(found.map((row) => [row.channel_id, [row.low_id, row.high_id]]));
}

/** The recent authors in each thread of `messages`; others in a long thread are not notified. */
async function readWriters(rows: Rows, messages: NotedMessage[]): Promise<Map<string, string[]>> {
  const ids = [...new Set(messages.flatMap((message) => message.thread_id ?? []))];
  if (ids.length === 0) return new Map();
  const found = await rows<{ id: string; writers: string[] }>(
    `SELECT thread.id, array_agg(DISTINCT latest.author_id) AS writers FROM unnest($1::uuid[]) AS thread (id)
     CROSS JOIN LATERAL (
       SELECT m.author_id FROM messages m WHERE m.thread_id = thread.id AND m.deleted_at IS NULL
       ORDER BY m.seq DESC LIMIT $2
     ) AS latest GROUP BY thread.id`,
    [ids, rememberedMessages],
  );
  return new Map(found.map((row) => [row.id, row.writers]));
}
