import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import JSZip from 'jszip';
import yauzl from 'yauzl';
import { z } from 'zod';
import { countStatements } from '../rig/statements.ts';
import { Unread } from '../rig/unread.ts';
import { until } from '../rig/until.ts';
import { startCluster } from '../world/nodes.ts';
import { query } from '../world/sql.ts';
import { world } from '../world/world.ts';

/** The names in an archive, as a reader has them that refuses places outside. */
async function namesIn(bytes: Buffer): Promise<string[]> {
  const zip = await yauzl.fromBufferPromise(bytes, { lazyEntries: true, strictFileNames: true });
  const names: string[] = [];
  for await (const entry of zip.eachEntry()) names.push(entry.fileName);
  return names;
}

describe('an archive of a workspace', () => {
  it('names nothing that is a drive to those who unpack it, and loses nothing to another name', async () => {
    const { alice, server, close } = await world();
    const base = `/api/servers/${server.id}/workspace`;
    const folder = (await alice.post(`${base}/folders`, { name: 'D:' })).body;
    const made = ['C:x.txt', 'C_x.txt', 'a:', 'ab:c'].map((name) => ({ name, parentId: null }));
    for (const file of [...made, { name: 'C:y', parentId: folder.id }]) await alice.post(`${base}/files`, file);
    const download = async (path: string) => {
      const headers = { authorization: `Bearer ${alice.token}` };
      const response = await fetch(`${alice.node.url}${base}${path}`, { headers });
      return namesIn(Buffer.from(await response.arrayBuffer()));
    };
    const whole = ['C_x (1).txt', 'C_x.txt', 'a_', 'ab:c', 'D_/', 'D_/C:y'];
    expect(await download('/download')).to.have.members(whole);
    expect(await download(`/folders/${folder.id}/download`)).to.deep.equal(['C_y']);
    close();
  });

  it('has every byte of many small files, read some with each statement', async () => {
    const counted = countStatements();
    const cluster = await startCluster({ nodes: 1 });
    const { alice, server, close } = await world(cluster);
    const base = `/api/servers/${server.id}/workspace`;
    const workspace = (await alice.get(base)).body;
    // Some of one content, one without any, and one in several chunks.
    await query(
      cluster.databaseUrl,
      `WITH file AS (
         SELECT i, gen_random_uuid() AS blob, convert_to(CASE WHEN i = 7 THEN repeat('long ', 20000) ELSE $1 || i END, 'UTF8') AS data
         FROM generate_series(1, 500) i
       ), blob AS (
         INSERT INTO blobs (id, hash, size, chunk_size) SELECT blob, encode(sha256(data), 'hex'), length(data), 32768 FROM file
       ), chunk AS (
         INSERT INTO blob_chunks (blob_id, position, data)
         SELECT blob, at, substr(data, at * 32768 + 1, 32768) FROM file, generate_series(0, (length(data) - 1) / 32768) at
       )
       INSERT INTO workspace_nodes (id, workspace_id, kind, name, size_bytes, is_text, blob_id, created_at, updated_at)
       SELECT gen_random_uuid(), $2, 'file', copy || i, length(data), true, blob, now(), now()
       FROM file, unnest(ARRAY['a', '']) copy`,
      [`${server.id} `, workspace.id],
    );
    await alice.post(`${base}/files`, { name: 'empty', content: '' });
    // What the node asks for by itself does not count, however long the archive takes.
    await counted.idle(() => delay(3000));
    const headers = { authorization: `Bearer ${alice.token}` };
    let bytes = Buffer.alloc(0);
    const statements = await counted.during(async () => {
      const response = await fetch(`${alice.node.url}${base}/download`, { headers });
      bytes = Buffer.from(await response.arrayBuffer());
    });
    counted.stop();
    expect(statements).to.be.within(1, 100);
    const zip = await JSZip.loadAsync(bytes);
    expect(Object.keys(zip.files)).to.have.lengthOf(1001);
    const textOf = (name: string) => zip.file(name)?.async('string');
    for (const i of [1, 250, 500]) {
      for (const name of [`${i}`, `a${i}`]) expect(await textOf(name)).to.equal(`${server.id} ${i}`);
    }
    for (const name of ['7', 'a7']) expect(await textOf(name)).to.equal('long '.repeat(20_000));
    expect(await textOf('empty')).to.equal('');
    close();
    await cluster.stop();
  });

  it('is sent to so many at once and no more, of which one person has a few, and gives its place back', async () => {
    const cluster = await startCluster({ nodes: 1, settings: { workspace: { downloads: 3, downloadsPerUser: 2 } } });
    const { alice, bob, server, close } = await world(cluster);
    const base = `/api/servers/${server.id}/workspace`;
    const form = new FormData();
    // More than fits on the way to a reader that does not read.
    form.append('file', new File([randomBytes(30_000_000)], 'large.bin'));
    const uploaded = await fetch(`${alice.node.url}${base}/upload`, {
      method: 'POST',
      body: form,
      headers: { authorization: `Bearer ${alice.token}` },
    });
    expect(uploaded.status).to.equal(201);
    const unread = new Unread();
    const download = (who: typeof alice) =>
      unread.fetch(`${who.node.url}${base}/download`, { headers: { authorization: `Bearer ${who.token}` } });
    const codeOf = async (answer: Response) => z.object({ code: z.string() }).parse(await answer.json()).code;
    expect((await download(alice)).status).to.equal(200);
    expect((await download(alice)).status).to.equal(200);
    const third = await download(alice);
    expect([third.status, await codeOf(third), third.headers.get('retry-after')]).to.deep.equal([
      429,
      'RATE_LIMITED',
      '10',
    ]);
    expect((await download(bob)).status).to.equal(200);
    const fourth = await download(bob);
    expect([fourth.status, await codeOf(fourth)]).to.deep.equal([503, 'SERVER_BUSY']);
    unread.leave();
    await until(async () => (await download(alice)).status === 200, { message: 'No place is free again' });
    unread.leave();
    close();
    await cluster.stop();
  });
});
