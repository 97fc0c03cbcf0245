import type { Chore } from '../infrastructure/chores.ts';
import type { Settings } from '../settings.ts';
import type { DeliveryCounters } from './counters.ts';
import { trim } from './log.ts';

/** Keeps the logs within their age and length (contract §10.4). */
export function trimming(settings: Settings['delivery'], counters: DeliveryCounters): Chore {
  return {
    name: 'trim the logs',
    async step(rows) {
      const removed = await trim(rows, settings.retentionDays, settings.retentionEvents);
      counters.trimmed += removed;
      return removed;
    },
  };
}
