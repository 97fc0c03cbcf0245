import type { Delivery } from '../delivery/delivery.ts';
import type { LogEntry } from '../delivery/entry.ts';
import { messageDeleted } from '../messages/message.contract.ts';
import { notificationUpdated } from '../notifications/notification.contract.ts';
import { threadDeleted } from '../threads/thread.contract.ts';

/** Drops from this node's memory what events say has been erased from the log: nobody is to catch up on it from there. */
export function followErasures(delivery: Delivery): void {
  const forget = (entry: LogEntry, text: string) => delivery.peek(entry.room)?.forget(text, entry.seq);
  const followers: Record<string, (entry: LogEntry, data: unknown) => void> = {
    [messageDeleted.name]: (entry, data) => forget(entry, messageDeleted.payload.parse(data).id),
    [notificationUpdated.name](entry, data) {
      const { referenceId } = notificationUpdated.payload.parse(data);
      // Earlier events of the notification quote content that was erased (see quotes.ts).
      if (referenceId) forget(entry, referenceId);
    },
    // Its messages are quoted in other entries too, so nothing of the room stays in memory.
    [threadDeleted.name]: (entry) => forget(entry, ''),
  };
  delivery.observe((entry) => followers[entry.event]?.(entry, JSON.parse(entry.json)));
}
