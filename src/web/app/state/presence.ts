import { signal } from '@preact/signals';
import { me, parley } from './client.ts';

const ownStatuses = ['online', 'idle', 'dnd', 'offline'] as const;
export type OwnStatus = (typeof ownStatuses)[number];

/** The statuses of users, as last reported. */
export const presence = signal<ReadonlyMap<string, string>>(new Map());

/** How many the server follows for one call. */
const mostAtOnce = 200;
const watched = new Set<string>();

export function see(people: readonly { userId: string; status: string }[]): void {
  const now = new Map(presence.value);
  for (const { userId, status } of people) now.set(userId, status);
  presence.value = now;
}

/** Follows users met in no channel, such as friends, and oneself. */
export function watchPeople(userIds: readonly string[]): void {
  for (const id of userIds) watched.add(id);
  void subscribe();
}

/** The user's own status, on all devices. */
export async function setOwnStatus(status: OwnStatus): Promise<void> {
  await parley.setPresence(status);
  if (me.value) see([{ userId: me.value.id, status }]);
}

/** A new connection does not follow what an earlier one did. */
async function subscribe(): Promise<void> {
  if (parley.state.via !== 'socket') return;
  const all = [...watched];
  for (let at = 0; at < all.length; at += mostAtOnce) {
    // Without an answer there is no connection, and the next one asks again.
    await parley.watchPresence(all.slice(at, at + mostAtOnce)).then(see, () => {});
  }
}

parley.on('presence:change', ({ changes }) => see(changes));
parley.on('state', ({ status }) => {
  if (status === 'live') void subscribe();
});
