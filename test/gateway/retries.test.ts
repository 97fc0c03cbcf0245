// nodes: own

import { expect } from 'chai';
import { AppError } from '../../src/contract/errors.ts';
import { retryWhileUnavailable } from '../../src/gateway/refusal.ts';

describe('a newcomer', () => {
  const fails = (code: 'DATABASE_UNAVAILABLE' | 'SESSION_REVOKED', times: number) => {
    let tries = 0;
    return async () => {
      if (++tries > times) return tries;
      throw new AppError(code);
    };
  };
  const codeOf = (attempt: Promise<unknown>) => attempt.catch((error) => error.code);

  it('is let in when the database comes back, however often it was asked in vain', async () => {
    expect(await retryWhileUnavailable(fails('DATABASE_UNAVAILABLE', 2), 60_000)).to.equal(3);
  });

  it('is refused at once for anything else, and when it has gone', async () => {
    expect(await codeOf(retryWhileUnavailable(fails('SESSION_REVOKED', 1), 60_000))).to.equal('SESSION_REVOKED');
    expect(await codeOf(retryWhileUnavailable(fails('DATABASE_UNAVAILABLE', 1), 60_000, () => false))).to.equal(
      'DATABASE_UNAVAILABLE',
    );
  });
});
