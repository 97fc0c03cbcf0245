import type { z } from 'zod';
import type { catalogue } from '../contract/catalogue.ts';
import type { EventSpec } from '../contract/event.ts';

/** With its number in the room's log, for events that have one. */
type Payload<E extends EventSpec> = z.output<E['payload']> &
  (E extends { durable: true } ? { eventSeq?: number } : unknown);

type Declared = (typeof catalogue)[number];
/** The payloads of these events, by name. */
type Payloads<E extends EventSpec> = { [One in E as One['name']]: Payload<One> };

/** Events of no channel that are not in a log either. */
export type EphemeralEvents = Payloads<
  Extract<Declared, { name: 'presence:change' | 'presence:count' | 'presence:custom-status' | 'user:updated' }>
>;

/** Events of a channel. */
export type ChannelEvents = Omit<
  Payloads<Extract<Declared, { room: 'channel' } | { name: 'presence:snapshot' }>>,
  keyof EphemeralEvents
>;

/** Events for the signed-in user alone. */
export type OwnEvents = Payloads<Extract<Declared, { room: 'user' }>>;

const ownEvents: Record<keyof OwnEvents, true> = {
  'channel:created': true,
  'channel:member-added': true,
  'channel:member-removed': true,
  'channel:read': true,
  'favorites:updated': true,
  'channel:receipts': true,
  'receipts:choice': true,
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
  'account:updated': true,
  'agent:policy-changed': true,
  'command:complete': true,
  'agent:replay': true,
  'join-request:created': true,
  'join-request:decided': true,
  'dm:created': true,
  'friend:request': true,
  'friend:accepted': true,
  'friend:removed': true,
  'handover:offered': true,
  'handover:ended': true,
  'invite:created': true,
  'invite:used': true,
  'invite:deleted': true,
  'server:raid': true,
  'held:created': true,
  'held:decided': true,
  'member:banned': true,
  'member:unbanned': true,
  'member:timed-out': true,
  'report:created': true,
  'report:updated': true,
  'audit:created': true,
  'later:updated': true,
  'later:removed': true,
  'scheduled:updated': true,
  'scheduled:removed': true,
  'draft:updated': true,
  'thread:state': true,
  'notification:preferences': true,
  'notification:settings': true,
  'push:preferences': true,
  'poll:voted': true,
  'interaction:created': true,
  'interaction:updated': true,
  'ephemeral:created': true,
  'ephemeral:removed': true,
  'message:stream-stopped': true,
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
