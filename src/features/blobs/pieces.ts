import { createHash } from 'node:crypto';

/** A part of an upload. Its bytes are valid until the next one is requested. */
interface Part {
  body: Buffer;
  /** SHA-256 in hex. */
  hash: string;
  isLast: boolean;
}

/**
 * Splits a stream into parts of one size; only the last may be smaller, and it is empty only if there is nothing at all. One
 * buffer serves for all.
 */
export async function* inParts(bytes: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Part> {
  const buffer = Buffer.allocUnsafeSlow(size);
  let filled = 0;
  let hash = createHash('sha256');
  for await (const piece of bytes) {
    for (let at = 0; at < piece.length; ) {
      if (filled === size) {
        yield { body: buffer, hash: hash.digest('hex'), isLast: false };
        hash = createHash('sha256');
        filled = 0;
      }
      const some = piece.subarray(at, at + size - filled);
      buffer.set(some, filled);
      hash.update(some);
      filled += some.length;
      at += some.length;
    }
  }
  yield { body: buffer.subarray(0, filled), hash: hash.digest('hex'), isLast: true };
}

/**
 * Reads the beginning of a stream.
 * @returns `all` of it, the beginning included, to be read to its end, and whether it `isLonger` than `count` bytes
 */
export async function beginning(
  bytes: AsyncIterable<Uint8Array>,
  count: number,
): Promise<{ all: AsyncIterable<Uint8Array>; isLonger: boolean }> {
  const iterator = bytes[Symbol.asyncIterator]();
  const head: Buffer[] = [];
  let size = 0;
  let isOver = false;
  while (size <= count && !isOver) {
    const next = await iterator.next();
    if (next.done) isOver = true;
    else {
      // Whoever sends it may use its buffer again.
      head.push(Buffer.from(next.value));
      size += next.value.length;
    }
  }
  return { all: isOver ? from(head) : continued(head, iterator), isLonger: size > count };
}

async function* from(pieces: Buffer[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

async function* continued(head: Buffer[], iterator: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isOver = false;
  try {
    yield* head.splice(0);
    while (!isOver) {
      const next = await iterator.next();
      if (next.done) isOver = true;
      else yield next.value;
    }
  } finally {
    if (!isOver) await iterator.return?.();
  }
}
