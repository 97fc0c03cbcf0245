import { crc32 } from 'node:zlib';

/**
 * The bytes of an entry of a ZIP file as they are unpacked, compared in the end with the sum that the archive has for them.
 * @param damaged what to throw when they differ
 */
export async function* checkedBytes(
  bytes: AsyncIterable<Buffer>,
  entry: { crc32: number },
  damaged: () => Error,
): AsyncGenerator<Buffer> {
  let sum = 0;
  for await (const piece of bytes) {
    sum = crc32(piece, sum);
    yield piece;
  }
  if (sum !== entry.crc32) throw damaged();
}
