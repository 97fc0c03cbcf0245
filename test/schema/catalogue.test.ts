// nodes: own

import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { catalogue } from '../../src/contract/catalogue.ts';

const src = path.resolve(import.meta.dirname, '../../src');
const contract = path.join(src, 'contract');

describe('the catalogue of events', () => {
  it('lists each event that the contract declares, once', async () => {
    const declared: string[] = [];
    for (const file of globSync('*.ts', { cwd: contract })) {
      const module: Record<string, unknown> = await import(path.join(contract, file));
      for (const value of Object.values(module)) {
        if (typeof value !== 'object' || value === null || !('durable' in value) || !('name' in value)) continue;
        declared.push(String(value.name));
      }
    }
    expect(catalogue.map(({ name }) => String(name)).sort()).to.deep.equal(declared.sort());
    const elsewhere = globSync('**/*.ts', { cwd: src }).filter((file) => !file.startsWith('contract/'));
    const declares = (file: string) => /\b(durable|ephemeral)Event\(/.test(readFileSync(path.join(src, file), 'utf8'));
    expect(elsewhere.filter(declares)).to.deep.equal([]);
    expect(new Set(declared).size).to.equal(declared.length);
  });
});
