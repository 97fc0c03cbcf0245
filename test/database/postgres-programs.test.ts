// nodes: own

import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { EmbeddedPostgresError } from '../../src/database/embedded/failure.ts';
import { findDumpTools, whatIsMissing } from '../../src/database/embedded/major/old-programs.ts';
import { finishSwap, swap } from '../../src/database/embedded/major/swap.ts';
import { findPrograms, type Programs, packagedPrograms } from '../../src/database/embedded/programs.ts';
import { concernOf, releases } from '../../src/database/embedded/releases.ts';
import { parseVersion, type Version } from '../../src/database/embedded/version.ts';

describe("the embedded PostgreSQL's programs", () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'parley-programs-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const program = (name: string, said: string) =>
    writeFileSync(path.join(folder, name), `#!/bin/sh\necho '${said}'\n`, { mode: 0o755 });
  const refusal = () => {
    try {
      findPrograms(folder);
    } catch (error) {
      if (error instanceof EmbeddedPostgresError) return error.message;
      throw error;
    }
    return '';
  };

  it('say their version, in every form that PostgreSQL has', () => {
    const debian = 'postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)';
    expect(['postgres (PostgreSQL) 18.4', debian, '19beta3', '17\n'].map((said) => parseVersion(said))).to.deep.equal([
      { text: '18.4', major: 18, minor: 4 },
      { text: '15.18', major: 15, minor: 18 },
      { text: '19beta3', major: 19, minor: 0 },
      { text: '17', major: 17, minor: 0 },
    ]);
    expect(parseVersion('no number')).to.equal(undefined);
  });

  it('come from the package unless the operator names a folder', () => {
    const { folder: found, own, version } = findPrograms(null);
    expect([found, own]).to.deep.equal([packagedPrograms().folder, false]);
    expect(version.major).to.be.at.least(18);
    program('initdb', '');
    program('postgres', 'postgres (PostgreSQL) 16.15');
    expect(findPrograms(folder)).to.deep.include({ own: true, version: { text: '16.15', major: 16, minor: 15 } });
  });

  it('of the package are of the version that docs/security.md names', () => {
    const { major, text } = packagedPrograms().version;
    const document = readFileSync(path.join(import.meta.dirname, '../../docs/security.md'), 'utf8');
    expect(document).to.match(new RegExp(`^\\| ${major} \\|.*\\| ${text.replace('.', '\\.')} \\|$`, 'm'));
  });

  it('are refused with one sentence where some are missing, do not run or are too old', () => {
    expect(refusal()).to.equal(
      `POSTGRES_BIN is ${folder}, where there is no initdb and no postgres; set it to the folder with PostgreSQL's programs, such as /usr/lib/postgresql/18/bin.`,
    );
    program('initdb', '');
    program('postgres', 'postgres (PostgreSQL) 14.24');
    expect(refusal()).to.equal(`POSTGRES_BIN is ${folder} with PostgreSQL 14.24; 15 or newer is needed.`);
    program('postgres', 'hello');
    expect(refusal()).to.contain('cannot be run').and.contain('hello');
    writeFileSync(path.join(folder, 'postgres'), 'no program');
    expect(refusal()).to.contain('cannot be run');
  });

  it('include tools for a dump that both servers understand, or the start says what to install', () => {
    const of = (major: number): Programs => ({
      folder,
      initdb: path.join(folder, 'initdb'),
      postgres: path.join(folder, 'postgres'),
      version: { text: `${major}.0`, major, minor: 0 },
      own: true,
    });
    const found = () => findDumpTools(of(98), of(99));
    expect(found()).to.equal(undefined);
    for (const [version, fits] of [
      [97, false],
      [98, true],
      [99, true],
      [100, false],
    ] as const) {
      for (const name of ['pg_dump', 'pg_dumpall', 'psql']) program(name, `${name} (PostgreSQL) ${version}.1`);
      expect(found()?.psql, `tools of ${version}`).to.equal(fits ? path.join(folder, 'psql') : undefined);
    }
    expect(whatIsMissing('/data/postgres', 98, of(99), 'tools'))
      .to.contain('pg_dump')
      .and.contain('postgresql-client-99')
      .and.contain('Nothing was changed');
  });

  describe('of a version', () => {
    const at = (day: string) => new Date(`${day}T12:00:00Z`);
    const version = (text: string): Version => parseVersion(text) ?? { text, major: 0, minor: 0 };

    for (const { major, newest, supportedUntil } of releases) {
      it(`${major} are warned about before ${newest}, and from the day after ${supportedUntil} on`, () => {
        const minor = Number(newest.split('.')[1]);
        expect(concernOf(version(`${major}.${minor - 1}`), false, at('2026-11-27'))).to.contain(newest);
        expect(concernOf(version(newest), false, at('2026-11-27'))).to.equal(undefined);
        expect(concernOf(version(`${major}.${minor + 1}`), true, at(supportedUntil))).to.equal(undefined);
        const over = new Date(at(supportedUntil).getTime() + 86_400_000);
        expect(concernOf(version(`${major}.${minor + 1}`), true, over)).to.contain('no security fixes since');
      });
    }

    it('are told apart by whose they are in what to do, and unknown ones are left alone', () => {
      expect(concernOf(version('18.0'), false, at('2026-11-27'))).to.contain('set POSTGRES_BIN');
      expect(concernOf(version('18.0'), true, at('2026-11-27'))).to.contain('the package that POSTGRES_BIN belongs to');
      expect(concernOf(version('99.0'), false, at('2026-11-27'))).to.equal(undefined);
    });
  });

  describe('and the exchange of a data folder', () => {
    const at = (name: string) => path.join(folder, name);
    const make = (name: string) => {
      mkdirSync(at(name));
      writeFileSync(path.join(at(name), 'is'), name);
    };
    const plan = () => writeFileSync(at('postgres.swap'), JSON.stringify({ kept: 'kept', draft: 'draft' }));
    const contents = () =>
      ['postgres', 'kept', 'draft', 'postgres.swap'].map((name) => {
        try {
          return readIs(at(name));
        } catch {
          return null;
        }
      });

    it('keeps the old one', async () => {
      make('postgres');
      make('draft');
      await swap(at('postgres'), at('draft'), at('kept'));
      expect(contents()).to.deep.equal(['draft', 'postgres', null, null]);
      await finishSwap(at('postgres'));
      expect(contents()).to.deep.equal(['draft', 'postgres', null, null]);
    });

    const crashes: [string, () => void][] = [
      ['the plan', () => [make('postgres'), make('draft')]],
      ['the first rename', () => [make('postgres'), renameSync(at('postgres'), at('kept')), make('draft')]],
      [
        'the second',
        () => {
          make('postgres');
          renameSync(at('postgres'), at('kept'));
          make('draft');
          renameSync(at('draft'), at('postgres'));
        },
      ],
    ];
    for (const [step, arrange] of crashes) {
      it(`is finished by the next start after a crash that follows ${step}`, async () => {
        arrange();
        plan();
        await finishSwap(at('postgres'));
        expect(contents()).to.deep.equal(['draft', 'postgres', null, null]);
      });
    }
  });
});

const readIs = (at: string) => readFileSync(path.join(at, 'is'), 'utf8');
