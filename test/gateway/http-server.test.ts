// nodes: own

import { expect } from 'chai';
import { createHttpServer } from '../../src/gateway/http-server.ts';

describe('the HTTP server', () => {
  it('leaves the largest upload the time that it takes on a slow line', () => {
    const bytes = 100 * 1024 * 1024;
    const megabit = 1_000_000 / 8;
    expect(createHttpServer(() => {}, bytes).requestTimeout).to.be.above((bytes / megabit) * 1000);
    expect(createHttpServer(() => {}, 1).requestTimeout).to.be.at.least(60_000);
  });
});
