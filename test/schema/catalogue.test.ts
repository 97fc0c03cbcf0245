// nodes: own

import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { allCalls, allClientEvents } from '../../src/contract/calls.ts';
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

describe('the list of calls', () => {
  /** The groups that contract files declare by a function of contract/call.ts. */
  async function groups(declaredBy: 'calls' | 'clientEvents'): Promise<Record<string, unknown>[]> {
    const found: Record<string, unknown>[] = [];
    for (const file of globSync('*.ts', { cwd: contract })) {
      const text = readFileSync(path.join(contract, file), 'utf8');
      const module: Record<string, Record<string, unknown>> = await import(path.join(contract, file));
      for (const [, name = ''] of text.matchAll(new RegExp(`^export const (\\w+) = ${declaredBy}\\(`, 'gm')))
        found.push(module[name] ?? {});
    }
    return found;
  }

  it('has each call that the contract declares, under a name of its own', async () => {
    const declared = (await groups('calls')).flatMap((group) => Object.entries(group));
    expect(declared.map(([name]) => name).sort()).to.deep.equal(Object.keys(allCalls).sort());
    const ways = Object.values(allCalls).map(({ method, path: way }) => `${method} ${way}`);
    expect(new Set(ways).size).to.equal(ways.length);
  });

  it('has each event that clients send', async () => {
    const declared = (await groups('clientEvents')).flatMap((group) => Object.keys(group));
    expect(declared.sort()).to.deep.equal(Object.keys(allClientEvents).sort());
  });
});
