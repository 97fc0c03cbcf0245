import { expect } from 'chai';
import { previewLength } from '../../src/contract/message-preview.ts';
import { beginningOf } from '../../src/features/message-previews/message-preview.service.ts';

describe('the beginning of a message', () => {
  const long = 'x'.repeat(previewLength);

  it('is all of a short text, with its spoilers', () => {
    expect(beginningOf('short ||hidden|| text')).to.equal('short ||hidden|| text');
    expect(beginningOf(long)).to.equal(long);
  });

  it('ends before a spoiler that would be cut, so that none is opened by the cut', () => {
    expect(beginningOf(`before ||hidden ${long}|| after`)).to.equal('before ');
    expect(beginningOf(`\`||\` ||hidden ${long}||`)).to.equal('`||` ');
    expect(beginningOf(`||all|| and ||hidden ${long}||`)).to.equal('||all|| and ');
    expect(beginningOf(`${long} ||hidden||`)).to.equal(long);
  });

  it('does not end within a character', () => {
    expect(beginningOf(`${'x'.repeat(previewLength - 1)}😀 and more`)).to.equal('x'.repeat(previewLength - 1));
  });
});
