// nodes: own

import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';

const app = path.resolve(import.meta.dirname, '../../src/web/app');
const sources = globSync('**/*.{ts,tsx}', { cwd: app }).map((file) => ({
  file,
  text: readFileSync(path.join(app, file), 'utf8'),
}));

/** Top-level statements: those that begin in the first column. */
const changing = [
  /^(?:export )?(?:let|var) /m,
  /^(?:export )?const \w+(?:: [^=\n]+)? = (?:signal|computed|useSignal)[<(]/m,
  /^(?:export )?const \w+(?:: [^=\n]+)? = new (?:Map|Set|WeakMap|WeakSet)(?:<[^>]*>)?\(\)/m,
  /^(?:export )?const \w+(?:: [^=\n]+)? = \[\];/m,
  /^(?:export )?const \w+(?:: [^=\n]+)? = new (?:Parley|Servers|People|Unread|Timelines|Drafts|Presence|Scope|Toasts)\(/m,
  /^(?:void )?(?:effect|parley|client|addEventListener)[.(]/m,
];

describe('modules of the web client', () => {
  it('keep nothing that changes: a session has a state of its own, which ends with it', () => {
    expect(sources.length).to.be.above(60);
    const found = sources.flatMap(({ file, text }) => changing.filter((pattern) => pattern.test(text)).map(() => file));
    expect(found).to.deep.equal([]);
  });

  it('use what only browsers have nowhere in the state', () => {
    const browsers = /\b(?:window|document|localStorage|sessionStorage|navigator|matchMedia|history|location)\./;
    const code = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
    const found = sources.filter(({ file, text }) => file.startsWith('state/') && browsers.test(code(text)));
    expect(found.map(({ file }) => file)).to.deep.equal([]);
  });
});
