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
});
const lockSchema = z.object({ packages: z.record(z.string(), entry) });

describe('the packages', () => {
  let locked: [string, z.infer<typeof entry>][];

  before(async () => {
    const lock = lockSchema.parse(JSON.parse(await readFile(path.join(root, 'package-lock.json'), 'utf8')));
    locked = Object.entries(lock.packages).filter(([name]) => name !== '');
  });

  it('come from whatever registry npm is told to ask', () => {
    expect(locked.filter(([, { resolved }]) => resolved !== undefined)).to.deep.equal([]);
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
