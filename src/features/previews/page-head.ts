import { TextDecoder } from 'node:util';
import { Parser } from 'htmlparser2';
import type { LinkPreview } from '../../contract/link-preview.ts';
import { cut } from '../../contract/schema.ts';
import { isBlank, withoutDirections } from '../../contract/unicode/visible.ts';

/** What is looked for, in the order of preference; each is the `property` or `name` of a meta element. */
const names = {
  siteName: ['og:site_name', 'application-name'],
  title: ['og:title', 'twitter:title'],
  description: ['og:description', 'twitter:description', 'description'],
  image: ['og:image:secure_url', 'og:image:url', 'og:image', 'twitter:image', 'twitter:image:src'],
  card: ['twitter:card'],
};
const wanted = new Set(Object.values(names).flat());
const longest = { siteName: 100, title: 300, description: 500, image: 2048 };
/** Of what is kept while a page is read. */
const maxText = 4096;
/** Heads are shallow, and the parser takes longer with each element that is open. */
const deepest = 64;
/** By then a page must have said its character set (HTML, section 4.2.5.4). */
const prescanBytes = 1024;

/** Reads the head of a page piece by piece, and nothing behind it. */
export class PageHead {
  private readonly found = new Map<string, string>();
  private readonly parser: Parser;
  private readonly charset: string | undefined;
  private decoder: TextDecoder | undefined;
  private first = Buffer.alloc(0);
  private title: string | undefined;
  private isTitle = false;
  private over = false;
  private depth = 0;

  /** @param charset as its host says */
  constructor(charset: string | undefined) {
    this.charset = charset;
    this.parser = new Parser({
      onopentag: (name, attributes) => this.opened(name, attributes),
      ontext: (text) => {
        if (this.isTitle) this.title = ((this.title ?? '') + text).slice(0, maxText);
      },
      onclosetag: (name) => {
        this.depth--;
        if (name === 'title') this.isTitle = false;
        if (name === 'head') this.stop();
      },
    });
  }

  /** Whether the rest does not matter. */
  get isOver(): boolean {
    return this.over;
  }

  write(bytes: Buffer): void {
    if (this.decoder) this.parse(this.decoder.decode(bytes, { stream: true }));
    else this.first = Buffer.concat([this.first, bytes]);
    if (this.first.length >= prescanBytes) this.begin();
  }

  /** @param url of the page @returns null: it says nothing of itself */
  end(url: URL): Omit<LinkPreview, 'url'> | null {
    if (!this.decoder) this.begin();
    const title = this.text('title') ?? this.shown(this.title, longest.title);
    const description = this.text('description');
    const imageUrl = this.imageUrl(url);
    if (title === null && description === null && imageUrl === null) return null;
    const isLarge = imageUrl !== null && this.said('card')?.trim().toLowerCase() === 'summary_large_image';
    return { siteName: this.text('siteName'), title, description, imageUrl, isLarge };
  }

  private begin(): void {
    this.decoder = new TextDecoder(charsetOf(this.first, this.charset));
    this.parse(this.decoder.decode(this.first, { stream: true }));
    this.first = Buffer.alloc(0);
  }

  private parse(text: string): void {
    if (!this.over) this.parser.write(text);
  }

  private opened(name: string, attributes: Record<string, string>): void {
    if (this.over) return;
    if (name === 'body' || ++this.depth > deepest) this.stop();
    if (name === 'title') this.isTitle = this.title === undefined;
    if (name !== 'meta') return;
    const key = (attributes.property ?? attributes.name ?? '').trim().toLowerCase();
    const { content } = attributes;
    if (content && wanted.has(key) && !this.found.has(key)) this.found.set(key, content.slice(0, maxText));
  }

  private stop(): void {
    this.over = true;
    this.parser.pause();
  }

  private said(what: keyof typeof names): string | undefined {
    return names[what].map((name) => this.found.get(name)).find((text) => text !== undefined && !isBlank(text));
  }

  private text(what: 'siteName' | 'title' | 'description'): string | null {
    return this.shown(this.said(what), longest[what]);
  }

  /** In one line, without what would turn or hide the text around it. */
  private shown(text: string | undefined, max: number): string | null {
    const line = withoutDirections((text ?? '').toWellFormed().replace(/\p{Cc}/gu, ' '))
      .replace(/\s+/g, ' ')
      .trim();
    return isBlank(line) ? null : cut(line, max);
  }

  private imageUrl(page: URL): string | null {
    const url = URL.parse(this.said('image') ?? '', page.href);
    return this.said('image') === undefined || !url ? null : pictureAddress(url);
  }
}

/** @returns null: it is not shown as a picture's */
export function pictureAddress(url: URL): string | null {
  const isWeb = (url.protocol === 'https:' || url.protocol === 'http:') && !url.username && !url.password;
  return isWeb && url.href.length <= longest.image ? url.href : null;
}

/** A byte order mark, what the host says, what the page says, or UTF-8. */
function charsetOf(first: Buffer, said: string | undefined): string {
  if (first[0] === 0xfe && first[1] === 0xff) return 'utf-16be';
  if (first[0] === 0xff && first[1] === 0xfe) return 'utf-16le';
  if (said && isCharset(said)) return said;
  const head = first.subarray(0, prescanBytes).toString('latin1');
  const [, own = ''] = /<meta[^>]{0,200}?charset\s{0,9}=\s{0,9}["']?\s{0,9}([\w:-]{1,40})/i.exec(head) ?? [];
  // Else the page could not have been read up to here.
  return isCharset(own) && !/^utf-?16/i.test(own) ? own : 'utf-8';
}

function isCharset(label: string): boolean {
  try {
    return new TextDecoder(label).encoding !== '';
  } catch {
    return false;
  }
}
