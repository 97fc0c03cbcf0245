// nodes: own

import { expect } from 'chai';
import { maxPreviews } from '../../src/contract/link-preview.ts';
import { linksIn } from '../../src/features/messages/message.links.ts';
import { PageHead } from '../../src/features/previews/page-head.ts';

describe('the links of a message that get previews', () => {
  const of: Record<string, string[]> = {
    'see https://example.com/a.': ['https://example.com/a'],
    'http://EXAMPLE.com:80': ['http://example.com/'],
    '(https://example.com/a_(b))': ['https://example.com/a_(b)'],
    '[name](https://example.com/x)y': ['https://example.com/x'],
    '**https://example.com/x**': ['https://example.com/x'],
    'https://example.com/a#b https://example.com/a': ['https://example.com/a'],
    'https://example.com/?u=https://other.example/': ['https://example.com/?u=https://other.example/'],
    '`https://example.com`': [],
    '```\nhttps://example.com\n```': [],
    '> https://example.com': [],
    '||https://example.com||': [],
    '<https://example.com>': [],
    'https://localhost/x': [],
    'https://user:word@example.com/': [],
    'ftp://example.com/ javascript://example.com/': [],
    'example.com': [],
    'https://': [],
    'https://example.com/ä': ['https://example.com/%C3%A4'],
  };

  it('are written out, and are neither code, quoted, hidden nor in angle brackets', () => {
    for (const [content, links] of Object.entries(of)) expect(linksIn(content), content).to.deep.equal(links);
  });

  it('are the first few, none of them too long, and are found in time in any text', () => {
    const many = Array.from({ length: 20 }, (_, index) => `https://example.com/${index}`);
    expect(linksIn(many.join(' '))).to.deep.equal(many.slice(0, maxPreviews));
    expect(linksIn(`https://example.com/${'x'.repeat(2048)}`)).to.deep.equal([]);
    for (const piece of ['https://', 'https://a.b(', '||https://a.b/', '<https://a.b ', 'https://a.b/)'])
      expect(linksIn(piece.repeat(16_000 / piece.length)).length).to.be.at.most(maxPreviews);
  });
});

describe('the head of a page', () => {
  const url = new URL('https://example.com/dir/page');
  const read = (html: string | Buffer, charset?: string, size = 7) => {
    const head = new PageHead(charset);
    const bytes = Buffer.from(html);
    for (let at = 0; at < bytes.length; at += size) head.write(bytes.subarray(at, at + size));
    return head.end(url);
  };

  it('says what the page calls itself, first in Open Graph, then in other ways', () => {
    const graph = `<meta property="og:title" content="A &amp; B"><meta property=og:site_name content=Site>
      <meta property="og:description" content=" two
      lines "><meta property="og:image" content="/p.png"><meta name="twitter:card" content="summary_large_image">`;
    const others =
      '<title>Title</title><meta name="description" content="Words"><meta name="twitter:title" content="T">';
    expect(read(`<!doctype html><html><head>${others}${graph}</head>`)).to.deep.equal({
      siteName: 'Site',
      title: 'A & B',
      description: 'two lines',
      imageUrl: 'https://example.com/p.png',
      isLarge: true,
    });
    expect(read(`<head>${others}</head>`)).to.include({ title: 'T', description: 'Words', imageUrl: null });
    expect(read('<title>Only &eacute;</title>')).to.include({ title: 'Only é', description: null, isLarge: false });
    expect(read('<p>nothing</p>')).to.equal(null);
    expect(read('')).to.equal(null);
  });

  it('ends with the head, and has neither long texts nor ones that turn what is around them', () => {
    expect(read('<head><title>One</title></head><body><meta property="og:title" content="Two">')?.title).to.equal(
      'One',
    );
    expect(read('<title>One</title><body><meta property="og:title" content="Two">')?.title).to.equal('One');
    expect(read('<title>One</title><script>"<meta property=og:title content=Two>"</script>')?.title).to.equal('One');
    expect(read(`<title>${'x'.repeat(10_000)}</title>`)?.title?.length).to.equal(300);
    expect(read('<title>a\u202eb\u0000c</title>')?.title).to.match(/^ab.?c$/);
    for (const bad of ['javascript:alert(1)', 'data:image/png,x', 'https://u:p@example.com/x', '//'])
      expect(read(`<title>x</title><meta property="og:image" content="${bad}">`)?.imageUrl).to.equal(null);
  });

  it('is read in the character set that its host or the page says', () => {
    const latin = Buffer.from('<title>caf\u00e9</title>', 'latin1');
    expect(read(latin, 'iso-8859-1')?.title).to.equal('café');
    const own = Buffer.from('<meta charset="windows-1252"><title>caf\u00e9</title>', 'latin1');
    expect(read(own)?.title).to.equal('café');
    expect(read(own, 'no-such-set')?.title).to.equal('café');
    const japanese = Buffer.concat([
      Buffer.from('<title>'),
      Buffer.from([0x93, 0xfa, 0x96, 0x7b]),
      Buffer.from('</title>'),
    ]);
    expect(read(japanese, 'shift_jis', 1)?.title).to.equal('日本');
    expect(read(Buffer.from('\ufeff<title>日本</title>', 'utf16le'))?.title).to.equal('日本');
  });
});
