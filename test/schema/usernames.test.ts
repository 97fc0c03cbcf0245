// nodes: own

import { expect } from 'chai';
import { z } from 'zod';
import { AppError } from '../../src/contract/errors.ts';
import { nodeNameSchema } from '../../src/contract/names.ts';
import { emojiSchema } from '../../src/contract/reaction.ts';
import { validated } from '../../src/contract/schema/validation.ts';
import { nameFrom, nameSchema } from '../../src/contract/schema.ts';
import { foldedKey, skeleton } from '../../src/contract/unicode/skeleton.ts';
import { isBlank } from '../../src/contract/unicode/visible.ts';
import { suggestedUsername, usernameKey, usernameProblem, usernameSchema } from '../../src/contract/username.ts';

/** What a schema makes of a text, or the sentence with which it refuses it. */
function made(schema: z.ZodType<string>, text: string): { name: string } | { refused: string } {
  try {
    return { name: validated(z.object({ text: schema }), { text }).text };
  } catch (error) {
    if (error instanceof AppError && error.issues?.[0]) return { refused: error.issues[0].message };
    throw error;
  }
}

const codePoints = function* () {
  for (let code = 0; code <= 0x10ffff; code++) if (code < 0xd800 || code > 0xdfff) yield String.fromCodePoint(code);
};

/** Those of words: of the thousands of Chinese and Korean ones, which are all alike in their properties, some. */
const wordPoints = function* () {
  let place = 0;
  for (const text of codePoints()) {
    if (/[\p{Cn}\p{Co}]/u.test(text) || (/[\p{sc=Hani}\p{sc=Hang}\p{sc=Tang}]/u.test(text) && ++place % 50)) continue;
    yield text;
  }
};

const letters = 'must be letters, digits, "_", "-" or "."';
const script = 'must be in the letters of one script that is in use; Latin goes with Chinese, Japanese and Korean';
const marks = 'must have at most 4 marks on a letter, and each of them once';
const reserved = 'is reserved, or looks like a reserved name';
const host = 'must not look like the address of a host';

const taken = [
  ...[
    'alice',
    'Alice_B',
    'a-b',
    'john.doe',
    'x.y.z1',
    '007',
    '___',
    'José',
    'Łukasz',
    'Đặng',
    'Straße',
    'İstanbul',
    'ışık',
  ],
  ...[
    'Алиса',
    'Ђорђе',
    'Їжак',
    'Ελένη',
    'Νίκος',
    'Հայկ',
    'გიორგი',
    'አበበ',
    'محمد',
    'علی_۲',
    'דוד',
    'שָׁלוֹם',
    'हिन्दी',
    'বাংলা',
  ],
  ...[
    'தமிழ்',
    'สมชาย',
    'น้ำใจ',
    'ខ្មែរ',
    'བོད་'.slice(0, 3),
    '한국어',
    '김_kim',
    '漢字かなカナ',
    'さくらSakura',
    'ラーメンー',
    '王小明',
    '王ㄅㄆ',
  ],
  ...['ᏣᎳᎩ', 'ᐃᓄᒃᑎᑐᑦ', 'ⵜⵉⴼⵉ', 'café2', 'here2', 'alles', 'admin-bot', 'example.computer2', 'ace', 'асе'],
];

const refused: [name: string, sentence: string][] = [
  ['ab', 'must have at least 3 characters'],
  ['x'.repeat(33), 'must have at most 32 characters'],
  ['x'.repeat(5000), 'must have at most 32 characters'],
  ...[
    'a b',
    'a@b',
    'a/b',
    'a!b',
    'x\u200by',
    'x\u200dy',
    'x\u00ady',
    'x\ufe0fy',
    '😀😀😀',
    'ᄀ\u1160ᅡ',
    '\u3164\u3164\u3164',
  ].map((name): [string, string] => [name, letters]),
  ...[
    '\uffa0\uffa0\uffa0',
    '\u115f\u115f\u115f',
    '\u2800\u2800\u2800',
    '\u0301abc',
    'abc.\u0301d',
    'a\u202ebc',
    'ab½',
  ].map((name): [string, string] => [name, letters]),
  ['.abc', 'must neither begin nor end with "."'],
  ['abc.', 'must neither begin nor end with "."'],
  [`a${'\u0315\u031b\u0345\u0327\u0328'}bc`, marks],
  ['abc\u0301\u0301', marks],
  ['al\u0069\u0307ce', marks],
  ...['аlice', 'pаypal', 'αbc', 'Иван_Smith', 'abcไทย', 'abcעב', '한국ㄅㄆ', 'ひらбв', '𐌰𐌱𐌲', 'ᚠᚢᚦ', 'ab१'].map(
    (name): [string, string] => [name, script],
  ),
  ...[
    'here',
    'HERE',
    'everyone',
    'channel',
    'All',
    'system',
    'admin',
    'ADMIN',
    'aII',
    'a11',
    'adrnin',
    'ａｄｍｉｎ',
  ].map((name): [string, string] => [name, reserved]),
  ...['example.com', 'jet.li', 'node.DEV', 'a.b.org', 'пример.рф', 'example.corn', '127.0.0.1', '1.2'].map(
    (name): [string, string] => [name, host],
  ),
];

describe('usernames', () => {
  it('are taken in the scripts of living languages', () => {
    for (const name of taken) expect(made(usernameSchema, name), name).to.deep.equal({ name: name.normalize('NFKC') });
  });

  it('are refused with a sentence that says what is wrong', () => {
    for (const [name, sentence] of refused)
      expect(made(usernameSchema, name), JSON.stringify(name)).to.deep.equal({ refused: sentence });
  });

  it('are kept composed: other forms of the same letters are no other name', () => {
    for (const [typed, name] of [
      ['ａｌｉｃｅ', 'alice'],
      ['ﬁona', 'fiona'],
      ['Jose\u0301', 'José'],
      ['x²²', 'x22'],
      ['  padded ', 'padded'],
    ]) {
      expect(made(usernameSchema, typed ?? '')).to.deep.equal({ name });
    }
  });

  it('have one key for every case, which is a key itself', () => {
    for (const [one, other] of [
      ['STRASSE', 'straße'],
      ['ΝΊΚΟΣ', 'Νίκος'],
      ['ǅabc', 'ǆABC'],
      ['ALICE', 'ａlice'],
    ]) {
      expect(usernameKey(one ?? '')).to.equal(usernameKey(other ?? ''));
    }
    expect(usernameKey('ışık')).to.not.equal(usernameKey('isik'));
    const unstable = [...wordPoints()].filter((text) => foldedKey(foldedKey(text)) !== foldedKey(text));
    expect(unstable).to.deep.equal([]);
  }).timeout(60_000);

  it('have one skeleton for all that looks the same, which is a skeleton itself', () => {
    for (const [one, other] of [
      ['ace', 'асе'],
      ['alice', 'AIice'],
      ['alice', 'a1ice'],
      ['Mary', 'rnary'],
      ['bob0', 'bobo'],
      ['scope', 'ѕсоре'],
      ['oo', 'οο'],
      ['alice', 'аӏісе'],
      ['straße', 'STRASSE'],
    ]) {
      expect(skeleton(one ?? ''), `${one} ${other}`).to.equal(skeleton(other ?? ''));
    }
    for (const [one, other] of [
      ['alice', 'alicia'],
      ['José', 'Jose'],
      ['lan', 'ian'],
      ['漢', '汉'],
    ]) {
      expect(skeleton(one ?? '')).to.not.equal(skeleton(other ?? ''));
    }
    const unstable = [...wordPoints()].filter((text) => skeleton(skeleton(text)) !== skeleton(text));
    expect(unstable).to.deep.equal([]);
  }).timeout(60_000);

  it('have a letter, a digit, a line or a dot to see, and nothing else, whatever their characters', () => {
    for (const text of wordPoints()) {
      for (const name of [text.repeat(3), `ab${text}cd`]) {
        if (usernameProblem(name.normalize('NFKC')) !== undefined) continue;
        const kept = name.normalize('NFKC');
        if (isBlank(kept) || !/^[\p{L}\p{N}\p{M}_.-]+$/u.test(kept)) expect.fail(JSON.stringify(name));
        if (/[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}\p{Bidi_Control}\s]/u.test(kept))
          expect.fail(JSON.stringify(name));
        if (skeleton(skeleton(kept)) !== skeleton(kept)) expect.fail(JSON.stringify(name));
      }
    }
  }).timeout(60_000);

  it('are made of what people are called elsewhere, and fit what was made of them', () => {
    for (const [text, name] of [
      ['bob@example.com', 'bob'],
      ['jet.li@example.com', 'jet-li'],
      ['.a..b.@example.com', 'a..b'],
      ['Иван Smith', 'Smith'],
      ['x', 'user-x'],
      ['\u202e\u3164', 'user-'],
      ['here', 'here'],
      ['हिन्दी भाषा', 'हिन्दीभाषा'],
      ['\u0301\u0301\u0301', 'user-'],
    ]) {
      expect(suggestedUsername(text ?? '', 24), text).to.equal(name);
    }
    for (const text of wordPoints()) {
      const name = suggestedUsername(`${text}${text}a@b`, 24);
      if (usernameProblem(name) && usernameProblem(`${name}42`)) expect.fail(JSON.stringify([text, name]));
    }
  }).timeout(60_000);
});

describe('names of all kinds', () => {
  /** By the properties that Unicode gives them, and blank by the definition of their glyph. */
  const isUnseen = (text: string): boolean =>
    /[\s\p{Cc}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\p{Mn}\p{Me}]/u.test(text) ||
    ['\u2800', '\ufffc', '\u{1d159}', '\u{13441}', '\u{13442}'].includes(text);

  it('have something to see, and so have reactions', () => {
    const unseen = [...codePoints()].filter(isUnseen);
    expect(unseen).to.include.members(['\u3164', '\uffa0', '\u115f', '\u1160', '\u2800', '\u180e', '\u{e0001}']);
    for (const text of unseen) {
      if (!isBlank(text) || nameFrom(text, 10) !== '') expect.fail(`U+${text.codePointAt(0)?.toString(16)}`);
      if (nameSchema(100).safeParse(`${text}${text}`).success || emojiSchema.safeParse(text).success)
        expect.fail(`U+${text.codePointAt(0)?.toString(16)}`);
    }
    for (const seen of ['a', '-', '☃', '❤️', '👩‍👩‍👧', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', 'ी', '한', '\u{e000}', 'a\u200b'])
      expect(isBlank(seen), seen).to.equal(false);
  }).timeout(60_000);

  it('turn no direction, and are drawn within their line', () => {
    const direction = 'must not contain characters that turn the direction of the text';
    const controls = [...codePoints()].filter((text) => /\p{Bidi_Control}/u.test(text));
    expect(controls).to.have.lengthOf(12);
    for (const control of controls) {
      expect(made(nameSchema(100), `a${control}b`)).to.deep.equal({ refused: direction });
      expect(emojiSchema.safeParse(`👍${control}`).success).to.equal(false);
    }
    expect(made(nodeNameSchema, 'photo\u202egpj.exe')).to.deep.equal({ name: 'photogpj.exe' });
    const flood = `Z${'\u0315\u031b\u0345\u0327\u0328\u0334'.repeat(4)}a`;
    expect(made(nameSchema(100), flood)).to.deep.equal({ refused: 'must have at most 4 marks on a letter' });
    expect(made(nameSchema(100), 'שָׁלוֹם Đặng བསྒྲུབས')).to.deep.equal({ name: 'שָׁלוֹם Đặng བསྒྲུབས' });
    expect(made(nameSchema(100), nameFrom(`\u202e${flood}\u2066\n me`, 100))).to.have.property('name');
    expect(nameFrom(`  a\n\tb\u202e  `, 100)).to.equal('a b');
  });
});
