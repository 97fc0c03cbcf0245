import type { NotificationKind } from './notification.kinds.ts';

/** A notification that someone may get, if they want it. */
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
  /** Only for those who want to hear of everything. */
  onlyUnderAll: boolean;
}

/** What repeats have in common (contract §13, Notifications): the channel, else the server, else the person. */
export function scopeOf(draft: NotificationDraft): string {
  return draft.channelId ?? draft.serverId ?? draft.senderId ?? '';
}
