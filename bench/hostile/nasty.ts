import { randomBytes } from 'node:crypto';
import JSZip from 'jszip';

/** As large as bodies may be, less what is around them. */
const largest = 2 * 1024 * 1024 - 1000;
const full = (piece: string) => piece.repeat(Math.floor(largest / piece.length));

/** JSON, some of it broken, that takes long to read for its size. */
export const nested = {
  brackets: full('['),
  objects: `${full('{"a":')}`,
  numbers: `[${full('1,').slice(0, -1)}]`,
  keys: `{${Array.from({ length: 120_000 }, (_, i) => `"k${i}":0`).join(',')}}`,
};

/** A form with one file. */
export function form(name: string, bytes: Buffer, fields: Record<string, string> = {}): { type: string; body: Buffer } {
  const boundary = 'of-the-bench';
  const disposition = (field: string) => `--${boundary}\r\nContent-Disposition: form-data; name="${field}"`;
  const before = Object.entries(fields).map(([field, value]) => `${disposition(field)}\r\n\r\n${value}\r\n`);
  const head = `${before.join('')}${disposition('file')}; filename="${name}"\r\n\r\n`;
  const body = Buffer.concat([Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]);
  return { type: `multipart/form-data; boundary=${boundary}`, body };
}

/** A box of the ISO base media format. */
function box(type: string, ...contents: Buffer[]): Buffer {
  const body = Buffer.concat(contents);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(body.length + 8);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, body]);
}

const heicType = box('ftyp', Buffer.from('heic\0\0\0\0mif1heic', 'latin1'));
const size = box('ispe', Buffer.from([0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 4, 0]));

/** A HEIC picture whose sizes are 13 100 boxes, 262 KB. */
export const manySizes = Buffer.concat([
  heicType,
  box('meta', Buffer.alloc(4), box('iprp', box('ipco', ...Array(13_100).fill(size)))),
]);

/** Pictures that have the beginning of one, and then nothing that makes sense. */
export const brokenPictures: Buffer[] = [
  Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe1]), Buffer.from('\xff\xfeExif'.repeat(40_000), 'latin1')]),
  Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(200_000, 0xff)]),
  Buffer.concat([Buffer.from([0xff, 0xd8]), Buffer.from([0xff, 0xe0, 0, 2].concat(Array(100_000).fill(0)))]),
  Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(200_000)]),
  Buffer.concat([Buffer.from('GIF89a', 'latin1'), randomBytes(200_000)]),
  Buffer.concat([Buffer.from('RIFF\0\0\0\0WEBPVP8X', 'latin1'), Buffer.alloc(200_000)]),
  Buffer.concat([Buffer.from('II*\0', 'latin1'), Buffer.from([8, 0, 0, 0, 0xff, 0xff]), Buffer.alloc(200_000, 1)]),
  Buffer.from(`<svg ${'a="" '.repeat(40_000)}`),
  Buffer.concat([heicType, Buffer.alloc(200_000)]),
  Buffer.concat([
    Buffer.from([0, 0, 0, 12, 0x4a, 0x58, 0x4c, 0x20, 0x0d, 0x0a, 0x87, 0x0a]),
    ...Array(9000).fill(size),
  ]),
  Buffer.concat([Buffer.from('icns\0\x03\0\0', 'latin1'), Buffer.alloc(200_000)]),
];

/** Three files of 100 MB of the same byte, in 300 KB. */
export function bomb(): Promise<Buffer> {
  const zeros = Buffer.alloc(100_000_000);
  return zipOf(['index.html', 'a.txt', 'b.txt'].map((name) => [name, zeros]));
}

/** A ZIP file of 2 000 small entries. */
export function manyEntries(): Promise<Buffer> {
  const others = Array.from({ length: 1999 }, (_, i): [string, Buffer] => [
    `folder/${i}.txt`,
    Buffer.from(`entry ${i}`),
  ]);
  return zipOf([['index.html', Buffer.from('<p>')], ...others]);
}

function zipOf(files: [string, Buffer][]): Promise<Buffer> {
  const zip = new JSZip();
  for (const [name, bytes] of files) zip.file(name, bytes);
  return zip.generateAsync({ type: 'nodebuffer', compression: 'DEFLATE' });
}
