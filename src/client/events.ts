import type { z } from 'zod';
import type { membershipUpdated } from '../accounts/membership.contract.ts';
import type { channelCreated } from '../channels/channel.contract.ts';
import type { dmCreated } from '../direct/direct.contract.ts';
import type { friendAccepted, friendRemoved, friendRequest } from '../friends/friend.contract.ts';
import type { messageDeleted, messageNew, messageUpdated } from '../messages/message.contract.ts';
import type { memberJoined, memberLeft, serverJoined, serverLeft } from '../servers/server.contract.ts';

type Payload<E extends { payload: z.ZodType }> = z.output<E['payload']>;

/** What happens in a channel. */
export interface ChannelEvents {
  'message:new': Payload<typeof messageNew>;
  'message:updated': Payload<typeof messageUpdated>;
  'message:deleted': Payload<typeof messageDeleted>;
  'member:joined': Payload<typeof memberJoined>;
  'member:left': Payload<typeof memberLeft>;
}

/** What concerns the signed-in user alone. */
export interface OwnEvents {
  'channel:created': Payload<typeof channelCreated>;
  'server:joined': Payload<typeof serverJoined>;
  'server:left': Payload<typeof serverLeft>;
  'membership:updated': Payload<typeof membershipUpdated>;
  'dm:created': Payload<typeof dmCreated>;
  'friend:request': Payload<typeof friendRequest>;
  'friend:accepted': Payload<typeof friendAccepted>;
  'friend:removed': Payload<typeof friendRemoved>;
}

const ownEvents: Record<keyof OwnEvents, true> = {
  'channel:created': true,
  'server:joined': true,
  'server:left': true,
  'membership:updated': true,
  'dm:created': true,
  'friend:request': true,
  'friend:accepted': true,
  'friend:removed': true,
};

/** Whether an event belongs to the user's own room: its number then counts in that room's log. */
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
