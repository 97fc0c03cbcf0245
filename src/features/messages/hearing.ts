import type { Policy } from '../../contract/policy.ts';

/** Which events of a channel a bot is given: all, what concerns it, its commands alone, or none (contract §4). */
export type Hearing = 'all' | 'own' | 'commands' | 'none';

/** What a policy lets a bot have. */
export function hearingOf({ listen, mentionOnly, mode }: Pick<Policy, 'listen' | 'mentionOnly' | 'mode'>): Hearing {
  if (listen) return mentionOnly ? 'own' : 'all';
  return mode === 'disabled' ? 'none' : 'commands';
}
