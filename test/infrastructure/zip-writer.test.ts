// nodes: own

import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { crc32, inflateRawSync } from 'node:zlib';
import { expect } from 'chai';
import { type ZipEntry, zipBytes } from '../../src/infrastructure/zip-writer.ts';
import { findProgram } from '../rig/debian-program.ts';

const run = promisify(execFile);
const time = new Date('2026-02-03T04:05:06Z');
const folder = (path: string): ZipEntry => ({ path, time, mode: 0o040755, content: null, level: 0 });
const file = (path: string, content: ZipEntry['content'], level = 6): ZipEntry => ({
  path,
  time,
  mode: 0o100644,
  content,
  level,
});

async function* pieces(...contents: Buffer[]): AsyncGenerator<Buffer> {
  yield* contents;
}

const noise = randomBytes(200_000);
const prose = Buffer.from('words and words '.repeat(1000));
/** Every kind of content there is. */
const everything = (): ZipEntry[] => [
  folder('größe/'),
  file('größe/empty', Buffer.alloc(0)),
  file('größe/nothing', pieces(), 1),
  file('größe/prose 文.txt', prose),
  file('größe/noise', noise, 1),
  file('größe/streamed noise', pieces(noise, noise), 1),
  file('größe/streamed prose', pieces(prose, prose)),
];

/** What a reader gets that sees the bytes once, from the first to the last, and trusts no more than the headers. */
function readInOrder(archive: Buffer): Map<string, Buffer> {
  const found = new Map<string, Buffer>();
  for (let at = 0; archive.readUInt32LE(at) === 0x04034b50; ) {
    const [flags, method] = [archive.readUInt16LE(at + 6), archive.readUInt16LE(at + 8)];
    const [length, extra] = [archive.readUInt16LE(at + 26), archive.readUInt16LE(at + 28)];
    const name = archive.toString('utf8', at + 30, at + 30 + length);
    const start = at + 30 + length + extra;
    expect(flags & 0x0800, `${name} is marked as UTF-8`).to.equal(0x0800);
    const isOpen = (flags & 0x0008) !== 0;
    // Stored data of unknown size ends nowhere.
    expect(isOpen && method === 0, `${name} shows where it ends`).to.equal(false);
    const { content, end } = contentAt(archive, start, method, archive.readUInt32LE(at + 18));
    const sum = archive.readUInt32LE(isOpen ? end + 4 : at + 14);
    expect(crc32(content), name).to.equal(sum);
    found.set(name, content);
    at = end + (isOpen ? 16 : 0);
  }
  return found;
}

function contentAt(archive: Buffer, start: number, method: number, packed: number) {
  if (method === 0) return { content: archive.subarray(start, start + packed), end: start + packed };
  const { buffer, engine } = inflateRawSync(archive.subarray(start), { info: true }) as unknown as {
    buffer: Buffer;
    engine: { bytesWritten: number };
  };
  return { content: buffer, end: start + engine.bytesWritten };
}

describe('an archive as it is written', () => {
  let home: string;
  before(async () => {
    home = await mkdtemp(path.join(tmpdir(), 'parley-zip-'));
  });
  after(() => rm(home, { recursive: true }));

  it('can be read from its beginning, without its list', async () => {
    const found = readInOrder(await buffer(zipBytes(everything())));
    expect([...found.keys()]).to.deep.equal(everything().map((entry) => entry.path));
    expect(found.get('größe/noise')?.equals(noise)).to.equal(true);
    expect(found.get('größe/streamed noise')?.equals(Buffer.concat([noise, noise]))).to.equal(true);
    expect(found.get('größe/prose 文.txt')?.equals(prose)).to.equal(true);
    expect(found.get('größe/streamed prose')?.length).to.equal(2 * prose.length);
    expect(found.get('größe/nothing')?.length).to.equal(0);
  });

  it('is sound to unzip and 7-Zip, also with more entries than the format had room for at first', async () => {
    const unzip = await findProgram({ package: 'unzip', file: 'usr/bin/unzip', versionFlag: '-v' });
    const sevenZip = await findProgram({ package: 'p7zip-full', file: 'usr/lib/p7zip/7z', versionFlag: 'i' });
    const many = Array.from({ length: 66_000 }, (_, i) => file(`${i}`, Buffer.alloc(0)));
    for (const [name, entries] of [
      ['few', everything()],
      ['many', [...many, ...everything()]],
    ] as const) {
      const archive = path.join(home, `${name}.zip`);
      await pipeline(zipBytes(entries), createWriteStream(archive));
      await run(unzip.command, ['-tq', archive], { env: unzip.env });
      const { stdout } = await run(sevenZip.command, ['t', archive], { env: sevenZip.env });
      expect(stdout)
        .to.match(/Everything is Ok/)
        .and.match(new RegExp(`Files: ${entries.length - 1}\n`));
    }
  });

  it('lets others have their turn every few entries, and at its end', async () => {
    let turn = 0;
    let ticking = true;
    const tick = () => {
      turn++;
      if (ticking) setImmediate(tick);
    };
    tick();
    const entriesIn = new Map<number, number>();
    const bytesIn = new Map<number, number>();
    function* counted() {
      for (let i = 0; i < 20_000; i++) {
        entriesIn.set(turn, (entriesIn.get(turn) ?? 0) + 1);
        yield file(`folder/${i}`, Buffer.alloc(0));
      }
    }
    for await (const piece of zipBytes(counted())) bytesIn.set(turn, (bytesIn.get(turn) ?? 0) + piece.length);
    ticking = false;
    expect(Math.max(...entriesIn.values())).to.be.at.most(101);
    expect(Math.max(...bytesIn.values())).to.be.at.most(160 * 1024);
  });

  it('reads nothing more when its reader goes away', async () => {
    let read = 0;
    let isClosed = false;
    async function* endless(): AsyncGenerator<Buffer> {
      try {
        for (;;) {
          read++;
          yield randomBytes(64 * 1024);
        }
      } finally {
        isClosed = true;
      }
    }
    const archive = zipBytes([file('endless', endless(), 1)]);
    for (let i = 0; i < 5; i++) await archive.next();
    await archive.return(undefined);
    const before = read;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(isClosed).to.equal(true);
    expect(read).to.equal(before);
  });

  it('ends with what went wrong with a content', async () => {
    async function* broken(): AsyncGenerator<Buffer> {
      yield prose;
      throw new Error('The blob is gone.');
    }
    const failure = await buffer(zipBytes([file('broken', broken())])).catch((error) => error);
    expect(failure).to.have.property('message', 'The blob is gone.');
  });
});
