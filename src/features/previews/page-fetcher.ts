import type { Dispatcher } from 'undici';
import type { LinkPreview } from '../../contract/link-preview.ts';
import type { Outgoing } from '../../infrastructure/outgoing.ts';
import type { Settings } from '../../settings/settings.ts';
import { PageHead, pictureAddress } from './page-head.ts';

const maxRedirects = 4;
/** Nothing here says who posted the link, nor where. */
const headers = {
  accept: 'text/html,application/xhtml+xml;q=0.9',
  // What is packed could become any size.
  'accept-encoding': 'identity',
  'user-agent': 'Mozilla/5.0 (compatible; Parley-Previews; link preview bot)',
};
const page = /^(text\/html|application\/xhtml\+xml)\s*(;|$)/i;
const picture = /^image\/(png|jpeg|gif|webp|avif)\s*(;|$)/i;

interface Deps {
  outgoing: Outgoing;
  settings: Pick<Settings, 'previews'>;
}

/** Fetches what pages say of themselves: only what is public, of every redirect, and no more than their heads. */
export class PageFetcher {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /**
   * @param over ends it early
   * @returns null: there is nothing to show of the page
   * @throws Error where it cannot be fetched; AppError UNSAFE_URL where it may not be
   */
  async fetch(address: string, over: AbortSignal): Promise<LinkPreview | null> {
    const signal = AbortSignal.any([AbortSignal.timeout(this.deps.settings.previews.timeoutMs), over]);
    let url = new URL(address);
    for (let hops = 0; hops <= maxRedirects; hops++) {
      const answer = await this.deps.outgoing.request(url, { method: 'GET', headers, signal }, { plain: true });
      try {
        const { location } = answer.headers;
        const isRedirect = answer.statusCode >= 300 && answer.statusCode < 400 && typeof location === 'string';
        if (!isRedirect) return await this.read(answer, address, url);
        url = new URL(location, url);
      } finally {
        discard(answer);
      }
    }
    throw new Error('There are too many redirects.');
  }

  private async read(answer: Dispatcher.ResponseData, address: string, url: URL): Promise<LinkPreview | null> {
    if (answer.statusCode >= 500 || answer.statusCode === 429) throw new Error(`It answered ${answer.statusCode}.`);
    const type = String(answer.headers['content-type'] ?? '');
    const encoding = String(answer.headers['content-encoding'] ?? 'identity');
    if (answer.statusCode !== 200 || encoding.toLowerCase() !== 'identity') return null;
    if (picture.test(type)) {
      const imageUrl = pictureAddress(url);
      return imageUrl === null
        ? null
        : { url: address, siteName: null, title: null, description: null, imageUrl, isLarge: true };
    }
    if (!page.test(type)) return null;
    const [, charset] = /charset\s*=\s*["']?([\w:-]{1,40})/i.exec(type) ?? [];
    const said = (await this.head(answer, charset)).end(url);
    return said && { url: address, ...said };
  }

  private async head(answer: Dispatcher.ResponseData, charset: string | undefined): Promise<PageHead> {
    const head = new PageHead(charset);
    let left = this.deps.settings.previews.maxBytes;
    for await (const piece of answer.body) {
      const bytes: Buffer = piece;
      head.write(bytes.subarray(0, left));
      left -= bytes.length;
      if (head.isOver || left <= 0) break;
    }
    return head;
  }
}

/** The rest of its body does not matter, nor whether it ever ends. */
function discard({ body }: Dispatcher.ResponseData): void {
  body.on('error', () => {});
  body.destroy();
}
