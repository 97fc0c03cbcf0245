// nodes: own

import { expect } from 'chai';
import { parsed, wordsQuery } from '../../src/features/search/query.ts';
import { periodOf } from '../../src/features/search/times.ts';
import { tokensOf } from '../../src/features/search/words.ts';

const wordsOf = (text: string) => tokensOf(text, 1000).flatMap(({ word, kind }) => (kind === 'pair' ? [] : [word]));

describe('the words of a text', () => {
  it('are split at punctuation', () => {
    const text =
      'client/server yes/no TCP/IP node.js README.md report_final foo@example.com PLT-3699 https://x.org/login?repo=1';
    const words =
      'client server yes no tcp ip node js readme md report final foo example com plt 3699 https x org login repo 1';
    expect(wordsOf(text)).to.deep.equal(words.split(' '));
  });

  it('are found by dictionaries where they have no spaces', () => {
    expect(wordsOf('ฉันไปโรงเรียน')).to.deep.equal(['ฉัน', 'ไป', 'โรงเรียน'].flatMap(wordsOf));
    expect(wordsOf('ຂ້ອຍໄປໂຮງຮຽນ')).to.have.length(3);
    expect(wordsOf('ខ្ញុំទៅសាលារៀន')).to.have.length(3);
    expect(wordsOf('ကျွန်တော်ကျောင်းသွားသည်')).to.have.length(4);
  });

  it('are the same in any normal form, case and width, and without accents and vowel signs', () => {
    for (const [one, other] of [
      ['été', 'ETE'],
      ['Straße', 'strasse'],
      ['ὁδός', 'ΟΔΟΣ'],
      ['ｆｕｌｌ', 'full'],
      ['ﾊﾟﾝﾀﾞ', 'パンダ'],
      ['مُحَمَّد', 'محمد'],
      ['שָׁלוֹם', 'שלום'],
      ['น้ำ', 'น้ํา'],
      ['Ørsted', 'orsted'],
      ['٣٤', '34'],
      ['soft\u00adhyphen', 'softhyphen'],
    ] as const) {
      const words = wordsOf(one);
      expect(words, one).to.deep.equal(wordsOf(other));
      for (const form of ['NFC', 'NFD'] as const) expect(wordsOf(one.normalize(form)), one).to.deep.equal(words);
    }
    expect(wordsOf('한국어'.normalize('NFD'))).to.deep.equal(wordsOf('한국어'));
  });

  it('keep marks that make other words of them', () => {
    expect(wordsOf('が')).to.not.deep.equal(wordsOf('か'));
    expect(wordsOf('कि')).to.not.deep.equal(wordsOf('क'));
  });

  it('stand where they are in the text', () => {
    for (const text of ['a é́te b', 'x ﾊﾟﾝ y', 'ｆｕ ﬁn 👍🏽 z', '오늘 은'.normalize('NFD'), 'น้ำ ไป']) {
      for (const { start, end, word } of tokensOf(text, 100))
        expect(wordsOf(text.slice(start, end)).join('')).to.include(word);
    }
  });

  it('are bounded in length and number', () => {
    expect(wordsOf('x'.repeat(5000))[0]).to.have.length(64);
    expect(tokensOf('a '.repeat(5000), 100)).to.have.length(100);
  });
});

describe('a query', () => {
  const sqlOf = (query: string) => wordsQuery(parsed(query, (name) => name !== 'has').alternatives);

  it('becomes words, phrases, exclusions and alternatives', () => {
    for (const [query, sql] of [
      ['red app', "(('red') & ('app':*))"],
      ['"red app"', "(('red' <1> 'app'))"],
      ['client/serv', "(('client' <1> 'serv':*))"],
      ['red -green', "(('red') & !('green'))"],
      ['red or gre', "(('red')) | (('gre':*))"],
      ['re* green', "(('re':*) & ('green':*))"],
      ['--help', "(('help':*))"],
      ['東京駅', "(('東京' <1> '京駅'))"],
      ['👍 !', null],
    ] as const) {
      expect(sqlOf(query), query).to.equal(sql);
    }
  });

  it('has operators only where their values are known', () => {
    const { operators, text } = parsed('from:@bob has:wings -in:"a place" https://x.org', (name) => name !== 'has');
    expect(operators).to.deep.equal([
      { name: 'from', value: '@bob', isExcluded: false },
      { name: 'in', value: 'a place', isExcluded: true },
    ]);
    expect(text.split(/\s+/)).to.deep.equal(['has:wings', 'https://x.org']);
    expect(parsed('-on:2026-11-27', () => true).operators).to.deep.equal([]);
  });

  it('cannot break out of its words', () => {
    for (const query of ["a' | 'b", "'\\'", ':*', '!!()', '"'.repeat(99), '-'.repeat(256)]) {
      expect(sqlOf(query) ?? '').to.match(/^[^\\]*$/);
      expect((sqlOf(query) ?? '').split("'").length % 2).to.equal(1);
    }
  });

  it('knows days, months, years and times', () => {
    const day = 86_400_000;
    const period = (text: string, zone = 'UTC') => periodOf(text, zone) ?? { start: 0, end: 0 };
    expect(period('2026-11-27')).to.deep.equal({ start: Date.UTC(2026, 10, 27), end: Date.UTC(2026, 10, 28) });
    expect(period('2024-02')).to.deep.equal({ start: Date.UTC(2024, 1), end: Date.UTC(2024, 2) });
    expect(period('2026').end - period('2026').start).to.equal(365 * day);
    expect(period('2026-11-27T12:00:00+02:00').start).to.equal(Date.UTC(2026, 10, 27, 10));
    expect(period('2026-11-27', 'Asia/Tokyo').start).to.equal(Date.UTC(2026, 10, 26, 15));
    expect(period('2026-11', 'America/New_York').start).to.equal(Date.UTC(2026, 10, 1, 4));
    const spring = period('2026-03-29', 'Europe/Berlin');
    expect(spring.end - spring.start, 'the day on which clocks are set forward').to.equal(23 * 3_600_000);
    for (const bad of ['', 'yesterday', '2026-13', '2026-02-30', '99999'])
      expect(periodOf(bad, 'UTC'), bad).to.equal(null);
  });
});
