import { crc32 } from 'node:zlib';

/**
 * The bytes of a ZIP entry as they are unpacked, finally checked against the archive's checksum.
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
