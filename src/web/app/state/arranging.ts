import type { ChannelRecord, Parley } from '../../../client/index.ts';
import type { Categories } from './categories.ts';
import type { Servers } from './servers.ts';

/** What is changed, and shows it. */
interface Parts {
  client: Parley;
  servers: Servers;
  categories: Categories;
}

/** Where a channel goes: into a category, or with null into none. */
export interface Place {
  categoryId: string | null;
  /** The channel that it comes before; null: after all in there. */
  before: string | null;
}

/** Moves a channel for everyone. It is shown at once; what the server refuses is shown as it was. */
export async function moveChannel(parts: Parts, serverId: string, id: string, place: Place): Promise<void> {
  const { client, servers } = parts;
  const list = movedTo(servers.channels.peek().get(serverId) ?? [], id, place);
  const positions = list.map((channel, position) =>
    channel.id === id ? { id, position, categoryId: place.categoryId } : { id: channel.id, position },
  );
  servers.showOrder(serverId, list);
  try {
    await client.rest('PATCH /api/servers/:serverId/channels/positions', { serverId, body: { positions } });
  } finally {
    await servers.loadChannels(serverId);
  }
}

/** Puts a category before another, or with null at the end. */
export async function moveCategory(parts: Parts, serverId: string, id: string, before: string | null): Promise<void> {
  const { client, categories } = parts;
  const list = categories.lists.peek().get(serverId) ?? [];
  const moved = list.find((category) => category.id === id);
  const others = list.filter((category) => category !== moved);
  const at = before === null ? -1 : others.findIndex((category) => category.id === before);
  if (moved) others.splice(at < 0 ? others.length : at, 0, moved);
  categories.show(serverId, others);
  const body = { categoryIds: others.map((category) => category.id) };
  const request = client.rest('PATCH /api/servers/:serverId/categories/positions', { serverId, body });
  await shown(parts, serverId, request);
}

export function createCategory(parts: Parts, serverId: string, name: string): Promise<void> {
  const input = { serverId, body: { name } };
  return shown(parts, serverId, parts.client.rest('POST /api/servers/:serverId/categories', input));
}

export function renameCategory(parts: Parts, serverId: string, categoryId: string, name: string): Promise<void> {
  const input = { serverId, categoryId, body: { name } };
  return shown(parts, serverId, parts.client.rest('PATCH /api/servers/:serverId/categories/:categoryId', input));
}

/** Its channels stay. */
export function deleteCategory(parts: Parts, serverId: string, categoryId: string): Promise<void> {
  const input = { serverId, categoryId };
  return shown(parts, serverId, parts.client.rest('DELETE /api/servers/:serverId/categories/:categoryId', input));
}

/** Shows what has come of a change, also where the server refused it. */
async function shown({ servers, categories }: Parts, serverId: string, request: Promise<unknown>): Promise<void> {
  try {
    await request;
  } finally {
    categories.show(serverId, await categories.read(serverId));
    await servers.loadChannels(serverId);
  }
}

/** A list of channels with one of them in another place. */
export function movedTo(list: readonly ChannelRecord[], id: string, { categoryId, before }: Place): ChannelRecord[] {
  const moved = list.find((channel) => channel.id === id);
  if (!moved) return [...list];
  const others = list.filter((channel) => channel !== moved);
  const next = before === null ? -1 : others.findIndex((channel) => channel.id === before);
  const last = others.findLastIndex((channel) => channel.categoryId === categoryId);
  others.splice(next < 0 ? (last < 0 ? others.length : last + 1) : next, 0, { ...moved, categoryId });
  return others;
}
