import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { expect } from 'chai';
import { v7 as uuid } from 'uuid';
import { advisoryLocks } from '../../src/database/advisory-locks.ts';
import { until } from '../rig/until.ts';
import { startCluster } from '../world/nodes.ts';
import { type Loose, type Person, request } from '../world/person.ts';
import { query, withRows } from '../world/sql.ts';
import { register, type World, world } from '../world/world.ts';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAFElEQVR4nGP8z8DAwMDAxAADCAYAAB4EAQMvYJ3sAAAAAElFTkSuQmCC',
  'base64',
);

const download = (who: Person, path: string, headers: Record<string, string> = {}) =>
  fetch(`${who.node.url}${path}`, { headers: { authorization: `Bearer ${who.token}`, ...headers } });

/** An upload that comes piece by piece. `end` gives the status of the answer. */
function openUpload(who: Person) {
  const headers = { authorization: `Bearer ${who.token}`, 'content-type': 'multipart/form-data; boundary=edge' };
  const upload = httpRequest(`${who.node.url}/api/media/upload`, { method: 'POST', headers });
  const answer = once(upload, 'response');
  upload.write('--edge\r\nContent-Disposition: form-data; name="file"; filename="slow.txt"\r\n\r\n');
  return {
    write: (piece: string) => void upload.write(piece),
    async end(piece: string): Promise<number> {
      upload.end(`${piece}\r\n--edge--\r\n`);
      const [response] = await answer;
      response.resume();
      return response.statusCode;
    },
  };
}

describe('files of messages', () => {
  let here: World;
  before(async () => {
    here = await world();
  });
  after(() => here.close());

  it('are told by their content, and come back as they were', async () => {
    const { alice, bob, channel } = here;
    const upload = await alice.upload('holiday.txt', png);
    expect(upload).to.include({ filename: 'holiday.txt', contentType: 'image/png', size: png.length });
    expect(upload).to.include({ width: 3, height: 2, key: upload.id, url: `/api/media/${upload.id}` });
    expect((await download(bob, upload.url)).status).to.equal(404);
    const ear = await bob.listen(channel.id);
    const sent = await alice.say(channel.id, '', { attachments: [{ id: upload.id }] });
    const { key, ...record } = upload;
    expect(sent.attachments).to.deep.equal([record]);
    expect((await ear.next('message:new')).attachments).to.deep.equal([record]);
    expect((await bob.get(`/api/messages/${sent.id}`)).body.attachments).to.deep.equal([record]);
    const response = await download(bob, upload.url);
    expect(Buffer.from(await response.arrayBuffer())).to.deep.equal(png);
    expect(response.headers.get('content-type')).to.equal('image/png');
    expect(response.headers.get('x-content-type-options')).to.equal('nosniff');
    expect(response.headers.get('content-disposition')).to.include('inline; filename="holiday.txt"');
    expect(response.headers.get('content-security-policy')).to.include('sandbox');
    ear.close();
  });

  it('are never shown as pages, whatever they say they are', async () => {
    const { alice } = here;
    const nasty = {
      'page.html': '<!doctype html><script>alert(1)</script>',
      'image.svg': '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
      'other.svg': '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"></svg>',
      'doc.pdf': '%PDF-1.7\n1 0 obj',
    };
    for (const [name, text] of Object.entries(nasty)) {
      const upload = await alice.upload(name, Buffer.from(text));
      const response = await download(alice, `${upload.url}?disposition=inline`);
      const type = response.headers.get('content-type') ?? '';
      const kind = response.headers.get('content-disposition') ?? '';
      expect(type.startsWith('text/plain') || kind.startsWith('attachment'), `${name}: ${type} ${kind}`).to.equal(true);
      expect(type).to.not.match(/html|svg/);
    }
  });

  it('are played in place where they are voices', async () => {
    const voice = Buffer.concat([Buffer.from('OggS'), Buffer.alloc(24), Buffer.from('OpusHead'), Buffer.alloc(64)]);
    const upload = await here.alice.upload('voice.ogg', voice);
    const { headers } = await download(here.alice, upload.url);
    expect([headers.get('content-type'), headers.get('content-disposition')?.split(';')[0]]).to.deep.equal([
      'audio/ogg; codecs=opus',
      'inline',
    ]);
  });

  it('keep their names, without anything that could break out of the header', async () => {
    const { alice } = here;
    const names = {
      'naïve "quote".txt': 'naïve "quote".txt',
      '../../etc/passwd': 'passwd',
      'a\r\nSet-Cookie: x': null,
    };
    for (const [given, kept] of Object.entries(names)) {
      const upload = await alice.upload(given, Buffer.from('x'));
      if (kept !== null) expect(upload.filename).to.equal(kept);
      const header = (await download(alice, upload.url)).headers.get('content-disposition') ?? '';
      expect(header).to.match(/^[\x20-\x7e]+$/);
      expect((await download(alice, upload.url)).headers.get('set-cookie')).to.equal(null);
    }
  });

  it('are given in parts', async () => {
    const { alice } = here;
    const bytes = Buffer.from(Array.from({ length: 700_000 }, (_, i) => (i * 7 + (i >> 8)) % 251));
    const upload = await alice.upload('long.bin', bytes);
    const ranges: [string, number, number][] = [
      ['bytes=0-0', 0, 0],
      ['bytes=262143-262144', 262_143, 262_144],
      ['bytes=100-600000', 100, 600_000],
      ['bytes=699990-', 699_990, 699_999],
      ['bytes=-5', 699_995, 699_999],
      ['bytes=699999-9999999', 699_999, 699_999],
    ];
    for (const [range, start, end] of ranges) {
      const response = await download(alice, upload.url, { range });
      expect([response.status, response.headers.get('content-range')], range).to.deep.equal([
        206,
        `bytes ${start}-${end}/700000`,
      ]);
      expect(Buffer.from(await response.arrayBuffer()).equals(bytes.subarray(start, end + 1)), range).to.equal(true);
    }
    expect((await download(alice, upload.url, { range: 'bytes=700000-' })).status).to.equal(416);
    const many = Array.from({ length: 100 }, (_, i) => `${i * 10}-${i * 10 + 1}`).join(',');
    for (const range of ['bytes=5-1', 'lines=1-2', 'bytes=0-1,5-6', `bytes=${many}`, 'x'.repeat(5000)]) {
      const response = await download(alice, upload.url, { range });
      expect(response.status, range).to.equal(200);
      expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).to.equal(true);
    }
    const etag = (await download(alice, upload.url)).headers.get('etag') ?? '';
    expect((await download(alice, upload.url, { 'if-none-match': etag })).status).to.equal(304);
    const others = Array.from({ length: 300 }, (_, i) => `"other-${i}"`).join(', ');
    expect((await download(alice, upload.url, { 'if-none-match': others })).status).to.equal(200);
    expect((await download(alice, upload.url, { 'if-none-match': `${others}, ${etag}` })).status).to.equal(304);
    const far = await download(alice, upload.url, { range: `bytes=0-${'9'.repeat(40)}` });
    expect([far.status, far.headers.get('content-length')]).to.deep.equal([206, String(bytes.length)]);
    const head = await fetch(alice.node.url + upload.url, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${alice.token}`, range: 'bytes=0-9' },
    });
    expect([head.status, head.headers.get('content-length')]).to.deep.equal([200, String(bytes.length)]);
  });

  it('go with one message, once, and only with one of one’s own', async () => {
    const { alice, bob, channel } = here;
    const upload = await alice.upload('a.txt', Buffer.from('a'));
    const send = (who: Person, attachments: unknown) =>
      who.post(`/api/channels/${channel.id}/messages`, { content: 'x', attachments });
    for (const id of [upload.id, channel.id]) {
      const { status, body } = await send(bob, [{ id }]);
      expect([status, body.code]).to.deep.equal([404, 'ATTACHMENT_NOT_FOUND']);
    }
    const races = await Promise.all(Array.from({ length: 5 }, () => send(alice, [{ id: upload.id }])));
    expect(races.map((answer) => answer.status).sort()).to.deep.equal([201, 400, 400, 400, 400]);
    expect((await send(alice, [{ id: upload.id }])).body.code).to.equal('ATTACHMENT_INVALID');
    const byUrl = await alice.upload('b.txt', Buffer.from('b'));
    const full = { url: `http://somewhere.example${byUrl.url}?x=1`, filename: 'lie', contentType: 'x/y', size: 1 };
    expect((await send(alice, [full])).body.attachments[0]).to.include({ id: byUrl.id, filename: 'b.txt' });
    const bad = [[{ id: 'x' }], [{}], [{ url: 'http://x.example/file' }], 'x', [{ id: byUrl.id }, { id: byUrl.id }]];
    for (const attachments of bad) expect((await send(alice, attachments)).status).to.equal(400);
  });

  it('are sent again with the same nonce without being used twice', async () => {
    const { alice, channel } = here;
    const upload = await alice.upload('a.txt', Buffer.from('a'));
    const body = { content: '', attachments: [{ id: upload.id }], nonce: 'files' };
    const path = `/api/channels/${channel.id}/messages`;
    const answers = await Promise.all([alice.post(path, body), alice.post(path, body)]);
    answers.push(await alice.post(path, body));
    expect(answers.map((answer) => answer.status).sort()).to.deep.equal([200, 200, 201]);
    expect(new Set(answers.map((answer) => answer.body.id)).size).to.equal(1);
    for (const { body: sent } of answers) expect(sent.attachments).to.have.length(1);
  });

  it('come one by one: a second one in the same request is refused, not left out', async () => {
    const { alice, server } = here;
    for (const path of ['/api/media/upload', `/api/servers/${server.id}/workspace/upload`]) {
      const form = new FormData();
      for (const name of ['one.txt', 'two.txt']) form.append('file', new Blob([name]), name);
      const headers = { authorization: `Bearer ${alice.token}` };
      const answer = await fetch(`${alice.node.url}${path}`, { method: 'POST', body: form, headers });
      const { code, issues }: Loose = await answer.json();
      expect([answer.status, code, issues[0].path], path).to.deep.equal([400, 'VALIDATION_FAILED', 'file']);
    }
    expect((await alice.get(`/api/servers/${server.id}/workspace/children`)).body).to.deep.equal([]);
  });

  it('are added to a message that is there', async () => {
    const { alice, bob, channel } = here;
    const sent = await alice.say(channel.id, 'look:');
    const ear = await bob.listen(channel.id);
    const upload = await alice.upload('later.txt', Buffer.from('later'), { messageId: sent.id });
    const told = await ear.next('message:updated');
    expect(told.attachments.map((file: Loose) => file.id)).to.deep.equal([upload.id]);
    expect((await download(bob, upload.url)).status).to.equal(200);
    const form = { messageId: sent.id };
    const others = await bob.upload('x', Buffer.from('x'), form).catch((error: Error) => error.message);
    expect(others).to.include('FORBIDDEN');
    await alice.patch(`/api/messages/${sent.id}`, { content: '' });
    expect((await bob.get(`/api/messages/${sent.id}`)).body).to.include({ content: '' });
    ear.close();
  });

  it('are not added to a message that is deleted in the same moment', async () => {
    // Who waits for a log that is locked starts over after two thirds of this, behind the other: not on a busy machine.
    const cluster = await startCluster({ settings: { database: { idleTransactionMs: 60_000 } } });
    const { alice, bob, channel, close } = await world(cluster);
    const { id } = await alice.say(channel.id, 'for a moment');
    const ear = await bob.listen(channel.id);
    const waiting = `SELECT FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%streams%'`;
    // Not by the connection with the lock: in a transaction what others do is shown as it was at the first look.
    const areWaiting = (count: number) => async () => (await query(cluster.databaseUrl, waiting)).length === count;
    const [deleted, added] = await withRows(cluster.databaseUrl, async (rows) => {
      await rows('BEGIN');
      await rows('SELECT FROM streams WHERE id = $1 FOR UPDATE', [channel.id]);
      const deletion = alice.delete(`/api/messages/${id}`);
      await until(areWaiting(1));
      const upload = alice
        .upload('late.txt', Buffer.from('late'), { messageId: id })
        .catch((error: Error) => error.message);
      await until(areWaiting(2));
      await rows('COMMIT');
      return Promise.all([deletion, upload]);
    });
    expect(deleted.status).to.equal(200);
    expect(JSON.stringify(added)).to.include('MESSAGE_NOT_FOUND');
    await ear.next('message:deleted');
    await alice.say(channel.id, 'after that');
    expect((await ear.next('message:new')).content).to.equal('after that');
    expect(ear.all('message:updated')).to.deep.equal([]);
    close();
    await cluster.stop();
  });

  it('wait to be sent up to a hundred of one person, also where several come at once', async () => {
    const { bob, cluster } = here;
    const dora = await register(bob.node);
    const { id } = await dora.upload('first.txt', Buffer.from('first'));
    const columns = 'uploader_id, place, blob_id, filename, content_type, size';
    const more = `INSERT INTO attachments (id, ${columns}, created_at)
      SELECT gen_random_uuid(), ${columns}, now() FROM attachments, generate_series(1, $2) WHERE id = $1`;
    await query(cluster.databaseUrl, more, [id, 98]);
    const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    const isWaiting = async () => (await query(cluster.databaseUrl, waiting)).length > 0;
    const late = await withRows(cluster.databaseUrl, async (rows) => {
      // As another node does it, which is about to add the last one.
      await rows('BEGIN');
      await rows('SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE', [dora.id]);
      await rows(more, [id, 1]);
      const upload = dora.upload('late.txt', Buffer.from('late')).catch((error: Error) => error.message);
      await Promise.race([until(isWaiting), upload]);
      await rows('COMMIT');
      return upload;
    });
    expect(JSON.stringify(late)).to.include('UPLOAD_LIMIT');
  });

  it('are refused before they are stored where too many wait to be sent, or come at once', async () => {
    const { bob, cluster } = here;
    const ella = await register(bob.node);
    const isStored = async (content: string) => {
      const hash = createHash('sha256').update(content).digest('hex');
      return (await query(cluster.databaseUrl, 'SELECT FROM blobs WHERE hash = $1', [hash])).length > 0;
    };
    const refused = async (content: string) => {
      const answer = await ella.upload('more.txt', Buffer.from(content)).catch((error: Error) => error.message);
      expect(JSON.stringify(answer)).to.include('UPLOAD_LIMIT');
      expect(await isStored(content)).to.equal(false);
    };
    const { id } = await ella.upload('first.txt', Buffer.from('first of ella'));
    await query(
      cluster.databaseUrl,
      `INSERT INTO attachments (id, uploader_id, place, blob_id, filename, content_type, size, created_at)
       SELECT gen_random_uuid(), uploader_id, place, blob_id, filename, content_type, size, now()
       FROM attachments, generate_series(1, 98) WHERE id = $1`,
      [id],
    );
    const slow = openUpload(ella);
    slow.write('the hundredth ');
    const begun = 'SELECT FROM blobs WHERE hash IS NULL';
    await until(async () => (await query(cluster.databaseUrl, begun)).length > 0);
    await refused(`beside it ${id}`);
    expect(await slow.end('at last')).to.equal(201);
    await refused(`behind it ${id}`);
  });

  it('are for those who may read the message, and for those with a signed link', async () => {
    const { alice, bob, carol, server } = here;
    const hidden = (await alice.post(`/api/servers/${server.id}/channels`, { name: 'h', isPrivate: true })).body;
    const upload = await alice.upload('secret.txt', Buffer.from('secret'));
    await alice.say(hidden.id, '', { attachments: [{ id: upload.id }] });
    for (const person of [bob, carol]) {
      expect((await download(person, upload.url)).status).to.equal(404);
      expect((await person.get(`/api/attachments/${upload.id}/media-url`)).status).to.equal(404);
    }
    const open = (await alice.post('/api/servers', { name: 'Open', isPublic: true })).body;
    const [hall] = (await alice.get(`/api/servers/${open.id}/channels`)).body;
    const shown = await alice.upload('shown.txt', Buffer.from('shown'));
    await alice.say(hall.id, '', { attachments: [{ id: shown.id }] });
    expect((await bob.get(shown.url)).body.code).to.equal('NOT_A_MEMBER');
    expect((await bob.get(`/api/attachments/${shown.id}/media-url`)).body.code).to.equal('NOT_A_MEMBER');
    expect((await request(alice.node, 'GET', upload.url)).body.code).to.equal('AUTH_TOKEN_MISSING');
    const { url, expiresAt } = (await alice.get(`/api/attachments/${upload.id}/media-url?disposition=attachment`)).body;
    expect(Date.parse(expiresAt) - Date.now()).to.be.within(590_000, 610_000);
    const linked = await fetch(`${bob.node.url}${url}`);
    expect([linked.status, await linked.text()]).to.deep.equal([200, 'secret']);
    expect(linked.headers.get('content-disposition')).to.match(/^attachment/);
    const other = await alice.upload('other.txt', Buffer.from('other'));
    const forged = url.replace(upload.id, other.id);
    // Said before the file is looked for: whoever may see it can have another link.
    for (const path of [forged, `${upload.url}?signature=1.x.y`, `/api/media/${uuid()}?signature=1.x.y`]) {
      const { status, body } = await request(bob.node, 'GET', path);
      expect([status, body.code], path).to.deep.equal([403, 'LINK_EXPIRED']);
    }
  });

  it('are refused when they are too large or no files', async () => {
    const { alice } = here;
    const large = Buffer.alloc(25 * 1024 * 1024 + 1);
    const refused = await alice.upload('large', large).catch((error: Error) => error.message);
    expect(refused).to.include('BODY_TOO_LARGE');
    expect((await alice.post('/api/media/upload', { file: 'x' })).status).to.equal(415);
    const empty = await alice.upload('empty', Buffer.alloc(0));
    expect(empty).to.include({ size: 0, contentType: 'application/octet-stream' });
    expect(Buffer.from(await (await download(alice, empty.url)).arrayBuffer())).to.have.length(0);
  });

  it('that are broken pictures are files all the same', async () => {
    const { alice } = here;
    for (const bytes of [png.subarray(0, 20), Buffer.concat([png.subarray(0, 8), Buffer.alloc(5000, 255)])]) {
      const upload = await alice.upload('broken.png', Uint8Array.from(bytes));
      expect(upload.size).to.equal(bytes.length);
    }
  });

  it('that are not sent within a day are forgotten', async () => {
    const { alice, channel, cluster } = here;
    const [old, sent, fresh] = [
      await alice.upload('old', Buffer.from('old')),
      await alice.upload('sent', Buffer.from('sent')),
      await alice.upload('fresh', Buffer.from('fresh')),
    ];
    await alice.say(channel.id, '', { attachments: [{ id: sent.id }] });
    const age = "UPDATE attachments SET created_at = now() - interval '25 hours' WHERE id = ANY($1::uuid[])";
    await query(cluster.databaseUrl, age, [[old.id, sent.id]]);
    // A node looks after it as it starts, also where another one was at it in that moment.
    const later = await withRows(cluster.databaseUrl, async (rows) => {
      await rows('BEGIN');
      await rows('SELECT pg_advisory_xact_lock($1)', [advisoryLocks.chores]);
      const started = await startCluster({ databaseUrl: cluster.databaseUrl });
      await rows('COMMIT');
      return started;
    });
    await until(async () => (await download(alice, old.url)).status === 404);
    await later.stop();
    expect((await download(alice, sent.url)).status).to.equal(200);
    expect((await download(alice, fresh.url)).status).to.equal(200);
  });
});
