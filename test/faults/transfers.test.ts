// nodes: own
// alone

import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { isLong } from '../rig/long.ts';
import { createDatabase, type TestDatabase } from '../rig/postgres.ts';
import { NodeProcess, siteEnvironment } from '../world/node-process.ts';
import { query } from '../world/sql.ts';

const mebibyte = 1024 * 1024;
const allowanceMiB = 40;
/** More than is allowed: whoever held it all is found out. */
const sizeMiB = isLong ? 100 : 60;
const sizeBytes = sizeMiB * mebibyte;

/** Bytes that cannot be compressed and that nobody has to hold at once. */
async function* noise(hash = createHash('sha256')) {
  const piece = randomBytes(mebibyte);
  for (let i = 0; i < sizeBytes / mebibyte; i++) {
    piece.writeUInt32LE(i);
    hash.update(piece);
    yield Buffer.from(piece);
  }
}

/** A form with one file, as a stream. */
async function* form(boundary: string, bytes: AsyncIterable<Buffer>) {
  yield Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="large.bin"\r\n\r\n`);
  yield* bytes;
  yield Buffer.from(`\r\n--${boundary}--\r\n`);
}

describe('large transfers', () => {
  let place: TestDatabase;
  let dataDir: string;
  let node: NodeProcess;
  let token: string;
  let base: string;
  before(async () => {
    place = await createDatabase();
    dataDir = mkdtempSync(path.join(tmpdir(), 'parley-transfers-'));
    node = await NodeProcess.start(siteEnvironment(place.url, null, dataDir));
    const account = { email: 'a@example.com', password: 'correct horse', username: 'alice' };
    token = (await call('POST', '/api/auth/register', account)).accessToken;
    // Who has proven no address may store less than this.
    await query(place.url, 'UPDATE users SET email_verified_at = now()', []);
    const server = await call('POST', '/api/servers', { name: 'Home' });
    base = `/api/servers/${server.id}/workspace`;
    // What a process needs for its first requests is no part of a transfer.
    for (let i = 0; i < 30; i++)
      await call('POST', `${base}/files`, { name: 'warm.txt', content: 'x'.repeat(100_000) });
    for (let i = 0; i < 5; i++) await drain(`${base}/download`);
  });
  after(async () => {
    await node.stop();
    await place.drop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  async function call(method: string, path: string, body?: object) {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const response = await fetch(`${node.url}${path}`, { method, headers, body: JSON.stringify(body) });
    return JSON.parse(await response.text());
  }

  async function drain(path: string) {
    const response = await fetch(`${node.url}${path}`, { headers: { authorization: `Bearer ${token}` } });
    const hash = createHash('sha256');
    let size = 0;
    for await (const piece of response.body ?? []) {
      hash.update(piece);
      size += piece.length;
    }
    return { size, hash: hash.digest('hex') };
  }

  /** By how many MiB the process grew at most while something was done. */
  async function growth<T>(work: () => Promise<T>): Promise<{ result: T; grown: number }> {
    const before = node.memory;
    let peak = before;
    const watch = setInterval(() => {
      peak = Math.max(peak, node.memory);
    }, 10);
    const result = await work().finally(() => clearInterval(watch));
    return { result, grown: Math.max(peak, node.memory) - before };
  }

  /** The collector takes its time, which only ever adds: what was held would be there at each of several tries. */
  async function leastGrowth<T>(work: () => Promise<T>): Promise<{ result: T; grown: number }> {
    let least = await growth(work);
    for (let tries = 1; tries < 3 && least.grown >= allowanceMiB; tries++) {
      const next = await growth(work);
      if (next.grown < least.grown) least = next;
    }
    return least;
  }

  it(`of ${sizeMiB} MiB pass through without being held in memory`, async () => {
    let sent = createHash('sha256');
    const upload = await leastGrowth(async () => {
      sent = createHash('sha256');
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'multipart/form-data; boundary=XX' };
      const body = ReadableStream.from(form('XX', noise(sent)));
      const init = { method: 'POST', headers, body, duplex: 'half' as const };
      const response = await fetch(`${node.url}${base}/upload`, init);
      return JSON.parse(await response.text());
    });
    expect(upload.result.sizeBytes, JSON.stringify(upload.result)).to.equal(sizeBytes);
    expect(upload.grown, 'MiB for the upload').to.be.lessThan(allowanceMiB);

    const download = await leastGrowth(() => drain(`${base}/files/${upload.result.id}/download`));
    expect(download.result).to.deep.equal({ size: sizeBytes, hash: sent.digest('hex') });
    expect(download.grown, 'MiB for the download').to.be.lessThan(allowanceMiB);

    const archive = await leastGrowth(() => drain(`${base}/download`));
    expect(archive.result.size).to.be.greaterThan(sizeBytes);
    expect(archive.grown, 'MiB for the archive').to.be.lessThan(allowanceMiB);
  });
});
