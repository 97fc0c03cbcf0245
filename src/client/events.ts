import type { z } from 'zod';
import type { userUpdated } from '../contract/account.ts';
import type { slashCommandsUpdated } from '../contract/agent.ts';
import type { memberBanned, memberUnbanned } from '../contract/ban.ts';
import type {
  channelCreated,
  channelDeleted,
  channelMemberAdded,
  channelMemberRemoved,
  channelRead,
  channelUpdated,
} from '../contract/channel.ts';
import type { dmCreated } from '../contract/direct.ts';
import type { EventSpec } from '../contract/event.ts';
import type { friendAccepted, friendRemoved, friendRequest } from '../contract/friend.ts';
import type { joinRequestCreated, joinRequestDecided } from '../contract/join-request.ts';
import type { membershipUpdated } from '../contract/membership.ts';
import type {
  messageDeleted,
  messageNew,
  messagePinned,
  messageTyping,
  messageUnpinned,
  messageUpdated,
} from '../contract/message.ts';
import type {
  notificationDeleted,
  notificationNew,
  notificationRead,
  notificationUpdated,
} from '../contract/notification.ts';
import type { policyChanged } from '../contract/policy.ts';
import type { presenceActivity, presenceChange, presenceSnapshot } from '../contract/presence.ts';
import type { reactionUpdated } from '../contract/reaction.ts';
import type {
  memberJoined,
  memberLeft,
  memberUpdated,
  serverDeleted,
  serverInvited,
  serverJoined,
  serverLeft,
  serverUpdated,
} from '../contract/server.ts';
import type { messageStream } from '../contract/stream.ts';
import type { threadCreated, threadDeleted, threadUpdated } from '../contract/thread.ts';
import type { workspaceChanged } from '../contract/workspace.ts';

/** With its number in the room's log, for events that have one. */
type Payload<E extends EventSpec> = z.output<E['payload']> &
  (E extends { durable: true } ? { eventSeq?: number } : unknown);

/** Events of a channel. */
export interface ChannelEvents {
  'message:new': Payload<typeof messageNew>;
  'message:updated': Payload<typeof messageUpdated>;
  'message:deleted': Payload<typeof messageDeleted>;
  'message:pinned': Payload<typeof messagePinned>;
  'message:unpinned': Payload<typeof messageUnpinned>;
  'message:typing': Payload<typeof messageTyping>;
  'message:stream': Payload<typeof messageStream>;
  'reaction:updated': Payload<typeof reactionUpdated>;
  'thread:created': Payload<typeof threadCreated>;
  'thread:updated': Payload<typeof threadUpdated>;
  'thread:deleted': Payload<typeof threadDeleted>;
  'channel:updated': Payload<typeof channelUpdated>;
  'channel:deleted': Payload<typeof channelDeleted>;
  'presence:activity': Payload<typeof presenceActivity>;
  'presence:snapshot': Payload<typeof presenceSnapshot>;
  'channel:slash-commands-updated': Payload<typeof slashCommandsUpdated>;
  'member:updated': Payload<typeof memberUpdated>;
  'member:joined': Payload<typeof memberJoined>;
  'member:left': Payload<typeof memberLeft>;
}

/** Events of no channel that are not in a log either. */
export interface EphemeralEvents {
  'presence:change': Payload<typeof presenceChange>;
  'user:updated': Payload<typeof userUpdated>;
}

/** Events for the signed-in user alone. */
export interface OwnEvents {
  'channel:created': Payload<typeof channelCreated>;
  'channel:member-added': Payload<typeof channelMemberAdded>;
  'channel:member-removed': Payload<typeof channelMemberRemoved>;
  'channel:read': Payload<typeof channelRead>;
  'notification:new': Payload<typeof notificationNew>;
  'notification:updated': Payload<typeof notificationUpdated>;
  'notification:read': Payload<typeof notificationRead>;
  'notification:deleted': Payload<typeof notificationDeleted>;
  'server:updated': Payload<typeof serverUpdated>;
  'server:deleted': Payload<typeof serverDeleted>;
  'server:invited': Payload<typeof serverInvited>;
  'workspace:changed': Payload<typeof workspaceChanged>;
  'server:joined': Payload<typeof serverJoined>;
  'server:left': Payload<typeof serverLeft>;
  'membership:updated': Payload<typeof membershipUpdated>;
  'agent:policy-changed': Payload<typeof policyChanged>;
  'join-request:created': Payload<typeof joinRequestCreated>;
  'join-request:decided': Payload<typeof joinRequestDecided>;
  'dm:created': Payload<typeof dmCreated>;
  'friend:request': Payload<typeof friendRequest>;
  'friend:accepted': Payload<typeof friendAccepted>;
  'friend:removed': Payload<typeof friendRemoved>;
  'member:banned': Payload<typeof memberBanned>;
  'member:unbanned': Payload<typeof memberUnbanned>;
}

const ownEvents: Record<keyof OwnEvents, true> = {
  'channel:created': true,
  'channel:member-added': true,
  'channel:member-removed': true,
  'channel:read': true,
  'notification:new': true,
  'notification:updated': true,
  'notification:read': true,
  'notification:deleted': true,
  'server:updated': true,
  'server:deleted': true,
  'server:invited': true,
  'workspace:changed': true,
  'server:joined': true,
  'server:left': true,
  'membership:updated': true,
  'agent:policy-changed': true,
  'join-request:created': true,
  'join-request:decided': true,
  'dm:created': true,
  'friend:request': true,
  'friend:accepted': true,
  'friend:removed': true,
  'member:banned': true,
  'member:unbanned': true,
};

/** Whether an event belongs to the user's own room: its number is then one of that room's log. */
export function isOwnEvent(event: string): event is keyof OwnEvents {
  return event in ownEvents;
}

/** The channel that an event of a channel's room is about. */
export function channelIdOf(data: object): string | undefined {
  if ('channelId' in data && typeof data.channelId === 'string') return data.channelId;
  const channel = 'channel' in data ? data.channel : data;
  return typeof channel === 'object' && channel && 'id' in channel && typeof channel.id === 'string'
    ? channel.id
    : undefined;
}
