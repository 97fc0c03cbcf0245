// nodes: own

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { writeInventory } from '../src/cli/release/inventory.ts';
import { type Licensed, refused, runningPackages } from '../src/cli/release/licences.ts';

const root = path.join(import.meta.dirname, '..');

describe('the inventory of a release', () => {
  let folder: string;

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'parley-release-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const lock = () => readFile(path.join(root, 'package-lock.json'), 'utf8');
  const under = (licence: string, name = 'some'): Licensed => ({ name, version: '1.0.0', licence, folder: '' });

  it('finds a decision for the licence of each package', async () => {
    expect(refused(runningPackages(await lock()))).to.deep.equal([]);
  });

  it('refuses unknown licences and copyleft that nobody has decided on', () => {
    const copyleft = ['GPL-3.0-only', 'AGPL-3.0-or-later', 'LGPL-3.0-or-later', 'MPL-2.0', 'MIT AND GPL-2.0'];
    const wrong = ['', 'UNLICENSED', ...copyleft];
    expect(refused(wrong.map((licence) => under(licence))).map(({ licence }) => licence)).to.deep.equal(wrong);
    const fine = ['MIT', '(MIT OR GPL-3.0-or-later)', '(MIT AND Zlib)', 'Apache-2.0'];
    expect(refused(fine.map((licence) => under(licence)))).to.deep.equal([]);
    expect(refused([under('LGPL-3.0-or-later', '@img/sharp-libvips-linux-x64')])).to.deep.equal([]);
  });

  it('has each package that runs, with its hash and licence, and none for development', async () => {
    await writeInventory(folder);
    const bill = JSON.parse(await readFile(path.join(folder, 'sbom.cdx.json'), 'utf8'));
    const licences = await readFile(path.join(folder, 'licences.txt'), 'utf8');
    expect(bill).to.deep.include({ bomFormat: 'CycloneDX' });
    expect(bill.metadata.component.name).to.equal('parley');
    const listed = new Map<string, { hashes?: unknown[] }>(
      bill.components.map((one: { name: string; version: string }) => [`${one.name} ${one.version}`, one]),
    );
    for (const { name, version, licence } of runningPackages(await lock())) {
      expect(listed.get(`${name} ${version}`)?.hashes, name).to.have.lengthOf(1);
      expect(licences).to.contain(`${name} ${version}: ${licence}`);
    }
    expect(licences).not.to.match(/^(typescript|mocha|playwright-core) /m);
    // No registry's address: a release says what is in it, not where this machine got it.
    expect(JSON.stringify(bill)).not.to.match(/\.tgz/);
  });
});
