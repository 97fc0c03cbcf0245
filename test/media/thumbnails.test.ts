import { expect } from 'chai';
import sharp from 'sharp';
import { halves, moving, photo } from '../pictures/samples.ts';
import { expectError } from '../rest/verdict.ts';
import { until } from '../rig/until.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import type { Loose, Person } from '../world/person.ts';
import { overtaken, query } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

const download = (who: Person, path: string, headers: Record<string, string> = {}) =>
  fetch(`${who.node.url}${path}`, { headers: { authorization: `Bearer ${who.token}`, ...headers } });

describe('thumbnails of pictures in messages', () => {
  let cluster: Cluster;
  let here: World;
  let large: Buffer;
  before(async () => {
    cluster = await startCluster({ settings: { pictures: { maxPixels: 4_000_000 } } });
    here = await world(cluster);
    large = await (await halves(1600, 1000))
      .jpeg()
      .withExif({ IFD0: { Model: 'Secret camera' } })
      .toBuffer();
  });
  after(async () => {
    here.close();
    await cluster.stop();
  });

  const file = async (who: Person, messageId: string): Promise<Loose> =>
    (await who.get(`/api/messages/${messageId}`)).body.attachments[0];
  const thumbed = (who: Person, messageId: string) =>
    until(async () => {
      const found = await file(who, messageId);
      return found.thumbnailUrl ? found : undefined;
    });
  const settled = () =>
    until(async () => {
      const jobs = `SELECT id FROM jobs WHERE kind = 'attachment-thumbnail' AND died_at IS NULL`;
      return (await query(cluster.databaseUrl, jobs)).length === 0;
    });
  const send = async (who: Person, name: string, bytes: Uint8Array<ArrayBuffer>): Promise<Loose> => {
    const upload = await who.upload(name, bytes);
    return who.say(here.channel.id, '', { attachments: [{ id: upload.id }] });
  };

  it('are made after the upload, told of without an edit, and have neither metadata nor another shape', async () => {
    const { alice, bob, channel } = here;
    const ear = await bob.listen(channel.id);
    const said = await send(alice, 'large.jpg', Uint8Array.from(large));
    expect(said.attachments[0]).to.include({ width: 1600, height: 1000 });
    const found = await thumbed(bob, said.id);
    expect(found).to.include({ thumbnailUrl: `${found.url}?size=thumbnail`, width: 1600, height: 1000 });
    const told = () => [...ear.all('message:new'), ...ear.all('message:updated')].filter(({ id }) => id === said.id);
    const last = await until(() => told().find(({ attachments: [one] }) => one.thumbnailUrl));
    expect(last).to.include({ isEdited: false, updatedAt: said.updatedAt });
    const response = await download(bob, found.thumbnailUrl);
    expect(response.headers.get('content-type')).to.equal('image/webp');
    expect(response.headers.get('content-security-policy')).to.include('sandbox');
    expect(response.headers.get('cache-control')).to.include('private');
    const meta = await sharp(Buffer.from(await response.arrayBuffer())).metadata();
    expect(meta).to.include({ format: 'webp', width: 800, height: 500 });
    expect(meta).to.not.have.property('exif');
    ear.close();
  });

  it('are upright, as the picture is', async () => {
    const { alice } = here;
    const turned = await sharp(large).withMetadata({ orientation: 6 }).jpeg().toBuffer();
    const said = await send(alice, 'turned.jpg', Uint8Array.from(turned));
    const found = await thumbed(alice, said.id);
    expect(found).to.include({ width: 1000, height: 1600 });
    const bytes = await (await download(alice, found.thumbnailUrl)).arrayBuffer();
    expect(await sharp(Buffer.from(bytes)).metadata()).to.include({ width: 500, height: 800 });
  });

  it('are for those who may read the message, or have its link', async () => {
    const { alice, bob, carol } = here;
    const upload = await alice.upload('mine.jpg', Uint8Array.from(large));
    await settled();
    const path = `${upload.url}?size=thumbnail`;
    expect((await download(alice, path)).status).to.equal(200);
    expect((await download(bob, path)).status).to.equal(404);
    expect((await fetch(alice.node.url + path)).status).to.equal(401);
    const said = await alice.say(here.channel.id, '', { attachments: [{ id: upload.id }] });
    expect(said.attachments[0].thumbnailUrl).to.equal(path);
    expect((await download(bob, path)).status).to.equal(200);
    expect((await download(carol, path)).status).to.equal(404);
    const { url } = (await bob.get(`/api/attachments/${upload.id}/media-url`)).body;
    const shared = await fetch(`${bob.node.url}${url}&size=thumbnail`);
    expect([shared.status, shared.headers.get('content-type')]).to.deep.equal([200, 'image/webp']);
    const etag = shared.headers.get('etag') ?? '';
    expect((await download(bob, path, { 'if-none-match': etag })).status).to.equal(304);
    await alice.delete(`/api/messages/${said.id}`);
    expect((await download(bob, path)).status).to.equal(404);
  });

  it('do not move, and are not made of small pictures, of too many pixels, and of what only looks like one', async () => {
    const { alice } = here;
    const animation = await send(alice, 'moving.gif', await moving(4, 900));
    const still = await thumbed(alice, animation.id);
    const bytes = await (await download(alice, still.thumbnailUrl)).arrayBuffer();
    const { pages, width } = await sharp(Buffer.from(bytes)).metadata();
    expect([pages ?? 1, width]).to.deep.equal([1, 800]);
    const bomb = await sharp({ create: { width: 3000, height: 3000, channels: 3, background: '#fff' } })
      .png()
      .toBuffer();
    const cut = large.subarray(0, large.length / 2);
    const none = [
      await send(
        alice,
        'photo.jpg',
        await (await halves(300, 200))
          .jpeg()
          .toBuffer()
          .then((one) => Uint8Array.from(one)),
      ),
      await send(alice, 'bomb.png', Uint8Array.from(bomb)),
      await send(alice, 'cut.jpg', Uint8Array.from(cut)),
      await send(alice, 'text.txt', Uint8Array.from(Buffer.from('words'))),
    ];
    await settled();
    for (const { id } of none) {
      const found = await file(alice, id);
      expect(found.thumbnailUrl, found.filename).to.equal(null);
      expectError(await alice.get(`${found.url}?size=thumbnail`), 'ATTACHMENT_NOT_FOUND');
    }
    const dead = `SELECT id FROM jobs WHERE kind = 'attachment-thumbnail'`;
    expect(await query(cluster.databaseUrl, dead)).to.deep.equal([]);
  });

  it('go with their message', async () => {
    const { alice } = here;
    const said = await send(
      alice,
      'photo.jpg',
      Uint8Array.from(
        await sharp(await photo())
          .resize(850)
          .jpeg()
          .toBuffer(),
      ),
    );
    await thumbed(alice, said.id);
    const blobs = `SELECT thumbnail_blob_id AS id FROM attachments WHERE message_id = '${said.id}'`;
    const [{ id } = { id: '' }] = await query<{ id: string }>(cluster.databaseUrl, blobs);
    await alice.delete(`/api/messages/${said.id}`);
    const uses = `SELECT id FROM attachments WHERE thumbnail_blob_id = '${id}'`;
    expect(await query(cluster.databaseUrl, uses)).to.deep.equal([]);
  });

  /** A picture whose thumbnail is still to be made, in a message. */
  const bare = async (who: Person, shade: string): Promise<Loose> => {
    const bytes = await sharp({ create: { width: 1200, height: 900, channels: 3, background: shade } })
      .png()
      .toBuffer();
    const said = await send(who, 'bare.png', Uint8Array.from(bytes));
    await thumbed(who, said.id);
    const undo = 'UPDATE attachments SET thumbnail_blob_id = NULL, width = NULL, height = NULL WHERE message_id = $1';
    await query(cluster.databaseUrl, undo, [said.id]);
    return said;
  };
  const forwardedFile = async (who: Person, messageId: string): Promise<Loose> =>
    (await who.get(`/api/messages/${messageId}`)).body.forwarded.attachments[0];

  it('come to all copies that were forwarded before they were made, though the first is gone, and tell of each', async () => {
    const { alice, bob } = here;
    const other = await here.newChannel();
    const dm = (await alice.post('/api/dm/channels', { userId: bob.id })).body;
    const said = await bare(alice, '#123456');
    const copies = [
      await alice.say(other, 'look', { forwardId: said.id }),
      await alice.say(dm.id, '', { forwardId: said.id }),
    ];
    const again = await bob.say(other, '', { forwardId: copies[0].id });
    const [{ id: blobId } = { id: '' }] = await query<{ id: string }>(
      cluster.databaseUrl,
      'SELECT blob_id AS id FROM attachments WHERE message_id = $1',
      [said.id],
    );
    await alice.delete(`/api/messages/${said.id}`);
    const ear = await bob.listen(other);
    const job = `INSERT INTO jobs (kind, id, data) VALUES ('attachment-thumbnail', gen_random_uuid(), $1)`;
    await query(cluster.databaseUrl, job, [JSON.stringify({ blobId })]);
    for (const copy of [...copies, again]) {
      expect(copy.forwarded.attachments[0].thumbnailUrl).to.equal(null);
      const found = await until(async () => {
        const one = await forwardedFile(bob, copy.id);
        return one.thumbnailUrl ? one : undefined;
      });
      expect(found).to.include({ width: 1200, height: 900 });
      expect((await download(bob, found.thumbnailUrl)).status).to.equal(200);
      const told = await ear.next('message:updated', ({ id }) => id === copy.id);
      expect(told).to.include({ isEdited: false, updatedAt: copy.updatedAt });
      expect(told.forwarded.attachments[0].thumbnailUrl).to.equal(found.thumbnailUrl);
    }
    await settled();
    ear.close();
  });

  it('that come while a picture is being forwarded are in the record of the copy', async () => {
    const { alice } = here;
    const other = await here.newChannel();
    const said = await bare(alice, '#654321');
    const race = {
      id: other,
      lock: 'SELECT FROM streams WHERE id = $1 FOR UPDATE',
      change: `UPDATE attachments SET thumbnail_blob_id = blob_id WHERE message_id = '${said.id}' AND $1::uuid IS NOT NULL`,
    };
    const sent = await overtaken(cluster.databaseUrl, race, () => alice.say(other, '', { forwardId: said.id }));
    const [shown] = sent.forwarded.attachments;
    expect(shown.thumbnailUrl).to.equal(`${shown.url}?size=thumbnail`);
    expect(await forwardedFile(alice, sent.id)).to.deep.equal(shown);
  });
});
