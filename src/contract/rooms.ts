import type { Actor } from './actor.ts';

/** A room whose events are kept in a log: a channel's, or a user's own. */
export type Room = `channel:${string}` | `user:${string}`;

export const channelRoom = (channelId: string): Room => `channel:${channelId}`;
export const userRoom = (userId: string): Room => `user:${userId}`;
/** Sockets that are in any channel of a server, and get the presence of all its members. It has no log. */
export const serverRoom = (serverId: string): string => `server:${serverId}`;
/**
 * The same where the server is large, or shows a bot no members: they get the presence of those whom they follow. It has no
 * log.
 */
export const crowdRoom = (serverId: string): string => `crowd:${serverId}`;
/** Those of a large server's sockets that get the presence of everyone in a small private channel. It has no log. */
export const circleRoom = (channelId: string): string => `circle:${channelId}`;
const idIn = (prefix: string) => (room: string) => (room.startsWith(prefix) ? room.slice(prefix.length) : undefined);
/** The server or channel of such a room; undefined for other rooms. */
export const serverIn = idIn('server:');
export const crowdIn = idIn('crowd:');
export const circleIn = idIn('circle:');
/** Sockets that follow the presence of a user on a common server. It has no log. */
export const watchRoom = (serverId: string, userId: string): string => `${watchRoomsOf(serverId)}${userId}`;
export const watchRoomsOf = (serverId: string): string => `watch:${serverId}:`;
/** The user of a watch room. */
export const watchedIn = (room: string): string | undefined => /^watch:[^:]+:(.+)$/.exec(room)?.[1];
/** Sockets that follow a room's log without being in the room: those in one of its threads. */
export const followersOf = (room: Room): string => `followers:${room}`;
export const threadRoom = (threadId: string): string => `thread:${threadId}`;

/** Sockets by the tokens of a person's apps, whoever those act for. It has no log. */
export const appsRoom = (ownerId: string): string => `apps:${ownerId}`;

/** The rooms of all sockets that end together: by the same session or token, or by apps of the same person. */
export function credentialRooms(actor: Actor): string[] {
  const id = actor.sessionId ?? actor.personalTokenId ?? actor.agent?.tokenId;
  return [...(id ? [`session:${id}`] : []), ...(actor.appOwnerId ? [appsRoom(actor.appOwnerId)] : [])];
}

/** The id of the channel or user whose room it is; also the id of its stream. */
export const streamId = (room: Room): string => room.slice(room.indexOf(':') + 1);

/** Whether it is the room of a person, not of a channel. */
export const isOwn = (room: Room): boolean => room.startsWith('user:');

/** An event that has no number yet. */
export interface Draft {
  room: Room;
  event: string;
  threadId?: string | null;
  /** The payload; a function if it needs the number. `eventSeq` is added to it. */
  data: object | ((seq: number) => object);
}
