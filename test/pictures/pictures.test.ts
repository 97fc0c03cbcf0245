import { crc32, deflateSync } from 'node:zlib';
import { expect } from 'chai';
import sharp from 'sharp';
import { sweepPictures } from '../../src/features/pictures/picture.table.ts';
import { until } from '../rig/until.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import type { Loose } from '../world/person.ts';
import { query, withRows } from '../world/sql.ts';
import { register, type World, world } from '../world/world.ts';
import { halves, moving, photo, sendPicture } from './samples.ts';

/** A PNG that says it has so many pixels, and hardly any bytes. */
function hollow(width: number, height: number) {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(Buffer.alloc(1000))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

const svg = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>',
);

describe('uploaded pictures', () => {
  let cluster: Cluster;
  let here: World;
  before(async () => {
    cluster = await startCluster();
    here = await world(cluster);
  });
  after(async () => {
    here.close();
    await cluster.stop();
  });

  const open = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${here.bob.node.url}${path}`, { headers });
  const shown = async (path: string) => Buffer.from(await (await open(path)).arrayBuffer());
  const stored = async () => (await query(cluster.databaseUrl, 'SELECT name FROM pictures', [])).length;

  it('are encoded anew in two sizes, upright, without what the file said of places and cameras', async () => {
    const taken = await photo();
    expect((await sharp(taken).metadata()).exif?.toString('latin1')).to.contain('Secret camera');
    const { status, body } = await sendPicture(here.alice, taken);
    expect(status).to.equal(201);
    expect(body).to.include({ contentType: 'image/webp', width: 512, height: 512, isAnimated: false });
    expect(body.url).to.match(/^\/media\/[0-9a-f]{32}\.webp$/);
    expect(body.smallUrl).to.equal(`${body.url}?size=small`);
    const sizes = await Promise.all([body.url, body.smallUrl].map(shown));
    expect(body.size).to.equal(sizes.reduce((sum, bytes) => sum + bytes.length, 0));
    for (const [index, bytes] of sizes.entries()) {
      const side = index === 0 ? 512 : 96;
      const { format, width, height, exif, xmp, icc, orientation } = await sharp(bytes).metadata();
      expect({ format, width, height }).to.deep.equal({ format: 'webp', width: side, height: side });
      expect([exif, xmp, icc, orientation]).to.deep.equal([undefined, undefined, undefined, undefined]);
      // It lay on its side: what was left is on top.
      const [top, bottom] = await Promise.all(
        [0, side - 8].map(async (top) => {
          const strip = await sharp(bytes).extract({ left: 0, top, width: side, height: 8 }).png().toBuffer();
          return (await sharp(strip).stats()).channels.map(({ mean }) => mean);
        }),
      );
      expect(top?.[0]).to.be.greaterThan(200);
      expect(bottom?.[2]).to.be.greaterThan(200);
    }
  });

  it('are for everyone, for good, and nothing but pictures', async () => {
    const { body } = await sendPicture(here.alice, Buffer.from(await (await halves(40, 30)).png().toBuffer()));
    expect([body.width, body.height]).to.deep.equal([30, 30]);
    const response = await open(body.url);
    expect(response.status).to.equal(200);
    expect(response.headers.get('content-type')).to.equal('image/webp');
    expect(response.headers.get('cache-control')).to.equal('public, max-age=31536000, immutable');
    expect(response.headers.get('x-content-type-options')).to.equal('nosniff');
    expect(response.headers.get('content-security-policy')).to.contain('sandbox');
    expect(response.headers.get('cross-origin-resource-policy')).to.equal('cross-origin');
    const etag = response.headers.get('etag') ?? '';
    const again = await open(body.url, { 'if-none-match': etag });
    expect([again.status, await again.text()]).to.deep.equal([304, '']);
    expect((await open(body.smallUrl, { 'if-none-match': etag })).status).to.equal(200);
    const head = await fetch(`${here.alice.node.url}${body.url}`, { method: 'HEAD' });
    expect([head.status, Number(head.headers.get('content-length'))]).to.deep.equal([
      200,
      (await shown(body.url)).length,
    ]);
    const other = body.url.replace(/[0-9a-f]{4}\.webp/, 'ffff.webp');
    for (const path of [other, '/media/x.webp', body.url.replace('.webp', ''), `${body.url}?size=huge`]) {
      const { status, headers } = await open(path);
      expect(status, path).to.equal(path.includes('huge') ? 400 : 404);
      expect(headers.get('cache-control')).to.equal('no-store');
    }
  });

  it('are cut to the proportions that were asked for', async () => {
    const wide = Buffer.from(await (await halves(3000, 400)).jpeg().toBuffer());
    const { body } = await sendPicture(here.alice, wide, { shape: 'banner' });
    expect([body.width, body.height]).to.deep.equal([1200, 400]);
    expect(await sharp(await shown(body.smallUrl)).metadata()).to.include({ width: 480, height: 160 });
    const { status, body: refused } = await sendPicture(here.alice, wide, { shape: 'round' });
    expect([status, refused.issues?.[0]?.path]).to.deep.equal([400, 'shape']);
    const form = new FormData();
    form.append('file', new Blob([wide]), 'x');
    form.append('shape', 'banner');
    const headers = { authorization: `Bearer ${here.alice.token}` };
    const late = await fetch(`${here.alice.node.url}/api/media/pictures`, { method: 'POST', body: form, headers });
    const problem: Loose = await late.json();
    expect([late.status, problem.issues[0].path]).to.deep.equal([400, 'shape']);
  });

  it('move if they moved, unless there is too much of them; the small size never does', async () => {
    for (const format of ['gif', 'webp'] as const) {
      const { body } = await sendPicture(here.alice, await moving(5, 64, format));
      expect(body.isAnimated, format).to.equal(true);
      expect((await sharp(await shown(body.url), { animated: true }).metadata()).pages).to.equal(5);
      expect((await sharp(await shown(body.smallUrl), { animated: true }).metadata()).pages ?? 1).to.equal(1);
    }
    const { status, body } = await sendPicture(here.alice, await moving(101, 16));
    expect([status, body.isAnimated, body.width]).to.deep.equal([201, false, 16]);
  });

  it('are refused where they are none, not whole, or a trap, and nothing of them is kept', async () => {
    const whole = Buffer.from(await (await halves(300, 300)).jpeg().toBuffer());
    const png = Buffer.from(await (await halves(300, 300)).png().toBuffer());
    const bad: Record<string, Buffer<ArrayBuffer>> = {
      text: Buffer.from('only text'),
      svg,
      pdf: Buffer.from('%PDF-1.7\n1 0 obj'),
      empty: Buffer.alloc(0),
      'half a JPEG': whole.subarray(0, whole.length / 2),
      'half a PNG': png.subarray(0, png.length / 2),
      'many pixels': hollow(30_000, 30_000),
      'no bytes behind them': hollow(3000, 3000),
    };
    const before = await stored();
    for (const [what, bytes] of Object.entries(bad)) {
      const { status, body } = await sendPicture(here.alice, bytes);
      expect([what, status, body.code]).to.deep.equal([what, 400, 'PICTURE_INVALID']);
    }
    const large = Buffer.concat([whole, Buffer.alloc(4 * 1024 * 1024)]);
    const { status, body } = await sendPicture(here.alice, large);
    expect([status, body.code]).to.deep.equal([413, 'BODY_TOO_LARGE']);
    expect(await stored()).to.equal(before);
    expect((await sendPicture(here.alice, whole)).status).to.equal(201);
  });

  it('are set by people for themselves, by owners for bots, and by those who manage a server', async () => {
    const { alice, bob, carol, server } = here;
    const square = Buffer.from(await (await halves(100, 100)).png().toBuffer());
    const url = (await sendPicture(bob, square)).body.url;
    const ear = await alice.listen(here.channel.id);
    expect((await bob.patch('/api/auth/me', { avatarUrl: url })).body.avatarUrl).to.equal(url);
    expect((await carol.get(`/api/auth/users/${bob.id}`)).body.avatarUrl).to.equal(url);
    expect((await ear.next('user:updated', ({ user }) => user.id === bob.id)).user.avatarUrl).to.equal(url);
    ear.close();
    // Also by its whole address.
    const site = new URL(bob.node.url.replace('127.0.0.1', 'localhost')).origin;
    expect((await bob.patch('/api/auth/me', { avatarUrl: site + url })).body.avatarUrl).to.equal(url);
    const name = `bot${Date.now()}`;
    const bot = (await bob.post('/api/agents', { name, avatarUrl: url })).body;
    expect(bot.avatarUrl).to.equal(url);
    expect((await alice.patch(`/api/agents/${bot.id}`, { avatarUrl: url })).status).to.equal(404);
    const banner = (await sendPicture(alice, square, { shape: 'banner' })).body.url;
    const path = `/api/servers/${server.id}`;
    expect((await bob.patch(path, { iconUrl: url })).body.code).to.equal('ROLE_REQUIRED');
    const changed = await alice.patch(path, { iconUrl: url, bannerUrl: banner });
    expect(changed.body).to.include({ iconUrl: url, bannerUrl: banner });
    expect((await alice.patch(path, { iconUrl: null })).body).to.include({ iconUrl: null, bannerUrl: banner });
    expect((await bob.patch('/api/auth/me', { avatarUrl: null })).body.avatarUrl).to.equal(null);
  });

  it('are made of a file for messages that someone sets, so that others see it too', async () => {
    const { alice, bob, carol } = here;
    const upload = await alice.upload('me.jpg', await photo());
    const { body } = await alice.patch('/api/auth/me', { avatarUrl: upload.url });
    expect(body.avatarUrl).to.match(/^\/media\/[0-9a-f]{32}\.webp$/);
    expect((await open(body.avatarUrl)).status).to.equal(200);
    expect((await bob.get(`/api/auth/users/${alice.id}`)).body.avatarUrl).to.equal(body.avatarUrl);
    const others = await carol.patch('/api/auth/me', { avatarUrl: upload.url });
    expect([others.status, others.body.code]).to.deep.equal([404, 'ATTACHMENT_NOT_FOUND']);
    const note = await alice.upload('note.txt', Buffer.from('no picture'));
    const refused = await alice.patch('/api/auth/me', { avatarUrl: note.url });
    expect([refused.status, refused.body.code]).to.deep.equal([400, 'PICTURE_INVALID']);
    expect((await alice.get('/api/auth/me')).body.avatarUrl).to.equal(body.avatarUrl);
  });

  it('are deleted when nothing has shown them for a while, and kept while something does', async () => {
    const { alice, server } = here;
    const square = Buffer.from(await (await halves(50, 50)).png().toBuffer());
    const [first, second, icon] = [
      (await sendPicture(alice, square)).body.url,
      (await sendPicture(alice, square)).body.url,
      (await sendPicture(alice, square)).body.url,
    ];
    expect(new Set([first, second, icon]).size).to.equal(3);
    await alice.patch('/api/auth/me', { avatarUrl: first });
    await alice.patch('/api/auth/me', { avatarUrl: second });
    // By other means than this version's own.
    await query(cluster.databaseUrl, 'UPDATE servers SET icon_url = $2 WHERE id = $1', [server.id, icon]);
    const all = `SELECT DISTINCT '/media/' || name || '.webp' AS url FROM pictures`;
    const names = async () => (await query<{ url: string }>(cluster.databaseUrl, all)).map(({ url }) => url);
    const sweep = () => withRows(cluster.databaseUrl, (rows) => sweepPictures(rows, 600));
    // The node sweeps too: what it has just taken is looked at when it is due again.
    const sweptUntil = (isDone: (listed: string[]) => boolean) =>
      until(async () => {
        await query(cluster.databaseUrl, `UPDATE pictures SET check_at = now() - interval '1 hour'`, []);
        while ((await sweep()) > 0);
        return isDone(await names());
      });
    const waits = () => query<{ url: string }>(cluster.databaseUrl, `${all} WHERE unused_since IS NOT NULL`, []);
    await sweptUntil(() => true);
    await until(async () => (await waits()).some(({ url }) => url === first));
    // Its grace begins when it is seen that nothing shows it.
    expect(await names()).to.include.members([first, second, icon]);
    await query(
      cluster.databaseUrl,
      `UPDATE pictures SET unused_since = unused_since - interval '1 hour' WHERE unused_since IS NOT NULL`,
      [],
    );
    await sweptUntil((listed) => !listed.includes(first));
    expect(await names()).to.include.members([second, icon]);
    expect(await names()).to.not.include(first);
    expect(await sweep()).to.equal(0);
  });

  it('count as stored by whoever uploaded them', async () => {
    const small = await startCluster({ nodes: 1, settings: { storage: { unverifiedBytes: 12_000 } } });
    const person = await register(small.nodes[0] ?? here.alice.node);
    const noise = sharp({
      create: {
        width: 400,
        height: 400,
        channels: 3,
        background: '#888',
        noise: { type: 'gaussian', mean: 128, sigma: 60 },
      },
    });
    const { status, body } = await sendPicture(person, Buffer.from(await noise.png().toBuffer()));
    expect([status, body.code]).to.deep.equal([413, 'QUOTA_EXCEEDED']);
    expect(await query(small.databaseUrl, 'SELECT name FROM pictures', [])).to.deep.equal([]);
    await until(async () => (await query(small.databaseUrl, 'SELECT id FROM blobs', [])).length === 0);
    await small.stop();
  });
});
