// nodes: own
// long

import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { atEnd } from '../rig/ending.ts';
import { createDatabase, type TestDatabase } from '../rig/postgres.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { type Outcome, parley } from '../world/operator.ts';
import { withRows } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'parley-transfer-'));
atEnd(() => rmSync(folder, { recursive: true, force: true }));
const messages = 20_000;
const files = 1;
const fileMiB = 128;
/**
 * A process takes 200 MiB for a server with nothing in it. Left alone V8 lets garbage lie for as long as the machine has
 * memory; with a heap of this size it shows what is really held, and there is not room for a file beside that. Its young
 * part is small too: it would leave so little for the old one that the collector did nothing but search that.
 */
const smallHeap = '--max-old-space-size=96 --max-semi-space-size=4';
const enoughMiB = 300;

describe('a large server that moves', function () {
  this.timeout(300_000);
  let old: Cluster;
  let here: World;
  const places: TestDatabase[] = [];
  before(async () => {
    old = await startCluster({ nodes: 1 });
    here = await world(old);
  });
  after(() => Promise.all([old.stop(), ...places.map((place) => place.drop())]));

  const operator = async (databaseUrl: string, ...args: string[]): Promise<Outcome> => {
    const outcome = await parley({ DATABASE_URL: databaseUrl, DATA_DIR: folder, NODE_OPTIONS: smallHeap }, args);
    expect([outcome.code, outcome.complaint]).to.deep.equal([0, '']);
    return outcome;
  };
  const leave = async (): Promise<Outcome & { file: string }> => {
    const file = path.join(folder, 'large.zip');
    return { ...(await operator(old.databaseUrl, 'export', here.server.id, '--out', file)), file };
  };
  const arrive = async (file: string): Promise<Outcome & { url: string }> => {
    const place = await createDatabase();
    places.push(place);
    return { ...(await operator(place.url, 'import', file)), url: place.url };
  };

  it(`passes through memory: ${messages} messages and ${files} files of ${fileMiB} MiB`, async () => {
    await say(old.databaseUrl, here);
    for (let count = 0; count < files; count++) await attach(old.databaseUrl, here);
    const exported = await leave();
    expect(exported.out).to.contain(`${messages} messages, ${files} files`);
    expect(statSync(exported.file).size).to.be.greaterThan(files * fileMiB * 1024 * 1024);
    expect(exported.peak, 'MiB for the export').to.be.lessThan(enoughMiB);
    const imported = await arrive(exported.file);
    expect(imported.out).to.contain(`${messages} messages, ${files} files`);
    expect(imported.peak, 'MiB for the import').to.be.lessThan(enoughMiB);
    expect(await sums(imported.url)).to.deep.equal(await sums(old.databaseUrl));
  });
});

/** Messages that would take minutes through the doors. */
async function say(databaseUrl: string, { channel, alice }: World): Promise<void> {
  await withRows(databaseUrl, async (rows) => {
    await rows(
      `INSERT INTO messages (id, channel_id, seq, author_id, content, created_at, updated_at)
       SELECT gen_random_uuid(), $1, n + 100, $2, 'message ' || n || repeat(' and more', n % 40), now(), now()
       FROM generate_series(1, ${messages}) AS n`,
      [channel.id, alice.id],
    );
    await rows('UPDATE streams SET last_seq = $2 WHERE id = $1', [channel.id, messages + 100]);
  });
}

/** A file that cannot be compressed, at some message. */
async function attach(databaseUrl: string, { alice }: World): Promise<void> {
  const size = fileMiB * 1024 * 1024;
  const chunk = 32 * 1024;
  await withRows(databaseUrl, async (rows) => {
    const [blob] = await rows<{ id: string }>(
      'INSERT INTO blobs (id, size, chunk_size) VALUES (gen_random_uuid(), $1, $2) RETURNING id',
      [size, chunk],
    );
    // The same bytes again and again but for the number of the chunk, too far apart for a ZIP to notice.
    const bytes = randomBytes(chunk);
    const hash = createHash('sha256');
    for (let n = 0; n < size / chunk; n++) {
      bytes.writeInt32BE(n);
      hash.update(bytes);
    }
    await rows(
      `INSERT INTO blob_chunks
       SELECT $1, n, overlay($2::bytea PLACING int4send(n) FROM 1) FROM generate_series(0, $3::int - 1) AS n`,
      [blob?.id, bytes, size / chunk],
    );
    await rows('UPDATE blobs SET hash = $2 WHERE id = $1', [blob?.id, hash.digest('hex')]);
    await rows(
      `INSERT INTO attachments (id, uploader_id, message_id, blob_id, filename, content_type, size, created_at)
       SELECT gen_random_uuid(), $1, id, $2, 'large.bin', 'application/octet-stream', $3, now() FROM messages LIMIT 1`,
      [alice.id, blob?.id, size],
    );
  });
}

/** What has to be the same in both places. */
function sums(databaseUrl: string): Promise<object[]> {
  return withRows(databaseUrl, (rows) =>
    rows(`SELECT (SELECT md5(string_agg(m::text, ',' ORDER BY id)) FROM messages m) AS messages,
      (SELECT last_seq FROM streams WHERE kind = 'channel' ORDER BY last_seq DESC LIMIT 1) AS head,
      (SELECT md5(string_agg(md5(data), '' ORDER BY hash, position))
        FROM blob_chunks JOIN blobs ON blobs.id = blob_id) AS bytes`),
  );
}
