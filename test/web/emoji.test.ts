// nodes: own

import { expect } from 'chai';
import { languages } from '../../src/contract/languages.ts';
import { emojiSchema } from '../../src/contract/reaction.ts';
import { namedEmoji } from '../../src/contract/unicode/emoji-names.ts';
import {
  commonEmoji,
  emojiCalled,
  emojiFor,
  emojiGroups,
  emojiNamed,
  englishWords,
  wordsOf,
} from '../../src/web/app/state/all-emoji.ts';
import { skinTones, toned } from '../../src/web/app/state/skin-tones.ts';

describe('the emoji that one can choose', () => {
  const all = emojiGroups(englishWords).flatMap(({ list }) => list);
  const first = (text: string) => emojiFor(text)[0]?.emoji;

  it('are all that the server takes, each once, and as it keeps them', () => {
    expect(all.length).to.be.above(1800);
    expect(all.filter(({ emoji }) => emojiSchema.safeParse(emoji).data !== emoji)).to.deep.equal([]);
    expect(new Set(all.map(({ emoji }) => emoji)).size).to.equal(all.length);
  });

  it('are found by their names, those between colons and keywords, the same ones before others', () => {
    expect(['rocket', ':tada:', 'party popper', 'Red Heart', 'heart', 'thumbs_up', '+1'].map(first)).to.deep.equal([
      ...['🚀', '🎉', '🎉', '❤️', '❤️', '👍', '👍'],
    ]);
    for (const { name, emoji } of namedEmoji) {
      expect(first(`:${name}:`), name).to.equal(commonEmoji(emoji).emoji);
      expect(emojiCalled(name, ''), name).to.equal(commonEmoji(emoji).emoji);
    }
    expect(emojiFor('fl jap').map(({ name }) => name)).to.include('flag: Japan');
    expect(emojiFor('hooray').map(({ emoji }) => emoji)).to.include('🎉');
    expect(emojiFor('nothing like it')).to.deep.equal([]);
  });

  it('are found by themselves, in whatever form, with a colour of skin too', () => {
    expect(['❤', '👍🏽', ' 🦉 '].map(first)).to.deep.equal(['❤️', '👍🏽', '🦉']);
    expect(['🦉', '👍🏽', '☝🏿'].map((emoji) => commonEmoji(emoji).name)).to.deep.equal([
      ...['owl', 'thumbs up', 'index pointing up'],
    ]);
  });

  it('have names in the languages of texts, in English where there are none, and are found by both', async () => {
    for (const language of languages) expect((await wordsOf(language)).length).to.equal(englishWords.length);
    const german = await wordsOf('de');
    expect(emojiFor('Eule', german)[0]).to.deep.equal({ emoji: '🦉', name: 'Eule' });
    expect(emojiFor('owl', german)[0]).to.deep.equal({ emoji: '🦉', name: 'Eule' });
    expect(await wordsOf('ar')).to.equal(englishWords);
    expect((await emojiNamed('rock', 'de', '')).map(({ about }) => about)).to.include(':rocket: Rakete');
  });

  it('have the colour of skin that is chosen, where they have one', () => {
    const tone = skinTones[3];
    expect(['👍', '☝️', '👩‍🚀', '🤝', '🏋️‍♂️', '👨‍👩‍👦', '🚀'].map((emoji) => toned(emoji, tone))).to.deep.equal([
      ...['👍🏽', '☝🏽', '👩🏽‍🚀', '🤝🏽', '🏋🏽‍♂️', '👨‍👩‍👦', '🚀'],
    ]);
    for (const one of skinTones) {
      const refused = all.filter(({ emoji }) => emojiSchema.safeParse(toned(emoji, one)).data !== toned(emoji, one));
      expect(refused).to.deep.equal([]);
    }
  });
});
