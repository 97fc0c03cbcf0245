// nodes: own

import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect } from 'chai';

const root = path.resolve(import.meta.dirname, '../..');

/** What the log writes for these records, in a process of its own: one line each. */
function written(level: string, statements: string): Record<string, unknown>[] {
  const script = `const { createLog } = await import('./src/infrastructure/log.ts');
    const log = createLog(${JSON.stringify(level)}); ${statements}`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { cwd: root });
  expect(stderr.toString()).to.equal('');
  return stdout
    .toString()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

describe('the log', () => {
  it('tells of a state that flaps at first at once, then now and then, and how it is in the end', () => {
    const lines = written(
      'info',
      `const { mock } = await import('node:test');
       mock.timers.enable({ apis: ['setInterval'] });
       const { StateLog } = await import('./src/infrastructure/state-log.ts');
       const state = new StateLog('well', (now, leftOut) => log.info({ leftOut }, now));
       const flap = (times) => { for (let i = 0; i < times; i++) for (const now of ['ill', 'well']) state.set(now); };
       flap(1);
       mock.timers.tick(10_000);
       flap(100);
       state.set('ill');
       mock.timers.tick(10_000);
       state.set('well');
       mock.timers.tick(30_000);
       state.set('ill');`,
    );
    const told = lines.map(({ msg, leftOut }) => `${msg} ${leftOut}`);
    const atOnce = ['ill 0', 'well 0'];
    expect(told).to.deep.equal([...atOnce, ...atOnce, ...atOnce, 'ill 197', 'well 1', 'ill 0']);
  });

  it('tells what happens to many at once of the first at once, and of the others together', () => {
    const lines = written(
      'info',
      `const { mock } = await import('node:test');
       mock.timers.enable({ apis: ['setInterval'] });
       const { SparseLog } = await import('./src/infrastructure/sparse-log.ts');
       const sparse = new SparseLog(log);
       const fail = (reason, requestId) => sparse.warn({ reason }, { requestId }, 'No.');
       for (let i = 0; i < 1000; i++) fail('DATABASE_UNAVAILABLE', i);
       fail('SERVER_BUSY', 'x');
       mock.timers.tick(10_000);
       for (let i = 0; i < 5; i++) fail('DATABASE_UNAVAILABLE', i);
       mock.timers.tick(20_000);
       fail('DATABASE_UNAVAILABLE', 'y');`,
    );
    expect(lines.map(({ reason, requestId, times }) => [reason, requestId, times])).to.deep.equal([
      ['DATABASE_UNAVAILABLE', 0, undefined],
      ['SERVER_BUSY', 'x', undefined],
      ['DATABASE_UNAVAILABLE', undefined, 999],
      ['DATABASE_UNAVAILABLE', undefined, 5],
      ['DATABASE_UNAVAILABLE', 'y', undefined],
    ]);
  });

  it('writes JSON lines with level and time, and nothing below its level', () => {
    const lines = written('info', "log.debug('no'); log.info({ port: 3000 }, 'yes'); log.error('also');");
    expect(lines.map((line) => [line.level, line.msg])).to.deep.equal([
      ['info', 'yes'],
      ['error', 'also'],
    ]);
    expect(lines[0]).to.include({ port: 3000 });
    expect(new Date(String(lines[0]?.time)).toISOString()).to.equal(lines[0]?.time);
  });

  it('never shows a token or a password, wherever it lies', () => {
    const keys = [
      'token',
      'accessToken',
      'refreshToken',
      'deviceToken',
      'idToken',
      'password',
      'oldPassword',
      'newPassword',
    ];
    const places = (key: string) => [
      `{ ${key}: 'hush' }`,
      ...['body', 'payload', 'auth', 'headers'].map((place) => `{ ${place}: { ${key}: 'hush' } }`),
    ];
    const records = keys.flatMap(places);
    const lines = written('info', records.map((record) => `log.info(${record}, 'x');`).join(' '));
    expect(JSON.stringify(lines)).not.to.contain('hush');
    expect(JSON.stringify(lines).match(/\[redacted\]/g)).to.have.lengthOf(records.length);
  });

  it('never shows codes, e-mails, and the headers that let someone in', () => {
    const lines = written(
      'info',
      `log.info({ headers: { authorization: 'Bearer hush', cookie: 'hush', accept: 'seen' } }, 'x');
       log.info({ body: { code: 'hush', inviteCode: 'hush', email: 'hush@example.com', name: 'seen' } }, 'x');`,
    );
    expect(JSON.stringify(lines)).not.to.contain('hush');
    expect(JSON.stringify(lines).match(/seen/g)).to.have.lengthOf(2);
  });

  it('shows no row that PostgreSQL found fault with', () => {
    const failed = "new Error('null value in column\\n - detail: Failing row contains (hush).')";
    const given = "{ code: '23502', detail: 'Failing row contains (hush).' }";
    const [line] = written('error', `log.error({ err: Object.assign(${failed}, ${given}) }, 'x');`);
    expect(line?.err).to.include({ code: '23502' });
    expect(JSON.stringify(line)).not.to.contain('hush').and.not.to.contain('detail":');
  });

  it('shows what an error says, and where it happened', () => {
    const [line] = written('error', "log.error({ err: new Error('a broken thing') }, 'It failed.');");
    expect(line?.err).to.include({ message: 'a broken thing' }).and.have.property('stack');
  });

  it('says that the database is away, and why, without a place in the code', () => {
    const error = "new AppError('DATABASE_UNAVAILABLE', { cause: new Error('terminated by an administrator') })";
    const [line] = written(
      'warn',
      `const { AppError } = await import('./src/contract/errors.ts'); log.warn({ err: ${error} }, 'x');`,
    );
    expect(line?.err).to.have.property('message').that.contains('terminated by an administrator');
    expect(line?.err).not.to.have.property('stack');
  });
});
