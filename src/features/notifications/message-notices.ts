import { isDirect } from '../../contract/channel.ts';
import type { MentionRecord } from '../../contract/mention.ts';
import type { NotificationKind } from '../../contract/notification.ts';
import { isoTime } from '../../contract/schema.ts';
import type { Rows } from '../../database/database.ts';
import type { BroadcastJob, EditJob, MessageJob, NotificationJob } from '../../jobs/notification.jobs.ts';
import type { NamedIn } from '../messages/thread-replies.table.ts';
import type { NotificationDraft } from './draft.ts';
import { holdQuoted, knownOf, type NotedMessage, readMessages, readPartners } from './noted-message.table.ts';

/** The messages of jobs; those deleted meanwhile are missing. */
export async function readNoted(rows: Rows, jobs: NotificationJob[]): Promise<Map<string, NotedMessage>> {
  return readMessages(
    rows,
    jobs.flatMap((job) => ('messageId' in job ? [job.messageId] : [])),
  );
}

/**
 * Who is notified of messages, apart from broadcasts, followers of threads and watchers of channels (see AudienceNotices).
 * Each person is notified of a message once.
 */
export async function draftsOfMessages(
  rows: Rows,
  jobs: MessageJob[],
  messages: Map<string, NotedMessage>,
): Promise<NotificationDraft[]> {
  const partners = await readPartners(rows, [...messages.values()]);
  return jobs.flatMap((job) => {
    const message = messages.get(job.messageId);
    if (!message) return [];
    if (isDirect(message.channel_kind)) {
      const people = partners.get(message.channel_id) ?? [];
      return people.map((userId) => draftOf(message, userId, 'dm.message'));
    }
    const drafts = new Map<string, NotificationDraft>();
    const add = (userId: string, kind: NotificationKind) => {
      if (!drafts.has(userId)) drafts.set(userId, draftOf(message, userId, kind));
    };
    for (const userId of job.users) if (isMentioned(message, userId)) add(userId, 'message.mention');
    if (message.reply_author_id) add(message.reply_author_id, 'message.reply');
    return [...drafts.values()];
  });
}

/** Who may be notified of messages that mention them since an edit. */
export function draftsOfEdits(jobs: EditJob[], messages: Map<string, NotedMessage>): NotificationDraft[] {
  return jobs.flatMap((job) => {
    const message = messages.get(job.messageId);
    if (!message || isDirect(message.channel_kind)) return [];
    const at = new Date(job.at);
    return job.users.map((userId) => ({ ...draftOf(message, userId, 'message.mention'), at, onlyIfUnread: false }));
  });
}

/** The people whom edits name in replies. */
export function namedByEdits(jobs: EditJob[], messages: Map<string, NotedMessage>): NamedIn[] {
  return jobs.flatMap(({ messageId, users }) => {
    const message = messages.get(messageId);
    if (!message?.thread_id) return [];
    const { thread_id: threadId, seq, author_id: authorId, created_at: at } = message;
    return users.map((userId) => ({ threadId, seq, authorId, userId, createdAt: isoTime(at) }));
  });
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
  const told = await knownOf(rows, drafts);
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
    threadId: message.thread_id,
    referenceType: 'message',
    referenceId: message.id,
    title: titleOf(message, kind),
    body: '',
    at: new Date(message.created_at),
    onlyUnderAll: false,
    onlyIfUnread: true,
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
  const found = await holdQuoted(rows, [...new Set(ids)]);
  const messages = new Map(found.map((message) => [message.id, message]));
  return drafts.flatMap((draft) => {
    if (!isOfMessage(draft)) return [draft];
    const message = messages.get(draft.referenceId);
    if (!message || (draft.kind === 'message.mention' && !isMentioned(message, draft.userId))) return [];
    return [{ ...draft, body: message.body }];
  });
}

/** Whether a message mentions a user as it is now, by name or with everyone. */
export function isMentioned({ mentions }: Pick<NotedMessage, 'mentions'>, userId: string): boolean {
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
    case 'message.keyword':
      return `${message.author_name} used one of your keywords in ${place}`;
    case 'message.reply':
      return `${message.author_name} replied to you in ${place}`;
    case 'thread.reply':
      return `${message.author_name} replied in a thread in ${place}`;
    case 'channel.message':
      return `${message.author_name} wrote in ${place}`;
    default:
      return message.channel_kind === 'group'
        ? `${message.author_name} in ${message.channel_name || 'a group'}`
        : message.author_name;
  }
}
