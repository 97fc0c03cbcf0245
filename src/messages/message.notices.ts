import type { MessageJob } from '../notifications/notification.jobs.ts';
import type { NewMessage } from './message.table.ts';

/** Whether someone should hear of a message. Plain ones in channels cost nothing beyond this look. */
export function isNoticed(row: NewMessage): boolean {
  return row.isDirect || row.replyToId !== null || row.threadId !== null;
}

/** The background work that messages make. */
export function noticesOf(rows: NewMessage[]): MessageJob[] {
  return rows.filter(isNoticed).map((row) => ({ job: 'message', messageId: row.id, users: [], broadcast: null }));
}
