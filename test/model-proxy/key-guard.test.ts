// nodes: own

import { expect } from 'chai';
import { KeyGuard } from '../../src/features/model-proxy/key-guard.ts';

const key = 'sk-live-0123456789abcdef"ghij';

describe('the key of a provider in what it says', () => {
  const guard = new KeyGuard(key);

  it('is removed whole, in the forms that programs use, and in any long part, in any case', () => {
    for (const told of [key, JSON.stringify(key).slice(1, -1), encodeURIComponent(key)]) {
      expect(guard.cleared(`Wrong: ${told}!`)).to.equal('Wrong: [removed]!');
    }
    expect(guard.cleared(`Basic ${Buffer.from(key).toString('base64')}`)).to.equal('Basic [removed]=');
    for (let length = 12; length < key.length; length++) {
      for (const part of [key.slice(0, length), key.slice(-length).toUpperCase()]) {
        expect(guard.cleared(`Wrong: ${part}! ${part}`)).to.equal('Wrong: [removed]! [removed]');
      }
    }
    for (const other of ['', key.slice(0, 11), key.slice(-11), 'sk-live-0 123456789']) {
      expect(guard.cleared(other)).to.equal(other);
    }
  });

  it('is not certain to be absent before the text goes on', () => {
    const certain = (text: string) => text.slice(0, guard.certainLength(text));
    expect(certain('no part of it?')).to.equal('no part of it?');
    for (let length = 1; length <= key.length; length++) {
      expect(certain(`No: ${key.slice(0, length)}`)).to.equal('No: ');
      expect(certain(`No: ${key.slice(-length)}`), key.slice(-length)).to.equal('No: ');
    }
    expect(certain(`No: ${key}.`)).to.equal(`No: ${key}.`);
  });

  it('is nothing to look for where there is none, and only as it is written where it is short', () => {
    const [none, short] = [new KeyGuard(null), new KeyGuard('EMPTY')];
    expect([none.cleared('all'), none.certainLength('all')]).to.deep.equal(['all', 3]);
    expect(short.cleared('EMPTY is not empty')).to.equal('[removed] is not empty');
    expect([short.certainLength('it is EMP'), short.certainLength('it is emp')]).to.deep.equal([6, 9]);
  });
});
