import type { DroppedFile } from './dropped-files.ts';

/** As for the bundles of apps: anything larger is a mistake, or a trap. */
const mostFiles = 2000;
const mostBytes = 100 * 1024 * 1024;

const endSignature = 0x06054b50;
const entrySignature = 0x02014b50;
const endLength = 22;
const longestComment = 0xffff;

/**
 * The files in a ZIP archive, with their folders. Names that lead outside (`..`) are skipped.
 * @throws Error when it is no archive, is too large, or is compressed in a way that browsers cannot unpack
 */
export async function unzip(archive: Blob): Promise<DroppedFile[]> {
  const bytes = new DataView(await archive.arrayBuffer());
  const files: DroppedFile[] = [];
  let total = 0;
  for (const entry of entriesOf(bytes)) {
    const parts = entry.name.split(/[/\\]/).filter((part) => part !== '' && part !== '.');
    const name = parts.pop();
    if (!name || entry.name.endsWith('/') || parts.includes('..') || name === '..') continue;
    total += entry.size;
    if (files.length >= mostFiles || total > mostBytes) throw new Error('This archive is too large to unpack here.');
    const content = await contentOf(bytes, entry);
    // An archive's own claims cannot be trusted.
    if (content.size !== entry.size) throw new Error('This archive is damaged.');
    files.push({ folders: parts, file: new File([content], name) });
  }
  return files;
}

interface Entry {
  name: string;
  method: number;
  packedSize: number;
  size: number;
  /** Where the file's data begins, after a header of its own. */
  offset: number;
}

function* entriesOf(bytes: DataView<ArrayBuffer>): Generator<Entry> {
  const end = endOf(bytes);
  const count = bytes.getUint16(end + 10, true);
  let at = bytes.getUint32(end + 16, true);
  for (let i = 0; i < count; i++) {
    if (at + 46 > bytes.byteLength || bytes.getUint32(at, true) !== entrySignature) {
      throw new Error('This archive is damaged.');
    }
    const length = bytes.getUint16(at + 28, true);
    yield {
      name: new TextDecoder().decode(new Uint8Array(bytes.buffer, at + 46, length)),
      method: bytes.getUint16(at + 10, true),
      packedSize: bytes.getUint32(at + 20, true),
      size: bytes.getUint32(at + 24, true),
      offset: bytes.getUint32(at + 42, true),
    };
    at += 46 + length + bytes.getUint16(at + 30, true) + bytes.getUint16(at + 32, true);
  }
}

/** The directory is at the end, before a comment of unknown length. */
function endOf(bytes: DataView<ArrayBuffer>): number {
  const first = Math.max(0, bytes.byteLength - endLength - longestComment);
  for (let at = bytes.byteLength - endLength; at >= first; at--) {
    if (bytes.getUint32(at, true) === endSignature) return at;
  }
  throw new Error('This is no ZIP archive.');
}

async function contentOf(bytes: DataView<ArrayBuffer>, { method, packedSize, size, offset }: Entry): Promise<Blob> {
  const start = offset + 30 + bytes.getUint16(offset + 26, true) + bytes.getUint16(offset + 28, true);
  const packed = new Blob([new Uint8Array(bytes.buffer, start, packedSize)]);
  if (method === 0) return packed;
  if (method !== 8) throw new Error('This archive is packed in a way that browsers do not know.');
  const unpacked = packed.stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return new Blob(await upTo(size, unpacked));
}

/** No more than was declared, and a little: a ZIP bomb is abandoned in time. */
async function upTo(size: number, stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<Uint8Array<ArrayBuffer>[]> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for (const reader = stream.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) return pieces;
    pieces.push(value);
    length += value.length;
    if (length > size) {
      await reader.cancel();
      return pieces;
    }
  }
}
