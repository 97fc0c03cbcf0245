// nodes: own

import { expect } from 'chai';
import type { FilterAction, FilterKind } from '../../src/contract/filter.ts';
import { formOf } from '../../src/features/filters/forms.ts';
import { hostsIn } from '../../src/features/filters/links.ts';
import { ServerFilters } from '../../src/features/filters/server-filters.ts';

let ids = 0;
const entry = (kind: FilterKind, pattern: string, action: FilterAction = 'refuse') => ({
  ...{ id: `e${ids++}`, kind, pattern, action },
  form: formOf(kind, pattern),
});
const filtersOf = (...entries: ReturnType<typeof entry>[]) => ServerFilters.of({ hours: 0, entries });

/** Whether a word is found in a text. */
async function finds(pattern: string, text: string): Promise<boolean> {
  return (await filtersOf(entry('word', pattern))).find([text]).entry !== null;
}

describe('words of filters', () => {
  const cases: [pattern: string, found: string[], notFound: string[]][] = [
    ['bad', ['bad', 'BAD!', 'not bad.', 'a-bad-day', 'bad\n'], ['badminton', 'forbad', 'ba d', '']],
    ['bad*', ['badminton', 'bad'], ['forbad']],
    ['*bad', ['forbad', 'bad'], ['badminton']],
    ['*bad*', ['forbadden'], ['b-ad']],
    ['free money', ['FREE   money', 'free\n\tmoney!'], ['free moneys', 'freemoney']],
    ['straße', ['STRASSE', 'Straße'], ['strase']],
    ['café', ['cafe', 'CAFE\u0301', 'ｃａｆé'], ['cafes']],
    // What nobody sees, and what looks the same, hides nothing.
    ['bad', ['b\u200bad', 'b\u00adad', 'b\u0430d', 'ｂａｄ', 'b\u0336a\u0336d', '𝐛𝐚𝐝', 'b\u0001ad'], []],
    ['вова', ['ВОВА', 'вова'], ['вовае']],
    ['笨蛋', ['你是笨蛋啊'], ['笨的蛋']],
    ['हिन्दी', ['हिन्दी'], ['हिन्दा', 'हिन्द']],
    ['$$$', ['a $$$ b', '$$$$'], ['$$']],
    ['🖕', ['x🖕y'], ['👍']],
    ['modem', ['modem'], ['modern']],
  ];
  for (const [pattern, found, notFound] of cases) {
    it(`find ${JSON.stringify(pattern)} where it is, and only there`, async () => {
      for (const text of found) expect(await finds(pattern, text), JSON.stringify(text)).to.equal(true);
      for (const text of notFound) expect(await finds(pattern, text), JSON.stringify(text)).to.equal(false);
    });
  }

  it('are found in pieces as in the whole, wherever it is cut', async () => {
    const filters = await filtersOf(entry('word', 'bad'), entry('word', 'sm𝐢rk'), entry('link', 'evil.com'));
    for (const text of ['a bad one', 'the sm𝐢rk', 'see https://evil.com/x now', 'badminton', 'evil.community/x']) {
      const whole = filters.find([text]).entry?.id ?? null;
      for (let at = 0; at <= text.length; at++) {
        const scan = filters.scan();
        scan.add(text.slice(0, at));
        scan.add(text.slice(at));
        expect(scan.atEnd.entry?.id ?? null, `${text} at ${at}`).to.equal(whole);
      }
    }
  });

  it('are certain only once they have ended: the next piece may make another word of them', async () => {
    const scan = (await filtersOf(entry('word', 'bad'))).scan();
    scan.add('bad');
    expect([scan.certain.entry, scan.atEnd.entry?.pattern]).to.deep.equal([null, 'bad']);
    scan.add('minton');
    expect(scan.atEnd.entry).to.equal(null);
    scan.add(' bad ');
    expect(scan.certain.entry?.pattern).to.equal('bad');
  });

  it('count by the strictest entry, and all of a thousand are looked for', async () => {
    const many = Array.from({ length: 998 }, (_, i) => entry('word', `*${'a'.repeat(1 + (i % 90))}b${i}*`, 'flag'));
    const filters = await filtersOf(...many, entry('word', 'xyz', 'hold'), entry('word', 'zyx', 'refuse'));
    for (const { pattern } of many) {
      expect(filters.find([`- ${pattern.slice(1, -1)} -`]).entry?.action, pattern).to.equal('flag');
    }
    expect(filters.find([`xyz ${many[5]?.pattern.slice(1, -1)}`]).entry?.pattern).to.equal('xyz');
    expect(filters.find(['xyz zyx']).entry?.pattern).to.equal('zyx');
    expect(filters.find(['a'.repeat(16_000)]).entry).to.equal(null);
  });
});

describe('links of filters', () => {
  const links = (text: string) => [...hostsIn(text)].filter(({ isLink }) => isLink).map(({ host }) => host);

  const cases: [text: string, hosts: string[]][] = [
    ['see https://Evil.com/x', ['evil.com']],
    ['<https://evil.com>', ['evil.com']],
    ['[x](https://evil.com/y) and [y](//evil.com)', ['evil.com', 'evil.com']],
    ['www.evil.com', ['www.evil.com']],
    ['evil.com/path, evil.com:8080', ['evil.com', 'evil.com']],
    ['https://good.org@evil.com/', ['evil.com']],
    ['https:\\\\evil.com and https://ex%61mple.com', ['evil.com', 'example.com']],
    ['https://MÜLLER.de', ['xn--mller-kva.de']],
    ['exa\u200bmple.com/x', ['example.com']],
    ['evil。com/x', ['evil.com']],
    ['https://2130706433/ https://[::1]/', ['127.0.0.1', '[::1]']],
    ['http://localhost:3000', ['localhost']],
    ['https://good.org/a?to=evil.com/x', ['good.org']],
    ['readme.md, evil.com, 10.0.0.1/24, a // note, joe@evil.com', []],
  ];
  for (const [text, hosts] of cases) {
    it(`are ${JSON.stringify(hosts)} in ${JSON.stringify(text)}`, () => {
      expect(links(text)).to.deep.equal(hosts);
    });
  }

  it('match their host and what is below it, also where it is only named, and nothing else', async () => {
    const filters = await filtersOf(entry('link', 'https://Evil.com/'), entry('link', 'münchen.de'));
    for (const text of ['evil.com', 'a.b.EVIL.com/x', '请访问evil.com/x', 'https://xn--mnchen-3ya.de', 'x@evil.com']) {
      expect(filters.find([text]).entry, text).to.not.equal(null);
    }
    for (const text of ['devil.com/x', 'evil.com.org/x', 'evil.community/', 'https://good.org']) {
      expect(filters.find([text]).entry, text).to.equal(null);
    }
  });

  it('may all be meant, but for those of allowed hosts; the nearest entry decides', async () => {
    const filters = await filtersOf(
      ...[entry('link', '*', 'hold'), entry('link', 'good.org', 'allow'), entry('link', 'bad.good.org')],
    );
    const action = (text: string) => filters.find([text]).entry?.action;
    expect(action('https://else.com')).to.equal('hold');
    expect(action('https://docs.good.org/x')).to.equal(undefined);
    expect(action('https://x.bad.good.org')).to.equal('refuse');
    expect(action('just else.com in a sentence')).to.equal(undefined);
  });

  it('are found in any text in one pass', async () => {
    const filters = await filtersOf(entry('link', '*'));
    for (const part of ['http://', '//', 'a.', 'http://a,', 'x//', 'a.b/', 'ä.b ', 'http:////']) {
      filters.find([part.repeat(16_000 / part.length)]);
    }
  });
});
