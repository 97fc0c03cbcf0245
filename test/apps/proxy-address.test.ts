// nodes: own

import { expect } from 'chai';
import { locationIn, ProxyAddress } from '../../src/features/apps/proxy-address.ts';

describe('addresses of the app proxy', () => {
  const bases = [
    '/',
    '/dir',
    '/dir/',
    '/a/b',
    '/a/b/',
    '/dir/index.html',
    '/dir/Page.HTM?a=b',
    '/dir?a=b',
    '/dir/?a=b',
    '/d%C3%A4/',
  ];
  const paths = [
    ...[
      '/',
      '//',
      '/dir',
      '/dir/',
      '/dir//',
      '/dir/x',
      '/dir/x/',
      '/dir//x',
      '/dirx',
      '/a',
      '/a/',
      '/a/b',
      '/a/b/',
      '/a/b/c/',
    ],
    ...[
      '/dir/index.html',
      '/dir/Page.HTM',
      '/index.html',
      '/d%C3%A4',
      '/d%C3%A4/',
      '/dir/%2F',
      '/dir/%2e%2e/x',
      '/dir/a:b',
    ],
  ];

  it('stand for each address of the host, one to one: a redirect leads where the app meant', () => {
    for (const base of bases) {
      const address = new ProxyAddress('id', new URL(base, 'https://app.test'));
      for (const path of paths) {
        for (const search of ['', '?a=b', '?c=d&e=%20']) {
          const meant = new URL(`https://app.test${path}${search}`);
          const here = address.of(meant) ?? '';
          const [, rest = '', asked = ''] = /^\/api\/app-proxy\/id(\/[^?]*)(\?.*)?$/.exec(here) ?? [];
          expect(address.target(rest, asked).href, `${base} ${meant.href} ${here}`).to.equal(meant.href);
          // Read by a browser as it was written.
          expect(new URL(here, 'https://here.test').pathname, here).to.equal(`/api/app-proxy/id${rest}`);
        }
      }
    }
  });

  it('keep the slash of the address that is stored, or that it has none', () => {
    for (const base of bases) {
      const url = new URL(base, 'https://app.test');
      expect(new ProxyAddress('id', url).target('/', '').href).to.equal(url.href);
      expect(new ProxyAddress('id', url).of(url)).to.equal(`/api/app-proxy/id/${url.search}`);
    }
  });

  it('are none for other hosts', () => {
    const address = new ProxyAddress('id', new URL('https://app.test/dir'));
    for (const url of ['https://other.test/dir', 'http://app.test/dir', 'https://app.test:444/dir']) {
      expect(address.of(new URL(url))).to.equal(undefined);
    }
  });

  it('are read from a Location in UTF-8 or Latin-1, and encoded once', () => {
    const base = new URL('https://app.test/dir/');
    const asHeader = (text: string, encoding: BufferEncoding) => Buffer.from(text, encoding).toString('latin1');
    expect(locationIn(asHeader('/dä/☃?q=ö', 'utf8'), base)?.href).to.equal(
      'https://app.test/d%C3%A4/%E2%98%83?q=%C3%B6',
    );
    expect(locationIn(asHeader('/dä', 'latin1'), base)?.href).to.equal('https://app.test/d%C3%A4');
    expect(locationIn('/d%C3%A4%20x', base)?.href).to.equal('https://app.test/d%C3%A4%20x');
    expect(locationIn('https://[', base)).to.equal(null);
  });
});
