import { computed, signal } from '@preact/signals';
import type { ChannelEventMap, ChannelRecord, RestInput, ServerRecord } from '../../../client/index.ts';
import { me, parley } from './client.ts';
import { Overtaking } from './overtaking.ts';
import { place } from './router.ts';
import { lose } from './timeline.ts';
import { follow } from './unread.ts';

export const servers = signal<ServerRecord[]>([]);
export const serversLoaded = signal(false);
/** Of visited servers, by id. */
export const channels = signal<ReadonlyMap<string, ChannelRecord[]>>(new Map());

const overtaking = new Overtaking();
/** The channels of each server. */
const overtakings = new Map<string, Overtaking>();

/** Whether it has messages to read: voice channels have none, and admins see private ones that they are not in. */
export const isReadable = ({ isMember, type }: ChannelRecord): boolean => isMember && type !== 'voice';

export const currentServer = computed(() => {
  const here = place.value;
  if (!('serverId' in here) || here.serverId === null) return null;
  return servers.value.find((server) => server.id === here.serverId) ?? null;
});

const rank = { owner: 3, admin: 2, moderator: 1, member: 0 };
export type Role = keyof typeof rank;

/** Whether a role is at least another one; outsiders have none. */
export const isAtLeast = (role: Role | null | undefined, least: Role): boolean =>
  role != null && rank[role] >= rank[least];

/** Whether the user may act on another member: only on lower roles. */
export const outranks = (role: Role | null | undefined, other: Role): boolean =>
  role != null && rank[role] > rank[other];

export async function loadServers(): Promise<void> {
  await overtaking.read(
    () => parley.rest('GET /api/servers'),
    (own) => {
      servers.value = own.map(({ server }) => server);
      moved.clear();
      serversLoaded.value = true;
    },
  );
}

export async function loadChannels(serverId: string): Promise<void> {
  const own = overtakings.get(serverId) ?? new Overtaking();
  overtakings.set(serverId, own);
  await own.read(
    () => parley.rest('GET /api/servers/:serverId/channels', { serverId }),
    (list) => showChannels(serverId, list),
  );
}

function showChannels(serverId: string, list: ChannelRecord[]): void {
  channels.value = new Map(channels.value).set(serverId, list);
  for (const channel of list.filter(({ isMember }) => isMember)) {
    follow(channel);
    watch(serverId, channel.id);
  }
}

/** How many channels are followed at most without having been visited. */
const mostFollowed = 300;

/** Loads unread counts of servers that were not visited yet. What fails now is loaded on the visit. */
export async function loadOtherChannels(): Promise<void> {
  for (const { id } of servers.peek()) {
    const count = [...channels.peek().values()].flat().length;
    if (!channels.peek().has(id) && count < mostFollowed) await loadChannels(id).catch(() => {});
  }
}

/** What was not visited yet, or fails now, is loaded with the next change, or on the visit. */
function refresh(serverId: string | null): void {
  if (serverId && channels.value.has(serverId)) void loadChannels(serverId).catch(() => {});
}

const watched = new Set<string>();

/** Keeps the list in step with the server: names, order, and deletions. */
function watch(serverId: string, channelId: string): void {
  if (watched.has(channelId)) return;
  watched.add(channelId);
  const live = parley.channel(channelId);
  live.listen('channel:updated', () => refresh(serverId));
  live.listen('channel:deleted', () => refresh(serverId));
  // Deleted while there was no connection.
  live.listen('closed', () => refresh(serverId));
  live.listen('member:joined', (member) => countMember(member, 1));
  live.listen('member:left', (member) => countMember(member, -1));
}

/** The last event about users who came or went since the servers were read: each of their channels reports it. */
const moved = new Map<string, 1 | -1>();

function countMember({ scope, serverId, userId }: ChannelEventMap['member:left'], step: 1 | -1): void {
  const key = `${serverId} ${userId}`;
  if (scope !== 'server' || userId === me.value?.id || moved.get(key) === step) return;
  moved.set(key, step);
  servers.value = servers.value.map((server) =>
    server.id === serverId ? { ...server, memberCount: server.memberCount + step } : server,
  );
}

export async function createServer(input: { name: string; isPublic: boolean }): Promise<ServerRecord> {
  const server = await parley.rest('POST /api/servers', { body: input });
  add(server);
  return server;
}

type NewChannel = RestInput<'POST /api/servers/:serverId/channels'>['body'];

export async function createChannel(serverId: string, body: NewChannel): Promise<ChannelRecord> {
  const channel = await parley.rest('POST /api/servers/:serverId/channels', { serverId, body });
  await loadChannels(serverId);
  return channel;
}

type ServerChange = RestInput<'PATCH /api/servers/:id'>['body'];

export async function updateServer(id: string, body: ServerChange): Promise<void> {
  replace(await parley.rest('PATCH /api/servers/:id', { id, body }));
}

/** A new invite link; the old one stops working. */
export async function renewInvite(server: ServerRecord): Promise<void> {
  const { inviteCode } = await parley.rest('POST /api/servers/:id/invite/regenerate', { id: server.id });
  replace({ ...server, inviteCode });
}

export async function deleteServer(id: string): Promise<void> {
  await parley.rest('DELETE /api/servers/:id', { id });
  remove(id);
}

/** Joins a public server. */
export async function joinPublic(id: string): Promise<ServerRecord> {
  const server = await parley.rest('POST /api/servers/:id/join', { id, body: {} });
  add(server);
  return server;
}

/** Joins by an invite code. */
export async function joinByCode(code: string): Promise<ServerRecord> {
  const server = await parley.rest('POST /api/servers/:id/join', { id: '_', body: { inviteCode: code } });
  add(server);
  return server;
}

export async function leaveServer(id: string): Promise<void> {
  await parley.rest('POST /api/servers/:id/leave', { id });
  remove(id);
}

export function add(server: ServerRecord): void {
  overtaking.hear();
  if (!servers.value.some(({ id }) => id === server.id)) servers.value = [...servers.value, server];
}

function replace(server: ServerRecord): void {
  overtaking.hear();
  const before = servers.value.find(({ id }) => id === server.id);
  servers.value = servers.value.map((known) => (known.id === server.id ? server : known));
  // Admins see private channels that they are not in.
  if (before && before.role !== server.role) refresh(server.id);
}

/** Losing access to the current place must not leave it on screen. */
function remove(serverId: string): void {
  overtaking.hear();
  servers.value = servers.value.filter(({ id }) => id !== serverId);
  const others = new Map(channels.value);
  for (const { id } of others.get(serverId) ?? []) lose(id);
  // Those who come back get what exists by then.
  others.delete(serverId);
  channels.value = others;
}

parley.on('server:joined', ({ server }) => add(server));
parley.on('server:updated', ({ server }) => replace(server));
parley.on('server:deleted', ({ serverId }) => remove(serverId));
parley.on('server:left', ({ serverId }) => remove(serverId));
parley.on('channel:created', ({ channel }) => refresh(channel.serverId));
parley.on('channel:member-added', ({ serverId }) => refresh(serverId));
parley.on('channel:member-removed', ({ channelId, serverId }) => {
  lose(channelId);
  refresh(serverId);
});
