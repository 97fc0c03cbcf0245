import { z } from 'zod';
import { laterUpdated } from '../../contract/later.ts';
import { userRoom } from '../../contract/rooms.ts';
import { idSchema, timeSchema } from '../../contract/schema.ts';
import type { Rows } from '../../database/database.ts';
import type { Change } from '../../delivery/changes.ts';
import { dateNow } from '../../infrastructure/clock.ts';
import { type InsideWork, insideWork, type JobKind } from '../../jobs/job.kind.ts';
import type { DigestSettings } from '../../settings/mail-settings.ts';
import { findMessages } from '../messages/message.table.ts';
import { writeNotifications } from '../notifications/notification.writer.ts';
import { type SavedRow, savedTable } from './saved.table.ts';
import { savedItem } from './saved.view.ts';

/** Reminds someone of a saved item; its key is the id of that, so a changed reminder has one job. */
export const reminderKind: JobKind<{ id: string; at: string }> = {
  name: 'reminder',
  schema: z.object({ id: idSchema, at: timeSchema }),
};

/** Longer than any outage should be: a reminder that comes late is better than none. */
const retries = { attempts: 100, firstMs: 1000, longestMs: 60_000 };

/** Notifies of due reminders, in the change that deletes their jobs, and so once each (contract §7, Later). */
export function reminders(settings: DigestSettings): InsideWork {
  return insideWork(
    reminderKind,
    async (change, jobs) => {
      const due: SavedRow[] = [];
      for (const { data } of jobs) {
        const userId = await savedTable.markReminded(change.rows, data.id, data.at);
        const row = userId && (await savedTable.find(change.rows, data.id, userId));
        if (row) due.push(row);
      }
      if (due.length > 0) await notify(change, due, settings);
    },
    { batch: 50, retries },
  );
}

async function notify(change: Change, due: SavedRow[], settings: DigestSettings): Promise<void> {
  const titles = await titlesOf(change.rows, due);
  await change.lock(...due.map(({ user_id: userId }) => userRoom(userId)));
  const place = {
    senderId: null,
    serverId: null,
    channelId: null,
    onlyUnderAll: false,
    threadId: null,
    onlyIfUnread: false,
    isAnnounced: false,
  };
  await writeNotifications(
    change,
    due.map((row) => ({
      ...place,
      userId: row.user_id,
      kind: 'later.reminder',
      referenceType: 'later',
      referenceId: row.id,
      title: titles.get(row.id) ?? 'Reminder',
      body: row.note ?? '',
      at: dateNow(),
    })),
    settings,
  );
  for (const row of due) change.publish(laterUpdated.in(userRoom(row.user_id), { item: savedItem(row) }));
}

/** They name authors, and nothing of the text: that may be edited or deleted later. */
async function titlesOf(rows: Rows, due: SavedRow[]): Promise<Map<string, string>> {
  const ids = due.flatMap(({ message_id: id, may_read: mayRead }) => (mayRead && id !== null ? [id] : []));
  const messages = ids.length > 0 ? await findMessages(rows, ids) : [];
  const authors = new Map(messages.filter((row) => !row.is_deleted).map((row) => [row.id, row.display_name]));
  const titled = due.filter(({ message_id: id }) => id !== null);
  return new Map(
    titled.map(({ id, message_id: messageId }) => {
      const author = authors.get(messageId ?? '');
      return [id, author ? `Reminder: a message from ${author}` : 'Reminder: a message that is gone'];
    }),
  );
}
