// nodes: own

import { expect } from 'chai';
import { parseRetryAfter } from '../../src/infrastructure/exchange.ts';

describe('the time in a Retry-After header', () => {
  it('is given in seconds, whole or not', () => {
    expect(parseRetryAfter('2')).to.equal(2000);
    expect(parseRetryAfter('0.5')).to.equal(500);
  });

  it('is given as a date, which may have passed', () => {
    expect(parseRetryAfter(new Date(Date.now() + 3_600_000).toUTCString())).to.be.within(3_500_000, 3_600_000);
    expect(parseRetryAfter('Wed, 21 Oct 2015 07:28:00 GMT')).to.equal(0);
  });

  for (const header of [undefined, '', 'soon', '-1', '1e9', '9'.repeat(400)]) {
    it(`never lasts for ever: ${String(header).slice(0, 12) || 'an empty one'}`, () => {
      const wait = parseRetryAfter(header);
      expect(wait === null || Number.isFinite(wait), String(wait)).to.equal(true);
    });
  }
});
