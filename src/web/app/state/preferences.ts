import { signal } from '@preact/signals';
import type { RestAnswer, RestInput } from '../../../client/index.ts';
import { parley } from './client.ts';

type Preferences = RestAnswer<'GET /api/notifications/preferences'>;
export type Strategy = Preferences['strategy'];
type Change = RestInput<'PATCH /api/notifications/preferences'>['body'];

/** The user's notification preferences. */
export const preferences = signal<Preferences>({ strategy: 'all', mutedServerIds: [], mutedChannelIds: [] });

export async function loadPreferences(): Promise<void> {
  preferences.value = await parley.rest('GET /api/notifications/preferences');
}

export async function changeStrategy(strategy: Strategy): Promise<void> {
  await shownAtOnce({ strategy }, async () => ({ strategy }));
}

const lists = { server: 'mutedServerIds', channel: 'mutedChannelIds' } as const;
type Scope = keyof typeof lists;

export const isMuted = (scope: Scope, id: string): boolean => preferences.value[lists[scope]].includes(id);

export async function setMuted(scope: Scope, id: string, muted: boolean): Promise<void> {
  const changed = (now: Preferences): Change => {
    const others = now[lists[scope]].filter((other) => other !== id);
    return { [lists[scope]]: muted ? [...others, id] : others };
  };
  // Another device may have muted something meanwhile.
  const fresh = async () => changed(await parley.rest('GET /api/notifications/preferences'));
  await shownAtOnce(changed(preferences.value), fresh);
}

/** @param change shown until there is a response; undone if there is none */
async function shownAtOnce(change: Change, toSend: () => Promise<Change>): Promise<void> {
  const before = preferences.value;
  preferences.value = { ...before, ...change };
  try {
    preferences.value = await parley.rest('PATCH /api/notifications/preferences', { body: await toSend() });
  } catch (error) {
    preferences.value = before;
    throw error;
  }
}
