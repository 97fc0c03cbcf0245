import type { MentionRecord } from '../../contract/mention.ts';
import { saidIn } from '../../contract/quote.ts';
import type { Flagged } from '../../jobs/flag.jobs.ts';
import type { MessageJob } from '../../jobs/notification.jobs.ts';
import type { NewMessage } from './new-message.ts';

/** Whether a message may notify someone. Plain ones in channels cost no more than this check. */
export function isNoticed(
  row: Pick<NewMessage, 'isDirect' | 'isWatched' | 'replyToId' | 'threadId' | 'mentions'>,
): boolean {
  const calls = row.mentions?.some(({ kind }) => kind !== 'channel') ?? false;
  return row.isDirect || row.isWatched || row.replyToId !== null || row.threadId !== null || calls;
}

/** The background jobs for messages. */
export function noticesOf(rows: NewMessage[]): MessageJob[] {
  return rows.filter(isNoticed).map((row) => {
    const mentions = row.mentions ?? [];
    const calls = new Set(mentions.map(({ kind }) => kind));
    const broadcast = calls.has('everyone') ? 'everyone' : calls.has('here') ? 'here' : null;
    return { job: 'message', messageId: row.id, users: namedIn(mentions), broadcast, isWatched: row.isWatched };
  });
}

/** The reports that filters make of messages. */
export function flagsOf(rows: NewMessage[]): Flagged[] {
  return rows.flatMap(({ id: messageId, content, poll, components, forward, flag }) => {
    if (!flag) return [];
    const forwarded = forward && { authorId: forward.authorId, content: forward.content };
    return [{ messageId, content: saidIn({ content, poll, components }), forwarded, ...flag }];
  });
}

/** Users whom a message newly mentions after an edit. */
export function newlyNamed(before: MentionRecord[], after: MentionRecord[]): string[] {
  const known = new Set(namedIn(before));
  return namedIn(after).filter((userId) => !known.has(userId));
}

/** The people whom a message names one by one. */
export function namedIn(mentions: MentionRecord[]): string[] {
  return [...new Set(mentions.filter(({ kind }) => kind === 'user').map(({ targetId }) => targetId))];
}
