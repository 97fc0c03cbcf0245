// nodes: own

import { expect } from 'chai';
import { NIL } from 'uuid';
import type { Rows } from '../../src/database/database.ts';
import { DeliveryCounters } from '../../src/delivery/counters.ts';
import { trimming } from '../../src/delivery/trimming.ts';
import { testSettings } from '../world/nodes.ts';
import type { Loose } from '../world/person.ts';

describe('the trimming of many logs', () => {
  it('goes through all of them in steps, stays where there is more to remove, and begins anew at the end', async () => {
    const counters = new DeliveryCounters();
    const chore = trimming(testSettings('', null).delivery, counters);
    const begun: unknown[] = [];

    async function step(answer: (batch: number, logs: number) => object): Promise<void> {
      const rows: Rows = async <R extends object>(_text: string, values: unknown[] = []): Promise<R[]> => {
        const [, batch, logs, after] = values;
        begun.push(after);
        const found: Loose = [answer(Number(batch), Number(logs))];
        return found;
      };
      await chore.step(rows);
    }

    await step((_, looked) => ({ removed: 3, looked, last: 'a' }));
    await step((removed, looked) => ({ removed, looked, last: 'b' }));
    const before = counters.trimmed;
    await step((_, logs) => ({ removed: 4, looked: logs - 1, last: 'c' }));
    await step(() => ({ removed: 0, looked: 0, last: null }));
    expect(begun).to.deep.equal([NIL, 'a', 'a', NIL]);
    expect(counters.trimmed - before).to.equal(4);
  });
});
