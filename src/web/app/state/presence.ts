import { signal } from '@preact/signals';
import { parley } from './client.ts';

/** What people are, as far as we were told. */
export const presence = signal<ReadonlyMap<string, string>>(new Map());

export function see(people: readonly { userId: string; status: string }[]): void {
  const now = new Map(presence.value);
  for (const { userId, status } of people) now.set(userId, status);
  presence.value = now;
}

parley.on('presence:change', ({ changes }) => see(changes));
