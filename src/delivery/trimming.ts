import type { Chore } from '../cluster/chores.ts';
import type { Settings } from '../settings/settings.ts';
import type { DeliveryCounters } from './counters.ts';
import { trim } from './log.ts';

/**
 * Keeps the logs within their age and length (contract §10.4). It walks through them in steps, and pauses after a step
 * that found nothing, so each step takes the same time however many logs there are.
 */
export function trimming(settings: Settings['delivery'], counters: DeliveryCounters): Chore {
  let at: string | null = null;
  return {
    name: 'trim the logs',
    async step(rows) {
      const { removed, after } = await trim(rows, settings.retentionDays, settings.retentionEvents, at);
      at = after;
      counters.trimmed += removed;
      return removed;
    },
  };
}
