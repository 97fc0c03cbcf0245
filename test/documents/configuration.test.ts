// nodes: own

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { documents, environmentTable, fileTable, renewed, root } from '../../src/cli/configuration.ts';

describe('the documents', () => {
  for (const name of documents) {
    it(`${name} shows what it has tables of as it is; npm run docs makes them anew`, () => {
      const text = readFileSync(path.join(root, name), 'utf8');
      expect(text).to.match(/<!-- \w+: [^>]*-->\n\|/);
      expect(renewed(text)).to.equal(text);
    });
  }

  it('list the variables for those who try it and for those who run it', () => {
    for (const name of ['README.md', 'docs/configuration.md']) {
      expect(readFileSync(path.join(root, name), 'utf8')).to.contain(environmentTable());
    }
  });

  it('say of each setting what it is for, and what holds without it', () => {
    const rows = `${environmentTable()}\n${fileTable()}`.split('\n').filter((line) => line.startsWith('| `'));
    expect(rows.length).to.be.greaterThan(100);
    for (const row of rows)
      expect(row)
        .to.match(/^\| `[^|]+` \| [^|]+ \| [^|]{3,} \|$/)
        .and.not.contain('undefined');
  });
});
