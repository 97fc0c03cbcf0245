// nodes: own

import { expect } from 'chai';
import { validate, version } from 'uuid';
import { newId } from '../../src/infrastructure/ids.ts';

describe('ids', () => {
  it('are UUIDs of version 7, each greater than the one before, also in one millisecond', () => {
    const made = Array.from({ length: 20_000 }, newId);
    expect(made).to.deep.equal([...new Set(made)].sort());
    for (const id of made) expect(validate(id) && version(id) === 7, id).to.equal(true);
  });
});
