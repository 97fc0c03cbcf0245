// nodes: own

import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import JSZip from 'jszip';
import pg from 'pg';
import { startCluster } from '../world/nodes.ts';
import type { Loose } from '../world/person.ts';
import { type World, world } from '../world/world.ts';
import { type Entry, zip } from './zip.ts';

const page: Entry = { name: 'index.html', content: '<h1>hi</h1>' };

async function uploadTo({ alice, server }: World, bytes: Uint8Array): Promise<Loose> {
  const form = new FormData();
  form.append('file', new File([new Uint8Array(bytes)], 'bundle.zip'));
  const headers = { authorization: `Bearer ${alice.token}` };
  const path = `/api/servers/${server.id}/workspace/upload`;
  return (await fetch(alice.node.url + path, { method: 'POST', body: form, headers })).json();
}

describe('apps from ZIP files', () => {
  let here: World;
  before(async () => {
    here = await world();
  });
  after(() => here.close());

  async function publish(bytes: Uint8Array, slug = 'app'): Promise<{ status: number; body: Loose }> {
    const base = `/api/servers/${here.server.id}`;
    const file = await uploadTo(here, bytes);
    const answer = await here.alice.post(`${base}/apps/publish`, { slug, fileId: file.id });
    await here.alice.delete(`${base}/workspace/files/${file.id}`);
    return answer;
  }

  const serve = async (path: string, slug = 'app') => {
    const answer = await fetch(`${here.bob.node.url}/api/servers/${here.server.id}/apps/${slug}/serve${path}`);
    return answer.status === 200 ? Buffer.from(await answer.arrayBuffer()) : answer.status;
  };

  it('serve what is in them, without the folder around it and without litter', async () => {
    const large = randomBytes(600_000);
    const archive = new JSZip();
    archive.file('dist/index.html', 'home');
    archive.file('dist/assets/ü.js', 'code');
    archive.file('dist/large.bin', large);
    archive.file('__MACOSX/dist/._index.html', 'litter');
    archive.file('dist/.DS_Store', 'litter');
    const { status, body } = await publish(await archive.generateAsync({ type: 'nodebuffer', compression: 'DEFLATE' }));
    expect(status).to.equal(201);
    expect(body).to.include({ name: 'bundle', type: 'zip', version: 1 });
    expect(String(await serve('/'))).to.equal('home');
    expect(String(await serve('/assets/%C3%BC.js'))).to.equal('code');
    expect(large.equals(Buffer.from((await serve('/large.bin')) as Buffer))).to.equal(true);
    expect(await serve('/.DS_Store')).to.equal(404);
    expect(await serve('/__MACOSX/dist/._index.html')).to.equal(404);
  });

  it('have the character set that a page names itself', async () => {
    const latin1 = Buffer.from(
      '<html><head><meta http-equiv="Content-Type" content="text/html; charset=ISO-8859-1">',
      'latin1',
    );
    const pages: [string, Buffer | string, string][] = [
      ['latin1.html', latin1, 'iso-8859-1'],
      ['short.html', "<!-- <meta charset=x> --><meta charset='windows-1251'>", 'windows-1251'],
      ['silent.html', '<h1>Größe</h1>', 'utf-8'],
      ['mark.html', Buffer.from('\ufeff<meta charset="koi8-r">'), 'utf-8'],
      ['wide.html', Buffer.from('\ufeff<p>', 'utf16le'), 'utf-16le'],
      ['odd.html', '<meta charset="utf-16">', 'utf-8'],
      ['empty.html', '', 'utf-8'],
    ];
    await publish(zip([page, ...pages.map(([name, content]) => ({ name, content }))]), 'charsets');
    for (const [name, , charset] of [...pages, ...pages]) {
      const at = `${here.bob.node.url}/api/servers/${here.server.id}/apps/charsets/serve/${name}`;
      const { headers } = await fetch(at, { method: 'HEAD' });
      expect(headers.get('content-type'), name).to.equal(`text/html; charset=${charset}`);
    }
  });

  const nothing = Buffer.alloc(0);
  const spellings = [
    '../x',
    'a/../../x',
    '/etc/passwd',
    '//x',
    'C:/x',
    'c:x',
    '..',
    './x',
    'a/./x',
    'a//x',
    '..\\x',
    'a\\..\\..\\x',
    '\\x',
    'a/..',
    '%2e%2e/x',
    'a%2f..%2fx',
    '%2E%2e%5cx',
    'x\0.html',
    'a\nb',
    '\u0007',
    '../',
    '/',
    'a/b/../../../x',
  ];
  const hostile: [string, Uint8Array][] = [
    ...spellings.map((name): [string, Buffer] => [
      `the name ${JSON.stringify(name)}`,
      zip([page, { name, content: 'x' }]),
    ]),
    ['a name too long', zip([page, { name: 'x'.repeat(2000) }])],
    ['a symbolic link', zip([page, { name: 'link', content: '/etc/passwd', mode: 0o120777 }])],
    ['a device', zip([page, { name: 'device', mode: 0o020666 }])],
    ['an encrypted entry', zip([page, { name: 'secret', content: 'x', claims: { flags: 0x0801 } }])],
    ['an unknown method', zip([page, { name: 'lzma', content: 'x', claims: { method: 14 } }])],
    [
      'no index.html at its top',
      zip([
        { name: 'page.html', content: 'x' },
        { name: 'docs/index.html', content: 'x' },
      ]),
    ],
    ['the same name twice', zip([page, { name: 'x', content: '1' }, { name: 'x', content: '2' }])],
    ['a file that is a folder too', zip([page, { name: 'x', content: '1' }, { name: 'x/y', content: '2' }])],
    ['a size that is too small', zip([page, { name: 'lie', content: 'x'.repeat(1000), claims: { size: 10 } }])],
    ['a size that is too large', zip([page, { name: 'lie', content: 'x', claims: { size: 1000 } }])],
    ['a wrong checksum', zip([page, { name: 'lie', content: 'x', claims: { crc: 1 } }])],
    [
      'data that is not there',
      zip([page, { name: 'lie', content: 'x', stored: true, claims: { size: 9e6, compressed: 9e6 } }]),
    ],
    ['an offset beyond its end', zip([page, { name: 'lie', content: 'x', offset: 0x7fffffff }])],
    [
      'data that cannot be inflated',
      zip([page, { name: 'noise', content: randomBytes(100), stored: true, claims: { method: 8 } }]),
    ],
    ['too many entries', zip([page, ...Array.from({ length: 2000 }, (_, i) => ({ name: `f${i}`, content: '' }))])],
    ['more entries than there are', zip([page], 500)],
    ['no ZIP at all', Buffer.from('this is no archive, whatever its name says')],
    ['nothing', nothing],
    ['only its end', zip([]).subarray(0, 10)],
  ];
  for (const [what, bytes] of hostile) {
    it(`are refused with ${what}`, async () => {
      const begun = Date.now();
      const { status, body } = await publish(bytes, 'hostile');
      expect([status, body.code], JSON.stringify(body)).to.deep.equal([400, 'BUNDLE_INVALID']);
      expect(body.error).to.be.a('string').and.match(/\.$/);
      expect(Date.now() - begun).to.be.lessThan(15_000);
      expect(await serve('/', 'hostile')).to.equal(404);
    });
  }

  it('are refused when they are bombs: large, or many on the same bytes', async () => {
    const megabytes = (count: number) => Buffer.alloc(count * 1024 * 1024);
    const announced = zip([page, { name: 'bomb', content: megabytes(101) }]);
    expect(announced.length).to.be.lessThan(200_000);
    expect((await publish(announced, 'hostile')).body.code).to.equal('BUNDLE_INVALID');
    const lying = zip([page, { name: 'bomb', content: megabytes(101), claims: { size: 1000 } }]);
    expect((await publish(lying, 'hostile')).body.code).to.equal('BUNDLE_INVALID');
    const kernel: Entry = { name: 'k', content: megabytes(1) };
    const overlapping = zip([
      kernel,
      ...Array.from({ length: 150 }, (_, i) => ({ ...kernel, name: `k${i}`, offset: 0 })),
    ]);
    expect((await publish(overlapping, 'hostile')).body.code).to.equal('BUNDLE_INVALID');
  });

  it('that are refused leave the version before in its place', async () => {
    await publish(zip([page]), 'kept');
    expect((await publish(zip([page, { name: '../x' }]), 'kept')).status).to.equal(400);
    expect(String(await serve('/', 'kept'))).to.equal('<h1>hi</h1>');
    expect((await here.bob.get(`/api/servers/${here.server.id}/apps/kept`)).body.version).to.equal(1);
  });
});

describe('an app from a ZIP file that takes long to be taken apart', () => {
  it('is published once where its request has a key, however long that is', async () => {
    const cluster = await startCluster({ nodes: 1, settings: { database: { idleTransactionMs: 1500 } } });
    const here = await world(cluster);
    const { alice, server } = here;
    const large = { name: 'large.bin', content: randomBytes(600_000) };
    const file = await uploadTo(here, zip([large, page]));
    const client = new pg.Client(cluster.databaseUrl);
    await client.connect();
    const publish = () =>
      alice.post(
        `/api/servers/${server.id}/apps/publish`,
        { slug: 'slow', fileId: file.id },
        { 'idempotency-key': 'k' },
      );
    let isAnswered = false;
    const publishing = publish().finally(() => {
      isAnswered = true;
    });
    // Each of its pieces has to wait for a while.
    while (!isAnswered) {
      await client.query('BEGIN');
      await client.query('LOCK TABLE blob_chunks IN EXCLUSIVE MODE');
      await delay(500);
      await client.query('COMMIT');
    }
    await client.end();
    const { status, body } = await publishing;
    expect([status, body.version], JSON.stringify(body)).to.deep.equal([201, 1]);
    expect((await publish()).body).to.deep.equal(body);
    here.close();
    await cluster.stop();
  });

  it('is not said to be broken for what went wrong in the database', async () => {
    const cluster = await startCluster({ nodes: 1, settings: { database: { idleTransactionMs: 600 } } });
    const here = await world(cluster);
    const { alice, server } = here;
    const file = await uploadTo(here, zip([page]));
    const client = new pg.Client(cluster.databaseUrl);
    await client.connect();
    await client.query('BEGIN');
    await client.query('LOCK TABLE blob_chunks IN EXCLUSIVE MODE');
    const key = { 'idempotency-key': 'k' };
    const publishing = alice.post(`/api/servers/${server.id}/apps/publish`, { slug: 'held', fileId: file.id }, key);
    // A change waits for a lock for less than that, and begins anew.
    await delay(700);
    await client.query('COMMIT');
    await client.end();
    expect((await publishing).status).to.equal(201);
    here.close();
    await cluster.stop();
  });
});
