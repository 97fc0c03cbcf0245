import { pipeline } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { crc32, createDeflateRaw, deflateRaw } from 'node:zlib';

/** A folder or file of an archive. */
export interface ZipEntry {
  /** With `/` between its parts, nothing that leads outside; that of a folder ends with one. */
  path: string;
  time: Date;
  /** Unix type and permissions. */
  mode: number;
  /** None for folders. Content in memory is best given whole: its size is known beforehand then. */
  content: Buffer | AsyncIterable<Buffer> | null;
  /** 0 to 9, as for zlib: 1 for content that is compressed already. */
  level: number;
}

const deflated = promisify(deflateRaw);

/** After this much of an archive it yields to other requests. An entry has up to four pieces. */
const perTurn = { bytes: 64 * 1024, pieces: 100 };
/** Smaller contents gain less than the work costs. */
const worthDeflating = 128;
const stored = 0;
const deflate = 8;
/** Names are UTF-8. */
const utf8 = 0x0800;
/** Checksum and sizes follow the data. */
const descriptor = 0x0008;
/** Larger numbers are in the fields of ZIP64. */
const most16 = 0xffff;
const most32 = 0xffffffff;
const plainVersion = 20;
const zip64Version = 45;
const unix = 3 << 8;

/** An entry whose data has been written. */
interface Written {
  entry: ZipEntry;
  name: Buffer;
  flags: number;
  method: number;
  crc: number;
  packed: number;
  size: number;
  offset: number;
}

/**
 * Streams an archive of its entries, one after the other (APPNOTE.TXT 6.3.10, ZIP64 where it is large). It holds only
 * the list for the archive's end, in its final form. Contents of unknown size are always deflated: deflated data marks
 * its own end, so readers find it before they have seen the list.
 */
export function zipBytes(entries: AsyncIterable<ZipEntry> | Iterable<ZipEntry>): AsyncGenerator<Buffer> {
  return inTurns(new ZipWriter().write(entries));
}

/** Joins small pieces, and yields to other requests: a reader that is always ready would never wait. */
async function* inTurns(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let size = 0;
  for await (const piece of pieces) {
    held.push(piece);
    size += piece.length;
    if (size < perTurn.bytes && held.length < perTurn.pieces) continue;
    yield Buffer.concat(held);
    held = [];
    size = 0;
    await nextTurn();
  }
  if (size > 0) yield Buffer.concat(held);
}

class ZipWriter {
  private offset = 0;
  private count = 0;
  /** The list for the end: large pieces, then the small ones since the last of them. */
  private readonly list: Buffer[] = [];
  private latest: Buffer[] = [];

  async *write(entries: AsyncIterable<ZipEntry> | Iterable<ZipEntry>): AsyncGenerator<Buffer> {
    for await (const entry of entries) {
      const written = yield* this.entry(entry);
      this.latest.push(listed(written));
      this.count++;
      if (this.latest.length >= perTurn.pieces) this.join();
    }
    this.join();
    const start = this.offset;
    for (const piece of this.list) yield this.passed(piece);
    yield ending(this.count, start, this.offset - start);
  }

  private join(): void {
    this.list.push(Buffer.concat(this.latest));
    this.latest = [];
  }

  private passed(piece: Buffer): Buffer {
    this.offset += piece.length;
    return piece;
  }

  private async *entry(entry: ZipEntry): AsyncGenerator<Buffer, Written> {
    const name = Buffer.from(entry.path);
    if (name.length > most16) throw new RangeError('A path in an archive can have at most 65535 bytes.');
    const { content } = entry;
    const begun = { entry, name, offset: this.offset, crc: 0, packed: 0, size: 0 };
    if (content === null || Buffer.isBuffer(content)) {
      const { method, data } = await packed(content ?? Buffer.alloc(0), entry.level);
      const sizes = { crc: content ? crc32(content) : 0, packed: data.length, size: content?.length ?? 0 };
      const written = { ...begun, ...sizes, flags: utf8, method };
      yield this.passed(header(written));
      if (data.length > 0) yield this.passed(data);
      return written;
    }
    const written = { ...begun, flags: utf8 | descriptor, method: deflate };
    yield this.passed(header(written));
    const stream = createDeflateRaw({ level: entry.level });
    const source = async function* () {
      for await (const piece of content) {
        written.crc = crc32(piece, written.crc);
        written.size += piece.length;
        yield piece;
      }
    };
    // A failure of the source is thrown by the stream that is read here.
    pipeline(source, stream).catch(() => {});
    for await (const piece of stream) {
      written.packed += piece.length;
      yield this.passed(piece);
    }
    yield this.passed(sizesOf(written));
    return written;
  }
}

/** Deflated or stored, whichever is smaller. */
async function packed(content: Buffer, level: number): Promise<{ method: number; data: Buffer }> {
  if (content.length < worthDeflating || level === 0) return { method: stored, data: content };
  const data = await deflated(content, { level });
  return data.length < content.length ? { method: deflate, data } : { method: stored, data: content };
}

function header(written: Written): Buffer {
  const bytes = Buffer.alloc(30);
  bytes.writeUInt32LE(0x04034b50, 0);
  bytes.writeUInt16LE(plainVersion, 4);
  writeFields(bytes, 6, written);
  const extra = timeField(written.entry.time);
  bytes.writeUInt16LE(extra.length, 28);
  return Buffer.concat([bytes, written.name, extra]);
}

/** The fields that the data's header and the list have in common. */
function writeFields(bytes: Buffer, at: number, { entry, name, flags, method, crc, packed, size }: Written): void {
  bytes.writeUInt16LE(flags, at);
  bytes.writeUInt16LE(method, at + 2);
  const { date, time } = dosTime(entry.time);
  bytes.writeUInt16LE(time, at + 4);
  bytes.writeUInt16LE(date, at + 6);
  bytes.writeUInt32LE(crc, at + 8);
  bytes.writeUInt32LE(Math.min(packed, most32), at + 12);
  bytes.writeUInt32LE(Math.min(size, most32), at + 16);
  bytes.writeUInt16LE(name.length, at + 20);
}

/** Checksum and sizes after the data; in 8 bytes each where 4 are too few, as readers expect them then. */
function sizesOf({ crc, packed, size }: Written): Buffer {
  const isLarge = Math.max(packed, size) >= most32;
  const bytes = Buffer.alloc(isLarge ? 24 : 16);
  bytes.writeUInt32LE(0x08074b50, 0);
  bytes.writeUInt32LE(crc, 4);
  if (isLarge) {
    bytes.writeBigUInt64LE(BigInt(packed), 8);
    bytes.writeBigUInt64LE(BigInt(size), 16);
  } else {
    bytes.writeUInt32LE(packed, 8);
    bytes.writeUInt32LE(size, 12);
  }
  return bytes;
}

/** An entry of the list at the end. */
function listed(written: Written): Buffer {
  const { entry, name, packed, size, offset } = written;
  const isLarge = Math.max(packed, size, offset) >= most32;
  const extra = Buffer.concat([timeField(entry.time), isLarge ? zip64Field([size, packed, offset]) : Buffer.alloc(0)]);
  const bytes = Buffer.alloc(46);
  bytes.writeUInt32LE(0x02014b50, 0);
  bytes.writeUInt16LE(unix | (isLarge ? zip64Version : plainVersion), 4);
  bytes.writeUInt16LE(isLarge ? zip64Version : plainVersion, 6);
  writeFields(bytes, 8, isLarge ? { ...written, packed: most32, size: most32 } : written);
  bytes.writeUInt16LE(extra.length, 30);
  const isFolder = entry.path.endsWith('/');
  bytes.writeUInt32LE(((entry.mode << 16) | (isFolder ? 0x10 : 0)) >>> 0, 38);
  bytes.writeUInt32LE(isLarge ? most32 : offset, 42);
  return Buffer.concat([bytes, name, extra]);
}

/** All three, so that their headers have 0xffffffff for all three. */
function zip64Field(values: number[]): Buffer {
  const bytes = Buffer.alloc(4 + 8 * values.length);
  bytes.writeUInt16LE(0x0001, 0);
  bytes.writeUInt16LE(8 * values.length, 2);
  for (const [index, value] of values.entries()) bytes.writeBigUInt64LE(BigInt(value), 4 + 8 * index);
  return bytes;
}

/** The time of the last change in seconds since 1970 (Info-ZIP): the other one has no time zone. */
function timeField(time: Date): Buffer {
  const bytes = Buffer.alloc(9);
  bytes.writeUInt16LE(0x5455, 0);
  bytes.writeUInt16LE(5, 2);
  bytes.writeUInt8(1, 4);
  bytes.writeInt32LE(Math.trunc(Math.min(time.getTime() / 1000, 0x7fffffff)), 5);
  return bytes;
}

/** In UTC, in steps of two seconds, from 1980 to 2107. */
function dosTime(time: Date): { date: number; time: number } {
  const year = Math.min(Math.max(time.getUTCFullYear() - 1980, 0), 127);
  return {
    date: (year << 9) | ((time.getUTCMonth() + 1) << 5) | time.getUTCDate(),
    time: (time.getUTCHours() << 11) | (time.getUTCMinutes() << 5) | (time.getUTCSeconds() >> 1),
  };
}

function ending(count: number, start: number, size: number): Buffer {
  const bytes = Buffer.alloc(22);
  bytes.writeUInt32LE(0x06054b50, 0);
  bytes.writeUInt16LE(Math.min(count, most16), 8);
  bytes.writeUInt16LE(Math.min(count, most16), 10);
  bytes.writeUInt32LE(Math.min(size, most32), 12);
  bytes.writeUInt32LE(Math.min(start, most32), 16);
  if (count < most16 && size < most32 && start < most32) return bytes;
  const large = Buffer.alloc(76);
  large.writeUInt32LE(0x06064b50, 0);
  large.writeBigUInt64LE(44n, 4);
  large.writeUInt16LE(unix | zip64Version, 12);
  large.writeUInt16LE(zip64Version, 14);
  large.writeBigUInt64LE(BigInt(count), 24);
  large.writeBigUInt64LE(BigInt(count), 32);
  large.writeBigUInt64LE(BigInt(size), 40);
  large.writeBigUInt64LE(BigInt(start), 48);
  large.writeUInt32LE(0x07064b50, 56);
  large.writeBigUInt64LE(BigInt(start + size), 64);
  large.writeUInt32LE(1, 72);
  return Buffer.concat([large, bytes]);
}

/**
 * The bytes of a ZIP entry as they are unpacked, finally checked against the archive's checksum.
 * @param damaged the error to throw when they differ
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
