import { createHash, randomBytes } from 'node:crypto';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** The placeholder of a response's nonce in a page and its policy. */
export const nonceMark = '{{nonce}}';

/**
 * A page and its Content-Security-Policy with a nonce of their own (CSP Level 3 §7.1): a script counts as the page's because
 * the page names it, not because of its location. Members' uploads are on the same origin too.
 */
export function withNonce(page: string, policy: string): { page: string; policy: string } {
  const nonce = randomBytes(16).toString('base64');
  return { page: page.replaceAll(nonceMark, nonce), policy: policy.replaceAll(nonceMark, nonce) };
}

/** A file that never changes under its name, in the encodings that browsers accept. */
export interface Asset {
  /** Contains a hash of the bytes, so it never names anything else. */
  name: string;
  type: string;
  bytes: Buffer;
  brotli: Buffer;
  gzip: Buffer;
}

const types: Record<string, string> = { '.js': 'text/javascript; charset=utf-8', '.css': 'text/css; charset=utf-8' };
const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

/** Prepares a file for serving. @param file a name or a path; the extension determines its type */
export async function makeAsset(file: string, bytes: Buffer): Promise<Asset> {
  const { name, ext } = path.parse(file);
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 12);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 6, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  const [brotli, gzipped] = await Promise.all([compressBrotli(bytes, { params }), compressGzip(bytes)]);
  return {
    name: `${name}-${hash}${ext}`,
    type: types[ext] ?? 'application/octet-stream',
    bytes,
    brotli,
    gzip: gzipped,
  };
}

/** A value that is created on first use and cached; after a failure the next caller retries. */
export function madeOnce<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
