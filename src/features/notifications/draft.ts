import type { NotificationKind } from '../../contract/notification.ts';

/** A notification that a user gets if they want it. */
export interface NotificationDraft {
  userId: string;
  kind: NotificationKind;
  senderId: string | null;
  serverId: string | null;
  channelId: string | null;
  /** The thread that its message is in. */
  threadId: string | null;
  referenceType: string | null;
  referenceId: string | null;
  title: string;
  body: string;
  /** When it happened. */
  at: Date;
  /** Only for users who want all of the channel. */
  onlyUnderAll: boolean;
  /** Not for those who have read its message already. */
  onlyIfUnread: boolean;
  /** The user got it before, so it returns as if it had never been away. */
  isAnnounced: boolean;
}

/** Each of these says something of its own. */
const neverMerged: NotificationKind[] = ['later.reminder', 'message.not_sent'];

/**
 * The scope in which repeats are merged (contract §13, Notifications): the thread, else the channel, else the server, else
 * the person.
 */
export function scopeOf(draft: NotificationDraft): string {
  if (neverMerged.includes(draft.kind)) return draft.referenceId ?? '';
  return draft.threadId ?? draft.channelId ?? draft.serverId ?? draft.senderId ?? '';
}
