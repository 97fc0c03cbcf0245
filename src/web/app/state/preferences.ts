import { signal } from '@preact/signals';
import type { RestAnswer, RestInput } from '../../../client/index.ts';
import { parley } from './client.ts';

type Preferences = RestAnswer<'GET /api/notifications/preferences'>;
export type Strategy = Preferences['strategy'];

/** What one wants to be told of. */
export const preferences = signal<Preferences>({ strategy: 'all', mutedServerIds: [], mutedChannelIds: [] });

export async function loadPreferences(): Promise<void> {
  preferences.value = await parley.rest('GET /api/notifications/preferences');
}

export async function changePreferences(
  body: RestInput<'PATCH /api/notifications/preferences'>['body'],
): Promise<void> {
  preferences.value = await parley.rest('PATCH /api/notifications/preferences', { body });
}

const lists = { server: 'mutedServerIds', channel: 'mutedChannelIds' } as const;
type Scope = keyof typeof lists;

export const isMuted = (scope: Scope, id: string): boolean => preferences.value[lists[scope]].includes(id);

export async function setMuted(scope: Scope, id: string, muted: boolean): Promise<void> {
  // Another device may have muted something since.
  await loadPreferences();
  const others = preferences.value[lists[scope]].filter((other) => other !== id);
  await changePreferences({ [lists[scope]]: muted ? [...others, id] : others });
}
