// nodes: own

import { expect } from 'chai';
import { MemoryStore, ParleyError } from '../../src/client/index.ts';
import { Session } from '../../src/client/session.ts';

describe('the tokens of who is signed in', () => {
  const old = { accessToken: 'old', refreshToken: 'refresh', userId: 'bob' };
  const fresh = { accessToken: 'fresh', refreshToken: 'next' };
  let session: Session;
  let exchanged: string[];
  let answer: () => Promise<typeof fresh>;
  let ends: ParleyError[];

  beforeEach(() => {
    [exchanged, ends] = [[], []];
    answer = async () => fresh;
    const exchange = (refreshToken: string) => {
      exchanged.push(refreshToken);
      return answer();
    };
    session = new Session(new MemoryStore(), exchange, (error) => ends.push(error));
    session.tokens = old;
  });

  const renewed = () => session.renew('old').catch((error: ParleyError) => error.code);

  it('are renewed once for all who were refused', async () => {
    expect(await Promise.all([renewed(), renewed()])).to.deep.equal(['fresh', 'fresh']);
    expect(exchanged).to.deep.equal(['refresh']);
    expect(session.tokens).to.deep.equal({ ...fresh, userId: 'bob' });
  });

  it('are not renewed where another tab has done so', async () => {
    session.tokens = { ...old, accessToken: 'of another tab' };
    expect(await renewed()).to.equal('of another tab');
    expect(exchanged).to.deep.equal([]);
  });

  it('stay where the server cannot say whether they are good', async () => {
    answer = () => Promise.reject(new ParleyError({ code: 'DATABASE_UNAVAILABLE' }, 503));
    expect(await renewed()).to.equal('DATABASE_UNAVAILABLE');
    expect(session.tokens).to.deep.equal(old);
    expect(ends).to.deep.equal([]);
  });

  it('go where the server refuses them, of which is told once', async () => {
    answer = () => Promise.reject(new ParleyError({ code: 'SESSION_REVOKED' }, 401));
    expect(await renewed()).to.equal('SESSION_REVOKED');
    session.end(new ParleyError({ code: 'SESSION_REVOKED' }, 401));
    expect(session.tokens).to.equal(null);
    expect(ends).to.have.length(1);
    session.tokens = old;
    session.end(new ParleyError({ code: 'SESSION_REVOKED' }, 401));
    expect(ends).to.have.length(2);
  });

  it('do not come back where one signed out, or in as somebody else, while they were renewed', async () => {
    const someone = { accessToken: 'hers', refreshToken: 'her next', userId: 'alice' };
    for (const [now, result] of [
      [null, 'SIGNED_OUT'],
      [someone, 'hers'],
    ] as const) {
      session.tokens = old;
      const { promise, resolve } = Promise.withResolvers<typeof fresh>();
      answer = () => promise;
      const renewal = renewed();
      session.tokens = now;
      resolve(fresh);
      expect(await renewal).to.equal(result);
      expect(session.tokens).to.deep.equal(now);
    }
  });
});
