// nodes: own

import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';

const script = path.resolve(import.meta.dirname, '../../deploy/compose/backup.sh');

describe('the backups of compose.yaml', () => {
  let home: string;
  let folder: string;

  beforeEach(() => {
    home = mkdtempSync(path.join(tmpdir(), 'parley-dumps-'));
    folder = path.join(home, 'backups');
    mkdirSync(folder);
    pgDump('for one; do case $one in --file=*) echo dumped > "$(echo $one | cut -d= -f2)";; esac; done');
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  /** What stands for PostgreSQL's program. */
  function pgDump(body: string): void {
    const file = path.join(home, 'pg_dump');
    writeFileSync(file, `#!/bin/sh\n${body}\n`);
    chmodSync(file, 0o755);
  }

  function backup(...args: string[]): { status: number | null; output: string } {
    const env = { PATH: `${home}:${process.env.PATH}`, BACKUP_FOLDER: folder, BACKUP_HOURS: '2', BACKUP_KEEP: '3' };
    const { status, stdout, stderr } = spawnSync('/bin/sh', [script, ...args], { env, encoding: 'utf8' });
    return { status, output: `${stdout}${stderr}` };
  }

  /** Dumps of so many hours ago. */
  function old(...hours: number[]): string[] {
    return hours.map((ago) => {
      const time = new Date(Date.now() - ago * 3_600_000);
      const name = `parley-${time.toISOString().replaceAll(/[-:]|\.\d+/g, '')}.dump`;
      writeFileSync(path.join(folder, name), 'old');
      utimesSync(path.join(folder, name), time, time);
      return name;
    });
  }

  const present = () => readdirSync(folder).sort().reverse();

  it('keep the newest ones, and nothing that is half done', () => {
    const [one, two] = old(2, 4, 6, 8);
    writeFileSync(path.join(folder, 'parley-20200101T000000Z.dump.part'), 'half');
    expect(backup('once').status).to.equal(0);
    const [fresh, ...kept] = present();
    expect(fresh).to.match(/^parley-\d{8}T\d{6}Z\.dump$/);
    expect(kept).to.deep.equal([one, two]);
  });

  it('leave the ones of before where a dump fails, and say so', () => {
    const before = old(2, 4, 6, 8);
    pgDump(
      'for one; do case $one in --file=*) echo half > "$(echo $one | cut -d= -f2)";; esac; done; echo away >&2; exit 1',
    );
    const { status, output } = backup('once');
    expect(status).to.equal(1);
    expect(output).to.contain('away').and.to.contain('The dump failed');
    expect(present()).to.deep.equal(before);
  });

  it('are well as long as one is younger than twice the time between two', () => {
    expect(backup('check').status).to.equal(1);
    old(5);
    expect(backup('check').status).to.equal(1);
    old(3);
    expect(backup('check').status).to.equal(0);
  });

  it('take no other word', () => {
    expect(backup('now').status).to.equal(2);
  });
});
