import { signal } from '@preact/signals';
import { me, parley } from './client.ts';

interface Doing {
  userId: string;
  name: string;
  activity: string;
}

/** What others are doing, by channel. */
export const activities = signal<ReadonlyMap<string, readonly Doing[]>>(new Map());
const heard = new Set<string>();
/** User → name; undefined where it is not known yet. */
const names = new Map<string, string | undefined>();

/** Listens in a channel, once. */
export function hearActivities(channelId: string): void {
  if (heard.has(channelId)) return;
  heard.add(channelId);
  const channel = parley.channel(channelId);
  channel.listen('presence:activity', () => show(channelId));
  channel.listen('presence:snapshot', () => show(channelId));
  show(channelId);
}

function show(channelId: string): void {
  const list: Doing[] = [];
  for (const [userId, activity] of parley.channel(channelId).activities) {
    if (userId === me.value?.id) continue;
    const name = names.get(userId);
    if (name !== undefined) list.push({ userId, name, activity });
    else if (!names.has(userId)) void learn(userId, channelId);
  }
  if (list.length === 0 && !activities.value.get(channelId)?.length) return;
  activities.value = new Map(activities.value).set(channelId, list);
}

async function learn(userId: string, channelId: string): Promise<void> {
  names.set(userId, undefined);
  try {
    names.set(userId, (await parley.rest('GET /api/auth/users/:id', { id: userId })).displayName);
    show(channelId);
  } catch {
    // The next event asks again.
    names.delete(userId);
  }
}

parley.on('user:updated', ({ user }) => {
  if (names.has(user.id)) names.set(user.id, user.displayName);
});
