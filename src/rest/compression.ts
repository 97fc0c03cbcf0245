import { pipeline, type Readable } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, createBrotliCompress } from 'node:zlib';
import type { Context } from 'koa';
import type { JsonText } from './route.ts';

/** In characters: shorter responses fit into a packet or two, and compressing them only costs time. */
const worthCompressing = 2000;
const compress = promisify(brotliCompress);
/** Lists are repetitive: even the fastest level shrinks them to a fifth or less. */
const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_LGWIN]: 18 } };

/**
 * The response text as the client accepts it: Brotli for those that ask for it, mostly browsers. The token is in a header,
 * so no other site can make a browser send such requests and infer content from the compressed length (BREACH).
 *
 * @param kept holds the text, and its compressed forms so far
 */
export async function compressed(context: Context, text: string, kept?: JsonText): Promise<string | Buffer> {
  if (text.length < worthCompressing) return text;
  context.vary('Accept-Encoding');
  if (context.acceptsEncodings('br', 'identity') !== 'br') return kept?.bytes ?? text;
  context.set('Content-Encoding', 'br');
  if (!kept) return compress(text, options);
  kept.compressed ??= compress(text, options);
  return kept.compressed;
}

/** The same for a streamed text. */
export function compressedPieces(context: Context, text: Readable): Readable {
  context.vary('Accept-Encoding');
  if (context.acceptsEncodings('br', 'identity') !== 'br') return text;
  context.set('Content-Encoding', 'br');
  // The first of the two to end ends the other; a failure breaks the connection.
  return pipeline(text, createBrotliCompress(options), () => {});
}
