import { once } from 'node:events';
import { Readable } from 'node:stream';
import type { Context } from 'koa';
import type { z } from 'zod';
import type { assetHeaders, contentHeaders } from '../contract/call.ts';
import type { Asset } from '../infrastructure/asset.ts';
import type { ByteRange, ServedContent } from '../infrastructure/served-content.ts';
import { RawReply } from './route.ts';

/** Content, which the client may be sent elsewhere for. */
class ContentReply extends RawReply {
  readonly location: string | undefined;

  constructor(location: string | undefined, ...reply: ConstructorParameters<typeof RawReply>) {
    super(...reply);
    this.location = location;
  }
}

/** Answers with content, or with the requested range of it: 200, 206, 304 or 416 (RFC 9110). */
export function contentReply(content: ServedContent, asked: z.output<typeof contentHeaders>): RawReply {
  const etag = `"${content.etag}"`;
  const headers = { ...content.headers, ETag: etag, 'Accept-Ranges': 'bytes', 'X-Content-Type-Options': 'nosniff' };
  if (matches(asked['if-none-match'], etag)) return new RawReply(304, headers);
  const wanted = asked['if-range'] === undefined || asked['if-range'] === etag ? asked.range : undefined;
  const range = wanted === undefined ? undefined : rangeOf(wanted, content.size);
  if (range === 'none') return new RawReply(416, { ...headers, 'Content-Range': `bytes */${content.size}` });
  const { location } = content;
  if (!range) {
    const whole = { ...headers, 'Content-Length': String(content.size) };
    return new ContentReply(location, 200, whole, content.read());
  }
  const part = {
    'Content-Range': `bytes ${range.start}-${range.end}/${content.size}`,
    'Content-Length': String(range.end - range.start + 1),
  };
  return new ContentReply(location, 206, { ...headers, ...part }, content.read(range));
}

function matches(condition: string | undefined, etag: string): boolean {
  if (condition === undefined) return false;
  const known = condition.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return known.includes('*') || known.includes(etag);
}

/** @returns undefined: not a single range, so it is ignored; `none`: not satisfiable */
function rangeOf(header: string, size: number): ByteRange | 'none' | undefined {
  const match = /^bytes=(\d*)-(\d*)$/i.exec(header.trim());
  if (!match || (match[1] === '' && match[2] === '')) return undefined;
  const [from, to] = [match[1] ?? '', match[2] ?? ''];
  if (from === '') {
    const length = Math.min(Number(to), size);
    return length === 0 ? 'none' : { start: size - length, end: size - 1 };
  }
  const range = { start: Number(from), end: Math.min(to === '' ? size - 1 : Number(to), size - 1) };
  if (to !== '' && Number(to) < range.start) return undefined;
  return range.start >= size ? 'none' : range;
}

/** For a file whose name contains its hash: its content never changes. */
const forever = 'max-age=31536000, immutable';

/** Answers with a file in the smallest encoding that the client accepts. @param keep `Cache-Control`, beside `public` */
export function assetReply(asset: Asset, asked: z.output<typeof assetHeaders>, keep = forever): RawReply {
  const accepted = asked['accept-encoding'] ?? '';
  const headers = {
    'Content-Type': asset.type,
    'Cache-Control': `public, ${keep}`,
    Vary: 'Accept-Encoding',
  };
  if (/\bbr\b/.test(accepted)) return new RawReply(200, { ...headers, 'Content-Encoding': 'br' }, asset.brotli);
  if (/\bgzip\b/.test(accepted)) return new RawReply(200, { ...headers, 'Content-Encoding': 'gzip' }, asset.gzip);
  return new RawReply(200, headers, asset.bytes);
}

/** Sends a reply as it is. @throws what the read of its content throws, before anything is sent */
export async function sendRaw(context: Context, reply: RawReply): Promise<void> {
  if (reply instanceof ContentReply && context.method === 'GET' && (await sendElsewhere(context, reply))) return;
  context.status = reply.status;
  for (const [name, value] of Object.entries(reply.headers)) {
    if (value === null) context.remove(name);
    else context.set(name, value);
  }
  // Koa turns null into a 204.
  context.body = reply.body ?? '';
}

/**
 * Sends the client to where the bytes are, or waits for the first of them, so that a store that is away makes an error, not
 * an answer that breaks off. @throws what the read of the content throws
 */
async function sendElsewhere(context: Context, { location, body }: ContentReply): Promise<boolean> {
  if (!(body instanceof Readable)) return false;
  if (location === undefined) {
    await once(body, 'readable');
    return false;
  }
  body.destroy();
  context.set('Cache-Control', 'private, no-store');
  context.status = 302;
  context.set('Location', location);
  context.body = '';
  return true;
}
