import { signal } from '@preact/signals';
import type { ChannelRecord, Message } from '../../../client/index.ts';
import { me, parley } from './client.ts';
import { place } from './router.ts';

const prefix = 'parley:read:';

/** How many messages of others came in a channel since it was last looked at. */
export const unread = signal<ReadonlyMap<string, number>>(new Map());
const followed = new Set<string>();

/** Number of the last message that was seen on this device. */
export const lastRead = (channelId: string): number => Number(localStorage.getItem(prefix + channelId) ?? 0);

export function markRead(channelId: string, seq: number): void {
  if (seq > lastRead(channelId)) localStorage.setItem(prefix + channelId, String(seq));
  if (unread.value.get(channelId)) setUnread(channelId, 0);
}

/** Counts what comes in a channel while nobody looks at it. */
export function follow(channel: ChannelRecord): void {
  if (followed.has(channel.id)) return;
  followed.add(channel.id);
  const live = parley.channel(channel.id);
  live.open(channel.lastSeq);
  live.on('message:new', count);
  live.on('closed', () => followed.delete(channel.id));
}

/** DMs come without being followed. */
parley.on('message:new', count);

function count(message: Message): void {
  if (message.authorId === me.value?.id || message.threadId) return;
  if (isLookedAt(message.channelId) || message.seq <= lastRead(message.channelId)) return;
  setUnread(message.channelId, (unread.value.get(message.channelId) ?? 0) + 1);
}

export function isLookedAt(channelId: string): boolean {
  const here = place.value;
  return 'channelId' in here && here.channelId === channelId && document.visibilityState === 'visible';
}

function setUnread(channelId: string, value: number): void {
  unread.value = new Map(unread.value).set(channelId, value);
}
