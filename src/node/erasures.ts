import { z } from 'zod';
import type { LogEntry } from '../cluster/entry.ts';
import { messageDeleted, messageUpdated } from '../contract/message.ts';
import { notificationDeleted, notificationUpdated } from '../contract/notification.ts';
import { idSchema } from '../contract/schema.ts';
import { threadDeleted, threadUpdated } from '../contract/thread.ts';
import type { Delivery } from '../delivery/delivery.ts';

const identified = z.object({ id: idSchema });

/** Drops from this node's memory what events say has changed in the log or gone: nobody is to catch up on it from there. */
export function followErasures(delivery: Delivery): void {
  const forget = (entry: LogEntry, text: string) => delivery.peek(entry.room)?.forget(text, entry.seq);
  const forgetOne = (entry: LogEntry, data: unknown) => forget(entry, identified.parse(data).id);
  const followers: Record<string, (entry: LogEntry, data: unknown) => void> = {
    [messageDeleted.name]: forgetOne,
    [messageUpdated.name]: forgetOne,
    [threadUpdated.name]: forgetOne,
    // Earlier events of the notification may quote a message that was changed or erased (see quotes.ts).
    [notificationUpdated.name]: forgetOne,
    // Their messages are quoted in other entries too, so nothing of the room stays in memory.
    [notificationDeleted.name]: (entry) => forget(entry, ''),
    [threadDeleted.name]: (entry) => forget(entry, ''),
  };
  delivery.observe((entry) => followers[entry.event]?.(entry, JSON.parse(entry.json)));
}
