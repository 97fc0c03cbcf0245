import { signal } from '@preact/signals';
import { me, parley } from './client.ts';

const ownStatuses = ['online', 'idle', 'dnd', 'offline'] as const;
export type OwnStatus = (typeof ownStatuses)[number];

/** What people are, as far as we were told. */
export const presence = signal<ReadonlyMap<string, string>>(new Map());

/** The server follows so many for one call. */
const mostAtOnce = 200;
const watched = new Set<string>();

export function see(people: readonly { userId: string; status: string }[]): void {
  const now = new Map(presence.value);
  for (const { userId, status } of people) now.set(userId, status);
  presence.value = now;
}

/** Follows people who are met in no channel, such as friends; oneself, too. */
export function watchPeople(userIds: readonly string[]): void {
  for (const id of userIds) watched.add(id);
  void subscribe();
}

/** How one wants to be seen, on all devices. */
export async function setOwnStatus(status: OwnStatus): Promise<void> {
  await parley.setPresence(status);
  if (me.value) see([{ userId: me.value.id, status }]);
}

/** A connection knows nothing of what one before it followed. */
async function subscribe(): Promise<void> {
  if (parley.state.via !== 'socket') return;
  const all = [...watched];
  for (let at = 0; at < all.length; at += mostAtOnce) {
    // Without an answer there is no connection, and with the next one this is asked again.
    await parley.watchPresence(all.slice(at, at + mostAtOnce)).then(see, () => {});
  }
}

parley.on('presence:change', ({ changes }) => see(changes));
parley.on('state', ({ status }) => {
  if (status === 'live') void subscribe();
});
