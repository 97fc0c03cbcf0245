// nodes: own

import { expect } from 'chai';
import { ToldPositions } from '../../src/features/mcp/told-positions.ts';

const minute = 60_000;

describe('positions that a client was told of', () => {
  it('are noted once they are old, also of a channel that never rests', () => {
    const told = new ToldPositions();
    const start = performance.now();
    told.add('busy', 1);
    told.add('quiet', 7);
    told.add('busy', 2);
    told.add('busy', 3);
    expect(told.settled(start)).to.deep.equal([]);
    expect(told.settled(start + minute)).to.deep.equal([
      { channelId: 'busy', seq: 3 },
      { channelId: 'quiet', seq: 7 },
    ]);
    expect(told.settled(start + 2 * minute)).to.deep.equal([]);
    told.add('busy', 4);
    expect(told.settled(performance.now())).to.deep.equal([]);
    expect(told.settled(performance.now() + minute)).to.deep.equal([{ channelId: 'busy', seq: 4 }]);
  });
});
