import { signal } from '@preact/signals';
import { type ChannelEventMap, type Message, ParleyError } from '../../../client/index.ts';
import { me, parley } from './client.ts';
import { seeChannel } from './presence.ts';
import { whenItMayWork } from './reading.ts';
import { hearReplies } from './replies.ts';
import { place } from './router.ts';

/** How long after the last message came into view the read position is sent to the server. */
const tellAfterMs = 400;

/** How many messages of others came in a channel since the last visit. */
export const unread = signal<ReadonlyMap<string, number>>(new Map());
const followed = new Set<string>();
const read = new Map<string, number>();
/** Read positions still to be sent, by channel: cancels that. */
const toTell = new Map<string, () => void>();

/** Number of the last event of the channel that was seen; undefined: unknown. */
export const lastRead = (channelId: string): number | undefined => read.get(channelId);

interface Followed {
  id: string;
  lastSeq: number;
  unreadCount: number;
  lastReadSeq?: number;
}

/** Counts messages in channels that are not being looked at, starting from the server's count. */
export function follow(channel: Followed): void {
  const lastReadHere = read.get(channel.id) ?? 0;
  const { lastReadSeq = lastReadHere } = channel;
  read.set(channel.id, Math.max(lastReadSeq, lastReadHere));
  const live = parley.channel(channel.id);
  if (!followed.has(channel.id)) {
    followed.add(channel.id);
    // What was read here meanwhile still counts there.
    if (lastReadSeq >= lastReadHere) setUnread(channel.id, channel.unreadCount);
    live.listen('message:new', count);
    live.listen('message:deleted', discount);
    hearReplies(channel.id);
    live.listen('presence:snapshot', seeChannel);
  }
  live.open(channel.lastSeq);
}

export function markRead(channelId: string, seq: number): void {
  if (unread.value.get(channelId)) setUnread(channelId, 0);
  if (seq <= (read.get(channelId) ?? 0)) return;
  read.set(channelId, seq);
  toTell.get(channelId)?.();
  const timer = setTimeout(() => tellRead(channelId), tellAfterMs);
  toTell.set(channelId, () => clearTimeout(timer));
}

/** Sends the read position; other devices count it as unread until then, so it is sent once there is a connection. */
function tellRead(channelId: string): void {
  const body = { seq: read.get(channelId) ?? 0 };
  parley.rest('PUT /api/channels/:id/read', { id: channelId, body }).catch((error) => {
    if (!(error instanceof ParleyError) || !error.isPassing) return;
    const forget = whenItMayWork(() => tellRead(channelId));
    toTell.set(channelId, forget);
  });
}

/** Marks everything in channels as read, now. */
export async function markAllRead(list: readonly { id: string; lastSeq: number }[]): Promise<void> {
  for (const { id, lastSeq } of list) {
    const seq = Math.max(lastSeq, parley.channel(id).position ?? 0);
    await parley.rest('PUT /api/channels/:id/read', { id, body: { seq } });
    setUnread(id, 0);
    read.set(id, Math.max(seq, read.get(id) ?? 0));
  }
}

function count(message: Message): void {
  if (message.authorId === me.value?.id || message.threadId) return;
  if (isLookedAt(message.channelId) || message.seq <= (read.get(message.channelId) ?? 0)) return;
  setUnread(message.channelId, (unread.value.get(message.channelId) ?? 0) + 1);
}

/** A deleted message that was counted is no longer unread. */
function discount({ channelId, seq, threadId, authorId }: ChannelEventMap['message:deleted']): void {
  const counted = unread.value.get(channelId) ?? 0;
  if (!authorId || authorId === me.value?.id || threadId || seq <= (read.get(channelId) ?? 0) || counted === 0) return;
  setUnread(channelId, counted - 1);
}

export function isLookedAt(channelId: string): boolean {
  const here = place.value;
  return 'channelId' in here && here.channelId === channelId && document.visibilityState === 'visible';
}

function setUnread(channelId: string, value: number): void {
  unread.value = new Map(unread.value).set(channelId, value);
}

/** DMs arrive without being followed. */
parley.on('message:new', count);
parley.on('message:deleted', discount);
parley.on('channel:read', ({ channelId, lastReadSeq, unreadCount }) => {
  if (lastReadSeq < (read.get(channelId) ?? 0)) return;
  read.set(channelId, lastReadSeq);
  setUnread(channelId, unreadCount);
});
