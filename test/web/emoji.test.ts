// nodes: own

import { expect } from 'chai';
import { emojiSchema } from '../../src/contract/reaction.ts';
import { namedEmoji } from '../../src/contract/unicode/emoji-names.ts';
import { commonEmoji, emojiFor, emojiGroups } from '../../src/web/app/state/all-emoji.ts';

describe('the emoji that one can choose', () => {
  const all = emojiGroups.flatMap(({ list }) => list);
  const first = (text: string) => emojiFor(text)[0]?.emoji;

  it('are all that the server takes, each once, and as it keeps them', () => {
    expect(all.length).to.be.above(1800);
    expect(all.filter(({ emoji }) => emojiSchema.safeParse(emoji).data !== emoji)).to.deep.equal([]);
    expect(new Set(all.map(({ emoji }) => emoji)).size).to.equal(all.length);
  });

  it('are found by their names and those between colons, the same ones before others', () => {
    expect(['rocket', ':tada:', 'party popper', 'Red Heart', 'heart', 'thumbs_up', '+1'].map(first)).to.deep.equal([
      ...['🚀', '🎉', '🎉', '❤️', '❤️', '👍', '👍'],
    ]);
    for (const { name, emoji } of namedEmoji) expect(first(`:${name}:`), name).to.equal(commonEmoji(emoji).emoji);
    expect(emojiFor('fl jap').map(({ name }) => name)).to.include('flag Japan');
    expect(emojiFor('nothing like it')).to.deep.equal([]);
  });

  it('are found by themselves, in whatever form, with a colour of skin too', () => {
    expect(['❤', '👍🏽', ' 🦉 '].map(first)).to.deep.equal(['❤️', '👍🏽', '🦉']);
    expect(commonEmoji('🦉').name).to.equal('owl');
  });
});
