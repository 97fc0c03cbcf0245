/**
 * Maps addresses here to addresses on the host of an app, one to one: `/` is the stored address, with or without its
 * slash; other paths are relative to its folder; and a path after an extra slash is a whole path of the host. So a
 * redirect leads where the app meant, and never back to its own source.
 */
export class ProxyAddress {
  private readonly root: string;
  private readonly base: URL;
  /** The folder that an app's paths are in. For a single page it is the page's, to which its links are relative. */
  private readonly folder: string;

  /** @param base the address of the app */
  constructor(appId: string, base: URL) {
    this.root = `/api/app-proxy/${appId}`;
    this.base = base;
    this.folder = base.pathname.replace(/\/([^/]*\.html?)?$/i, '');
  }

  /**
   * The target of a request, always on the app's host.
   * @param rest the path after the app's id, with its slash and still encoded
   * @param search with its `?`; empty: that of the app's address counts at `/`
   */
  target(rest: string, search: string): URL {
    const target = new URL(this.base);
    if (rest !== '' && rest !== '/') {
      target.pathname = rest.startsWith('//') ? rest.slice(1) : `${this.folder}${rest}`;
      target.search = search;
    } else if (search) target.search = search;
    target.hash = '';
    return target;
  }

  /** The address here that leads to a URL; undefined: it is on another host. */
  of(url: URL): string | undefined {
    if (url.origin !== this.base.origin) return undefined;
    return `${this.root}${this.restOf(url)}${url.search}${url.hash}`;
  }

  private restOf({ pathname, search }: URL): string {
    if (pathname === this.base.pathname && (search !== '' || this.base.search === '')) return '/';
    const below = pathname.slice(this.folder.length);
    const isBelow = pathname.startsWith(`${this.folder}/`) && below !== '/' && !below.startsWith('//');
    return isBelow ? below : `/${pathname}`;
  }
}

/**
 * The URL that a `Location` names. Headers are read as Latin-1; non-ASCII bytes in this one are nearly always UTF-8,
 * and are encoded once.
 * @returns null for nonsense
 */
export function locationIn(header: string, target: URL): URL | null {
  const bytes = Buffer.from(header, 'latin1');
  const text = bytes.toString('utf8');
  return URL.parse(Buffer.from(text, 'utf8').equals(bytes) ? text : header, target.href);
}
