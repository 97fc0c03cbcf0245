import type { MessageJob } from '../notifications/notification.jobs.ts';
import type { NewMessage } from './message.table.ts';

/** Whether someone should hear of a message. Plain ones in channels cost nothing beyond this look. */
export function isNoticed(row: NewMessage): boolean {
  const calls = row.mentions?.some(({ kind }) => kind !== 'channel') ?? false;
  return row.isDirect || row.replyToId !== null || row.threadId !== null || calls;
}

/** The background work that messages make. */
export function noticesOf(rows: NewMessage[]): MessageJob[] {
  return rows.filter(isNoticed).map((row) => {
    const mentions = row.mentions ?? [];
    const users = mentions.filter(({ kind }) => kind === 'user').map(({ targetId }) => targetId);
    const calls = new Set(mentions.map(({ kind }) => kind));
    const broadcast = calls.has('everyone') ? 'everyone' : calls.has('here') ? 'here' : null;
    return { job: 'message', messageId: row.id, users: [...new Set(users)], broadcast };
  });
}
