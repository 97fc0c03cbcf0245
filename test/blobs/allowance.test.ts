// nodes: own

import { randomBytes, randomUUID } from 'node:crypto';
import { expect } from 'chai';
import pg from 'pg';
import { zip } from '../apps/zip.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import type { Loose, Person } from '../world/person.ts';
import { type World, world } from '../world/world.ts';

const kilo = 1000;

describe('what an account may store', () => {
  let cluster: Cluster;
  let database: pg.Client;
  before(async () => {
    cluster = await startCluster({
      settings: {
        storage: { unverifiedBytes: 100 * kilo },
        apps: { quotaBytes: 70 * kilo },
        workspace: { quotaBytes: 150 * kilo },
      },
    });
    database = new pg.Client(cluster.databaseUrl);
    await database.connect();
  });
  after(async () => {
    await database.end();
    await cluster.stop();
  });

  let here: World;
  let workspace: string;
  beforeEach(async () => {
    here = await world(cluster);
    workspace = `/api/servers/${here.server.id}/workspace`;
  });
  afterEach(() => here.close());

  const stored = async (): Promise<number> => {
    const { rows } = await database.query('SELECT coalesce(sum(length(data)), 0)::int AS bytes FROM blob_chunks');
    return rows[0].bytes;
  };
  /** Every byte that is in the store is used, or none is. */
  const unused = async (): Promise<number> => {
    const { rows } = await database.query(
      `SELECT count(*)::int AS count FROM blobs b WHERE NOT EXISTS (SELECT FROM attachments WHERE blob_id = b.id)
         AND NOT EXISTS (SELECT FROM workspace_nodes WHERE blob_id = b.id)
         AND NOT EXISTS (SELECT FROM app_files WHERE blob_id = b.id)`,
    );
    return rows[0].count;
  };

  async function send(
    who: Person,
    path: string,
    size: number | Buffer,
    fields: Record<string, string> = {},
    fieldsLast: Record<string, string> = {},
  ): Promise<{ status: number; body: Loose }> {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    const bytes = typeof size === 'number' ? randomBytes(size) : size;
    form.append('file', new File([new Uint8Array(bytes)], 'file.bin'));
    for (const [name, value] of Object.entries(fieldsLast)) form.append(name, value);
    const headers = { authorization: `Bearer ${who.token}` };
    const answer = await fetch(who.node.url + path, { method: 'POST', body: form, headers });
    return { status: answer.status, body: await answer.json() };
  }

  it('is counted across messages, workspaces and apps, whoever of its bots sends, and refused beyond', async () => {
    const { alice, server } = here;
    expect((await send(alice, '/api/media/upload', 30 * kilo)).status).to.equal(201);
    expect((await send(alice, `${workspace}/upload`, 30 * kilo)).status).to.equal(201);
    const page = { name: 'page', type: 'html', htmlContent: 'x'.repeat(20 * kilo) };
    const app = await alice.post(`/api/servers/${server.id}/apps`, page);
    expect(app.status).to.equal(201);
    const before = await stored();
    const refused = await send(alice, `${workspace}/upload`, 30 * kilo);
    expect([refused.status, refused.body.code]).to.deep.equal([413, 'QUOTA_EXCEEDED']);
    expect(refused.body).to.include({ totalBytes: 80 * kilo, quotaBytes: 100 * kilo });
    const others = [
      await send(alice, '/api/media/upload', 30 * kilo),
      await alice.post(`${workspace}/files`, { name: 'a', content: 'y'.repeat(30 * kilo) }),
      await alice.post(`/api/servers/${server.id}/apps`, { ...page, htmlContent: 'z'.repeat(30 * kilo) }),
      await alice.patch(`/api/servers/${server.id}/apps/${app.body.id}`, { htmlContent: 'z'.repeat(50 * kilo) }),
    ];
    for (const { status, body } of others) expect([status, body.code]).to.deep.equal([413, 'QUOTA_EXCEEDED']);
    expect(await stored(), 'nothing of what was refused is kept').to.equal(before);
    expect((await send(here.bob, '/api/media/upload', 30 * kilo)).status).to.equal(201);
    expect((await send(alice, '/api/media/upload', 20 * kilo)).status).to.equal(201);
    expect(await unused()).to.equal(0);
  });

  it('is more once its address is proven', async () => {
    const { bob } = here;
    expect((await send(bob, '/api/media/upload', 101 * kilo)).status).to.equal(413);
    await database.query('UPDATE users SET email_verified_at = now() WHERE id = $1', [bob.id]);
    expect((await send(bob, '/api/media/upload', 101 * kilo)).status).to.equal(201);
  });

  it('is no more for many uploads at once', async () => {
    const { alice } = here;
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(alice, '/api/media/upload', 30 * kilo)));
    expect(answers.filter(({ status }) => status === 201).length).to.be.within(1, 3);
    expect(await unused()).to.equal(0);
  });

  it('is no more for many forwards at once, and for what waits for a moderator', async () => {
    const { alice, bob, server, channel } = here;
    const used = 'SELECT coalesce(sum(size), 0)::int AS bytes FROM attachments WHERE uploader_id = $1';
    const usedBy = async (person: Person): Promise<number> => (await database.query(used, [person.id])).rows[0].bytes;
    const file = (await send(alice, '/api/media/upload', 30 * kilo)).body;
    const source = await alice.say(channel.id, 'a file', { attachments: [{ id: file.id }] });
    const forward = (content: string) =>
      bob.post(`/api/channels/${channel.id}/messages`, { content, forwardId: source.id });
    const answers = await Promise.all(Array.from({ length: 8 }, (_, at) => forward(`number ${at}`)));
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused.map(({ body }) => body.code)).to.deep.equal(Array(5).fill('QUOTA_EXCEEDED'));
    expect(await usedBy(bob)).to.equal(90 * kilo);
    // Neighbours of what was refused are sent.
    const plain = await Promise.all([
      forward('too much'),
      bob.say(channel.id, 'plain'),
      alice.say(channel.id, 'plain'),
    ]);
    expect(plain[0].body.code).to.equal('QUOTA_EXCEEDED');
    await alice.post(`/api/servers/${server.id}/filters`, { kind: 'word', action: 'hold', patterns: ['doubtful'] });
    const [first] = answers.filter(({ status }) => status === 201);
    await bob.delete(`/api/messages/${first?.body.id}`);
    const held = await Promise.all(Array.from({ length: 4 }, (_, at) => forward(`doubtful ${at}`)));
    expect(held.map(({ body }) => body.code).sort()).to.deep.equal([
      'MESSAGE_HELD',
      ...Array(3).fill('QUOTA_EXCEEDED'),
    ]);
    expect(await usedBy(bob)).to.equal(90 * kilo);
  });

  it('counts a bot with its owner', async () => {
    const { bob } = here;
    const name = `b${randomBytes(4).toString('hex')}`;
    const made = await bob.post('/api/agents', { name, username: name, displayName: 'Bot' });
    expect(made.status, JSON.stringify(made.body)).to.equal(201);
    const { body } = await bob.post(`/api/agents/${made.body.id}/token`);
    expect((await send(bob, '/api/media/upload', 60 * kilo)).status).to.equal(201);
    const answer = await fetch(`${bob.node.url}/api/media/upload`, {
      method: 'POST',
      body: (() => {
        const form = new FormData();
        form.append('file', new File([new Uint8Array(60 * kilo)], 'zeros'));
        return form;
      })(),
      headers: { authorization: `Bearer ${body.token}` },
    });
    expect(answer.status).to.equal(413);
  });

  it('keeps nothing of an upload that is refused, whatever is wrong with it', async () => {
    const { alice, server } = here;
    const before = await stored();
    const nowhere = randomUUID();
    const refusals: [number, { status: number; body: Loose }][] = [
      [404, await send(alice, `${workspace}/upload`, 20 * kilo, { parentId: nowhere })],
      [404, await send(alice, `${workspace}/upload`, 20 * kilo, {}, { parentId: nowhere })],
      [400, await send(alice, `${workspace}/upload`, 20 * kilo, {}, { parentId: 'no id' })],
      [400, await send(alice, `${workspace}/upload`, 20 * kilo, {}, { file: new File(['2'], 'second') as never })],
      [404, await send(alice, '/api/media/upload', 20 * kilo, {}, { messageId: nowhere })],
      [404, await alice.post(`${workspace}/files`, { name: 'x', parentId: nowhere, content: 'x'.repeat(5000) })],
    ];
    for (const [status, answer] of refusals) expect(answer.status, JSON.stringify(answer.body)).to.equal(status);
    expect(await stored()).to.equal(before);
    // An app that breaks off in the middle: what came before is not kept either.
    const archive = zip([
      { name: 'index.html', content: randomBytes(20 * kilo) },
      { name: 'broken', content: 'x', claims: { crc: 1 } },
    ]);
    const file = (await send(alice, `${workspace}/upload`, archive)).body;
    const withArchive = await stored();
    const refused = await alice.post(`/api/servers/${server.id}/apps/publish`, { slug: 'app', fileId: file.id });
    expect(refused.body.code).to.equal('BUNDLE_INVALID');
    expect(await stored()).to.equal(withArchive);
  });

  it('keeps what another refers to, though the same was refused here', async () => {
    const { alice, bob } = here;
    const bytes = randomBytes(20 * kilo);
    const kept = (await send(bob, '/api/media/upload', bytes)).body;
    const nowhere = kept.id.replace(/^.{8}/, '00000000');
    expect((await send(alice, `${workspace}/upload`, bytes, {}, { parentId: nowhere })).status).to.equal(404);
    const headers = { authorization: `Bearer ${bob.token}` };
    const answer = await fetch(`${bob.node.url}${kept.url}`, { headers });
    expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).to.equal(true);
  });

  it('is so much for all apps of a server', async () => {
    const { alice, server } = here;
    const make = (letter: string) =>
      alice.post(`/api/servers/${server.id}/apps`, {
        name: letter,
        type: 'html',
        htmlContent: letter.repeat(30 * kilo),
      });
    expect((await make('a')).status).to.equal(201);
    const second = (await make('b')).body;
    const third = await make('c');
    expect([third.status, third.body.code]).to.deep.equal([413, 'QUOTA_EXCEEDED']);
    const path = `/api/servers/${server.id}/apps/${second.id}`;
    expect((await alice.patch(path, { description: 'full, but it can be described' })).status).to.equal(200);
  });
});
