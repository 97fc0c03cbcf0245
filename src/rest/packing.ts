import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import type { Context } from 'koa';

/** In characters: what is shorter fits into a packet or two, and would only take time. */
const worthPacking = 2000;
const pack = promisify(brotliCompress);
/** Lists say much the same over and over: already the quickest way makes a fifth of them, or less. */
const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_LGWIN]: 18 } };

/**
 * The text of an answer in the form in which its client takes it: Brotli for those who ask for that, which are browsers
 * before all others. Who asks shows a token in a header, so no other site can have them ask, and learn from the
 * lengths what the answers say.
 */
export async function packed(context: Context, text: string): Promise<string | Buffer> {
  if (text.length < worthPacking) return text;
  context.vary('Accept-Encoding');
  if (context.acceptsEncodings('br', 'identity') !== 'br') return text;
  context.set('Content-Encoding', 'br');
  return pack(text, options);
}
