import type { NotificationKind } from '../../contract/notification.ts';

/** A notification that a user gets if they want it. */
export interface NotificationDraft {
  userId: string;
  kind: NotificationKind;
  senderId: string | null;
  serverId: string | null;
  channelId: string | null;
  referenceType: string | null;
  referenceId: string | null;
  title: string;
  body: string;
  /** When it happened. */
  at: Date;
  /** Only for users with the strategy `all`. */
  onlyUnderAll: boolean;
  /** The user got it before, so it returns as if it had never been away. */
  isAnnounced: boolean;
}

/** Each of these says something of its own. */
const neverMerged: NotificationKind[] = ['later.reminder', 'message.not_sent'];

/** The scope in which repeats are merged (contract §13, Notifications): the channel, else the server, else the person. */
export function scopeOf(draft: NotificationDraft): string {
  if (neverMerged.includes(draft.kind)) return draft.referenceId ?? '';
  return draft.channelId ?? draft.serverId ?? draft.senderId ?? '';
}
