import { signal } from '@preact/signals';
import { me, parley } from './client.ts';

interface Typist {
  userId: string;
  name: string;
  threadId: string | null;
}

/** Without an event for this long, someone has stopped typing. */
const silenceMs = 6000;
const tellEachMs = 3000;

/** Who is typing, by channel. */
export const typists = signal<ReadonlyMap<string, readonly Typist[]>>(new Map());
const timers = new Map<string, ReturnType<typeof setTimeout>>();
const heard = new Set<string>();
let toldAt = 0;

/** Listens in a channel, once. */
export function hearTyping(channelId: string): void {
  if (heard.has(channelId)) return;
  heard.add(channelId);
  const channel = parley.channel(channelId);
  channel.listen('message:typing', ({ userId, displayName, threadId, typing }) => {
    if (userId === me.value?.id) return;
    remove(channelId, userId);
    if (!typing) return;
    set(channelId, [...(typists.value.get(channelId) ?? []), { userId, name: displayName, threadId }]);
    timers.set(
      channelId + userId,
      setTimeout(() => remove(channelId, userId), silenceMs),
    );
  });
  channel.listen('message:new', ({ authorId }) => remove(channelId, authorId));
  // A bot's reply is shown from its first piece on.
  channel.listen('message:stream', ({ userId }) => remove(channelId, userId));
}

/** Tells the others, not too often. */
export function tellTyping(channelId: string, threadId: string | null): void {
  if (Date.now() - toldAt < tellEachMs) return;
  toldAt = Date.now();
  parley.channel(channelId).typing({ threadId });
}

/** After a message was sent the next key is reported at once. */
export function typedAll(): void {
  toldAt = 0;
}

function remove(channelId: string, userId: string): void {
  clearTimeout(timers.get(channelId + userId));
  const now = typists.value.get(channelId) ?? [];
  if (now.some((typist) => typist.userId === userId))
    set(
      channelId,
      now.filter((typist) => typist.userId !== userId),
    );
}

function set(channelId: string, list: readonly Typist[]): void {
  typists.value = new Map(typists.value).set(channelId, list);
}
