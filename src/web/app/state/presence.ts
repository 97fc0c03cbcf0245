import { signal } from '@preact/signals';
import { me, parley } from './client.ts';

const ownStatuses = ['online', 'idle', 'dnd', 'offline'] as const;
export type OwnStatus = (typeof ownStatuses)[number];

/** The statuses of users, as last reported. */
export const presence = signal<ReadonlyMap<string, string>>(new Map());

/** How many the server follows for one call. */
const mostAtOnce = 200;
const watched = new Set<string>();
/** How many are asked about again after a reconnect. */
const mostStrays = 1000;
/** Snapshots come shortly after their channels are live. */
const strayMs = 2000;
/** Those whose status was reported on this connection. */
let current = new Set<string>();
/** Channel → those whom its snapshots listed. */
const listed = new Map<string, ReadonlySet<string>>();
let strayTimer: ReturnType<typeof setTimeout> | undefined;

export interface Seen {
  userId: string;
  status: string;
}

export function see(people: readonly Seen[]): void {
  const now = new Map(presence.value);
  for (const { userId, status } of people) {
    now.set(userId, status);
    current.add(userId);
  }
  presence.value = now;
}

/** Takes a channel's snapshot, which replaces what was known of those whom it covers. */
export function seeChannel(snapshot: { channelId: string; members: readonly Seen[]; covers?: string }): void {
  const { channelId, members, covers } = snapshot;
  const before = listed.get(channelId) ?? new Set<string>();
  const now = new Set(members.map(({ userId }) => userId));
  listed.set(channelId, now);
  // Reported on this connection as well: a change that this snapshot is older than, or another channel's.
  const gone = [...before].filter((userId) => !now.has(userId) && !current.has(userId));
  see(members);
  if (covers === 'channel') see(gone.map((userId) => ({ userId, status: 'offline' })));
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

/**
 * Asks about those of whom nothing was reported since the connection was made: people met otherwise than in a snapshot, who
 * may have gone while there was none. Before the others, since the server follows a limited number, the latest.
 */
async function askAboutStrays(): Promise<void> {
  const isStray = ([userId, status]: [string, string]) => status !== 'offline' && !current.has(userId);
  const strays = [...presence.value].filter(isStray).map(([userId]) => userId);
  for (let at = 0; at < Math.min(strays.length, mostStrays); at += mostAtOnce) {
    const asked = strays.slice(at, at + mostAtOnce);
    const known = await parley.watchPresence(asked).catch(() => null);
    if (!known) return;
    see([...asked.map((userId) => ({ userId, status: 'offline' })), ...known]);
  }
  if (strays.length > 0) await subscribe();
}

parley.on('presence:change', ({ changes }) => see(changes));
parley.on('state', ({ status, via }) => {
  if (via !== 'socket') current = new Set();
  clearTimeout(strayTimer);
  if (status !== 'live') return;
  void subscribe();
  if (via === 'socket') strayTimer = setTimeout(() => void askAboutStrays(), strayMs);
});
