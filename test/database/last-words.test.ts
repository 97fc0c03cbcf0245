// nodes: own

import { expect } from 'chai';
import { lastWords } from '../../src/database/embedded/postmaster.ts';

describe('what is told of a PostgreSQL that does not start', () => {
  it('is why, and not what it told others meanwhile or guessed of lost data', () => {
    const lines = [
      'LOG:  database system was interrupted while in recovery at 2026-11-23 16:07:44 UTC',
      'HINT:  This probably means that some data is corrupted and you will have to use the last backup for recovery.',
      'FATAL:  the database system is not yet accepting connections',
      'DETAIL:  Consistent recovery state has not been yet reached.',
      'LOG:  redo done at 0/1A2B3C8',
      'FATAL:  could not write to file "pg_wal/xlogtemp.24793": No space left on device',
      'LOG:  startup process (PID 24793) exited with exit code 1',
    ];
    expect(lastWords(lines)).to.equal(
      'FATAL: could not write to file "pg_wal/xlogtemp.24793": No space left on device',
    );
  });

  it('has what PostgreSQL adds to it', () => {
    const lines = [
      'FATAL:  lock file "postmaster.pid" already exists',
      'HINT:  Is another postmaster (PID 7) running?',
    ];
    expect(lastWords(lines)).to.equal(
      'FATAL: lock file "postmaster.pid" already exists HINT: Is another postmaster (PID 7) running?',
    );
  });
});
