// nodes: own
// long

import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';

const root = path.resolve(import.meta.dirname, '..');

describe('npm run new:feature', () => {
  let copy: string;
  before(() => {
    copy = mkdtempSync(path.join(tmpdir(), 'parley-feature-'));
    for (const name of ['src', 'test', 'config', 'package.json', 'tsconfig.json', 'biome.json', '.gitignore'])
      cpSync(path.join(root, name), path.join(copy, name), { recursive: true });
    symlinkSync(path.join(root, 'node_modules'), path.join(copy, 'node_modules'));
  });
  after(() => rmSync(copy, { recursive: true, force: true }));

  const run = (...args: string[]) => execFileSync(process.execPath, args, { cwd: copy, encoding: 'utf8' });

  it('writes a feature that fits into the house, and once only', () => {
    run('src/cli/new-feature.ts', 'saved-items');
    run('node_modules/typescript/bin/tsc', '--noEmit');
    expect(readFileSync(path.join(copy, 'src/node/modules.ts'), 'utf8')).to.contain('savedItemsModule(');
    expect(() => run('src/cli/new-feature.ts', 'saved-items')).to.throw('already; choose another name');
    expect(() => run('src/cli/new-feature.ts', 'Saved')).to.throw('lower case');
  }).timeout(300_000);
});
