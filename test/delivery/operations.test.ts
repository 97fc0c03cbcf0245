// nodes: own

import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { Operations } from '../../src/cluster/operations.ts';
import type { AppError } from '../../src/contract/errors.ts';

const codeOf = (work: Promise<unknown> | undefined) =>
  work?.then(
    () => 'held',
    (error: AppError) => error.code,
  );

describe('an operation', () => {
  let operations: Operations;
  let asked: number;
  let holds: boolean;
  const fact = {
    stillHolds: async () => {
      asked++;
      return holds;
    },
  };
  beforeEach(() => {
    operations = new Operations();
    asked = 0;
    holds = true;
  });
  const run = <T>(work: () => Promise<T>) => operations.run(() => undefined, work);

  it('looks at nothing again unless something was changed', () =>
    run(async () => {
      const { current } = operations;
      current?.rely(fact);
      expect(current?.isCurrent).to.equal(true);
      operations.noteChange();
      expect(current?.isCurrent).to.equal(false);
      await current?.check();
      expect([current?.isCurrent, asked]).to.deep.equal([true, 1]);
    }));

  it('that lost what it relied on fails once, and may go on with what holds now', () =>
    run(async () => {
      const { current } = operations;
      current?.rely(fact);
      operations.noteChange();
      holds = false;
      expect(await codeOf(current?.check())).to.equal('ACCESS_CHANGED');
      operations.noteChange();
      expect(await codeOf(current?.check())).to.equal('held');
    }));

  it('looks again when something is changed while it looks', () =>
    run(async () => {
      const { current } = operations;
      let first = true;
      current?.rely({
        stillHolds: async () => {
          asked++;
          if (first) operations.noteChange();
          first = false;
          return true;
        },
      });
      operations.noteChange();
      await current?.check();
      expect(asked).to.equal(2);
    }));

  it('does not rely on what it has changed itself', () =>
    run(async () => {
      const { current } = operations;
      current?.rely(fact);
      current?.committed();
      operations.noteChange();
      holds = false;
      expect(await codeOf(current?.check())).to.equal('held');
    }));

  it('ends with its answer: what it set off is no part of it', async () => {
    let inBackground: unknown;
    await run(async () => {
      void turn().then(() => turn().then(() => (inBackground = operations.current ?? 'none')));
    });
    await turn();
    await turn();
    await turn();
    expect(inBackground).to.equal('none');
  });

  it('is refused with the code of its token, if that has ended', async () => {
    const ended = () => Promise.reject(Object.assign(new Error('ended'), { code: 'SESSION_REVOKED' }));
    await operations.run(ended, async () => {
      operations.noteChange();
      expect(await codeOf(operations.current?.check())).to.equal('SESSION_REVOKED');
    });
  });

  it('is waited for by who changes access, from the beginning of its commit to the end', async () => {
    let isSettled = false;
    const ended = operations.beginCommit();
    const settled = operations.settled().then(() => (isSettled = true));
    await turn();
    expect(isSettled).to.equal(false);
    const later = operations.beginCommit();
    ended();
    await settled;
    later();
  });
});
