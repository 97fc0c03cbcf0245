import { type NotificationKind, type Strategy, typeOfKind } from '../../contract/notification.ts';
import type { ChannelLevel } from '../../contract/notification-level.ts';

/** What someone wants to be notified of, where a notification is from. */
export interface Levels {
  strategy: Strategy | null;
  /** Of the channel alone. */
  level: Exclude<ChannelLevel, 'nothing'> | null;
  /** Of its server. */
  serverLevel: Exclude<ChannelLevel, 'nothing'> | null;
  mutedServers: string[] | null;
  mutedChannels: string[] | null;
}

/** What decides whether someone wants a notification. */
interface Told {
  kind: NotificationKind;
  serverId: string | null;
  channelId: string | null;
  /** Not for those who want only what names or answers them. */
  onlyUnderAll: boolean;
}

const levelOf = { all: 'all', mention_only: 'mentions', none: 'nothing' } as const satisfies Record<
  Strategy,
  ChannelLevel
>;

/** The levels and strategies of contract §7. News about the user's own access always gets through. */
export function isWanted(told: Told, levels: Levels): boolean {
  if (typeOfKind[told.kind] === 'system') return true;
  if (told.serverId && levels.mutedServers?.includes(told.serverId)) return false;
  if (told.channelId && levels.mutedChannels?.includes(told.channelId)) return false;
  const chosen = levels.level ?? levels.serverLevel;
  // Every message is for those alone who have asked for that channel, or its server.
  if (told.kind === 'channel.message') return chosen === 'all';
  const level = chosen ?? levelOf[levels.strategy ?? 'all'];
  return level === 'all' || (level === 'mentions' && !told.onlyUnderAll);
}
