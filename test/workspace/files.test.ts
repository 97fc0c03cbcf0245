import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import JSZip from 'jszip';
import type { Loose, Person } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

/** A multipart upload as browsers send it. */
async function upload(
  who: Person,
  base: string,
  name: string,
  bytes: Uint8Array | string,
  fields = {},
): Promise<Loose> {
  const form = new FormData();
  const content = typeof bytes === 'string' ? bytes : new Uint8Array(bytes);
  form.append('file', new File([content], name, { type: 'application/x-claimed' }));
  for (const [key, value] of Object.entries(fields)) form.append(key, String(value));
  const headers = { authorization: `Bearer ${who.token}` };
  const response = await fetch(`${who.node.url}${base}/upload`, { method: 'POST', body: form, headers });
  return { status: response.status, body: await response.json() };
}

async function bytesOf(who: Person, address: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${who.node.url}${address}`, {
    headers: { authorization: `Bearer ${who.token}`, ...headers },
  });
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
}

describe('files of a workspace', () => {
  let here: World;
  let base: string;
  beforeEach(async () => {
    here = await world();
    base = `/api/servers/${here.server.id}/workspace`;
  });
  afterEach(() => here.close());

  const file = async (name: string, content: string, parentId: string | null = null): Promise<Loose> =>
    (await here.alice.post(`${base}/files`, { name, content, parentId })).body;

  it('have the type that a new name promises', async () => {
    const made = await file('untitled.txt', '<h1>page</h1>');
    const rename = async (name: string) => (await here.alice.patch(`${base}/files/${made.id}`, { name })).body;
    expect(await rename('page.html')).to.include({ mime: 'text/html', ext: '.html', version: 2 });
    const app = await here.alice.post(`/api/servers/${here.server.id}/apps/publish`, { fileId: made.id });
    expect(app.body).to.include({ name: 'page', type: 'html' });
    expect(await rename('page')).to.include({ mime: 'text/html', ext: null });
    const folder = (await here.alice.post(`${base}/folders`, { name: 'a' })).body;
    const renamed = await here.alice.patch(`${base}/folders/${folder.id}`, { name: 'a.html' });
    expect(renamed.body).to.include({ mime: null, ext: null });
  });

  describe('with text', () => {
    it('keep it byte for byte', async () => {
      const text = 'é\r\n\t日本 👩‍👩‍👧‍👦\ufeff';
      const made = await file('a.bin', text);
      expect(made)
        .to.include({ sizeBytes: Buffer.byteLength(text), version: 1 })
        .and.not.have.property('content');
      expect((await here.bob.get(`${base}/files/${made.id}`)).body.content).to.equal(text);
      const large = 'x'.repeat(1_500_000);
      expect((await here.bob.patch(`${base}/files/${made.id}`, { content: large })).body.sizeBytes).to.equal(1_500_000);
      expect((await here.alice.get(`${base}/files/${made.id}`)).body.content).to.equal(large);
      expect((await here.alice.post(`${base}/files`, { name: 'x', content: 'a\0b' })).status).to.equal(400);
    });

    it('answer 412 to a change of what is there no more', async () => {
      const made = await file('a.txt', 'one');
      const read = await here.bob.get(`${base}/files/${made.id}`);
      const etag = read.headers.get('etag') ?? '';
      expect(etag).to.equal('"1"');
      const save = (who: Person, content: string, tag: string) =>
        who.patch(`${base}/files/${made.id}`, { content }, { 'if-match': tag });
      const answers = await Promise.all([save(here.alice, 'two', etag), save(here.bob, 'three', etag)]);
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 412]);
      const [won, lost] = answers[0]?.status === 200 ? answers : [...answers].reverse();
      expect(lost?.body).to.include({ code: 'FILE_CHANGED', version: 2 });
      expect(won?.headers.get('etag')).to.equal('"2"');
      expect((await save(here.bob, 'four', 'W/"2"')).status).to.equal(200);
      expect((await save(here.bob, 'five', '*')).status).to.equal(200);
      expect((await save(here.bob, 'six', '"3", "4"')).status).to.equal(200);
      expect((await here.bob.get(`${base}/files/${made.id}`)).body).to.include({ content: 'six', version: 5 });
    });

    it('answer 412 also to a change of a version that never was, and 400 to what is no ETag', async () => {
      const made = await file('a.txt', 'one');
      const save = (tag: string) => here.bob.patch(`${base}/files/${made.id}`, { content: 'two' }, { 'if-match': tag });
      for (const tag of ['"nope"', '""', '"01"', '"1,2"', '"99999999999"', 'W/"nope"', '"2", "nope"', '99999999999']) {
        const { status, body } = await save(tag);
        expect([status, body.code, body.version], tag).to.deep.equal([412, 'FILE_CHANGED', 1]);
      }
      for (const tag of ['nope', '"1', '1"', '"1" "2"', '"1",', "'1'", '*, "1"', 'w/"1"']) {
        expect((await save(tag)).status, tag).to.equal(400);
      }
      expect((await here.bob.get(`${base}/files/${made.id}`)).body).to.include({ content: 'one', version: 1 });
    });

    it('are cloned beside themselves', async () => {
      const made = await file('a.txt', 'text');
      const clone = await here.bob.post(`${base}/files/${made.id}/clone`);
      expect(clone.status).to.equal(201);
      expect(clone.body).to.include({ name: 'a (1).txt', mime: 'text/plain', createdBy: here.bob.id, sizeBytes: 4 });
      expect((await here.bob.get(`${base}/files/${clone.body.id}`)).body.content).to.equal('text');
    });
  });

  describe('that are uploaded', () => {
    it('arrive in their folder, whatever the order of the fields', async () => {
      const folder = (await here.alice.post(`${base}/folders`, { name: 'in' })).body;
      const bytes = randomBytes(700_000);
      const { status, body } = await upload(here.alice, base, 'naïve "x".bin', bytes, { parentId: folder.id });
      expect(status).to.equal(201);
      expect(body).to.include({ path: '/in/naïve "x".bin', sizeBytes: 700_000, mime: 'application/octet-stream' });
      const back = await bytesOf(here.bob, `${base}/files/${body.id}/download`);
      expect(back.bytes.equals(bytes)).to.equal(true);
      expect((await here.bob.get(`${base}/files/${body.id}`)).body.content).to.equal(null);
      expect((await upload(here.bob, base, 'naïve "x".bin', bytes, { parentId: folder.id })).body.name).to.equal(
        'naïve "x" (1).bin',
      );
    });

    it('are text where they are text, and of the type that their name or their bytes say', async () => {
      const png = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex');
      const kind = async (name: string, bytes: Uint8Array | string) => {
        const { body } = await upload(here.alice, base, name, bytes);
        return [body.mime, (await here.bob.get(`${base}/files/${body.id}`)).body.content];
      };
      expect(await kind('a.md', '# title')).to.deep.equal(['text/markdown', '# title']);
      expect(await kind('README', 'plain ü')).to.deep.equal(['text/plain', 'plain ü']);
      expect(await kind('empty', '')).to.deep.equal(['text/plain', '']);
      expect(await kind('picture', png)).to.deep.equal(['image/png', null]);
      expect(await kind('latin1.txt', Buffer.from([0x66, 0xfc, 0x72]))).to.deep.equal(['text/plain', null]);
      expect(await kind('cut.txt', Buffer.from([0x66, 0xe2, 0x82]))).to.deep.equal(['text/plain', null]);
      expect(await kind('x.dat', Buffer.from([1, 0, 2]))).to.deep.equal(['application/octet-stream', null]);
    });

    it('are refused from strangers, into nowhere, without a file, with no name, or too large', async () => {
      expect((await upload(here.carol, base, 'a', 'x')).status).to.equal(404);
      const nowhere = await upload(here.alice, base, 'a', 'x', { parentId: crypto.randomUUID() });
      expect(nowhere.body.code).to.equal('FOLDER_NOT_FOUND');
      expect((await upload(here.alice, base, 'a', 'x', { parentId: 'nonsense' })).status).to.equal(400);
      expect((await upload(here.alice, base, '..', 'x')).body.issues[0].path).to.equal('name');
      const json = await here.alice.post(`${base}/upload`, { file: 'x' });
      expect(json.body.code).to.equal('UNSUPPORTED_MEDIA_TYPE');
      const form = new FormData();
      form.append('parentId', '');
      const headers = { authorization: `Bearer ${here.alice.token}` };
      const none = await fetch(`${here.alice.node.url}${base}/upload`, { method: 'POST', body: form, headers });
      const refused: Loose = await none.json();
      expect([none.status, refused.issues[0].path]).to.deep.equal([400, 'file']);
      const large = await upload(here.alice, base, 'large', new Uint8Array(102 * 1024 * 1024));
      expect([large.status, large.body.code]).to.deep.equal([413, 'BODY_TOO_LARGE']);
      expect((await here.alice.get(`${base}/stats`)).body.fileCount).to.equal(0);
    });

    it('are counted once with an Idempotency-Key', async () => {
      const send = async (): Promise<Loose> => {
        const form = new FormData();
        form.append('file', new File(['same'], 'a.txt'));
        const headers = { authorization: `Bearer ${here.alice.token}`, 'idempotency-key': 'u1' };
        const response = await fetch(`${here.alice.node.url}${base}/upload`, { method: 'POST', body: form, headers });
        return response.json();
      };
      const [first, second] = [await send(), await send()];
      expect(first.id).to.equal(second.id);
      expect((await here.alice.get(`${base}/stats`)).body.fileCount).to.equal(1);
    });
  });

  describe('that are downloaded', () => {
    it('come whole or in parts, and not again when nothing changed', async () => {
      const made = await file('a.txt', '0123456789');
      const address = `${base}/files/${made.id}/download`;
      const whole = await bytesOf(here.bob, address);
      expect([whole.status, whole.bytes.toString()]).to.deep.equal([200, '0123456789']);
      expect(whole.headers.get('accept-ranges')).to.equal('bytes');
      const etag = whole.headers.get('etag') ?? '';
      const part = async (range: string, more = {}) => {
        const { status, bytes, headers } = await bytesOf(here.bob, address, { range, ...more });
        return [status, bytes.toString(), headers.get('content-range')];
      };
      expect(await part('bytes=2-4')).to.deep.equal([206, '234', 'bytes 2-4/10']);
      expect(await part('bytes=7-')).to.deep.equal([206, '789', 'bytes 7-9/10']);
      expect(await part('bytes=-2')).to.deep.equal([206, '89', 'bytes 8-9/10']);
      expect(await part('bytes=5-99')).to.deep.equal([206, '56789', 'bytes 5-9/10']);
      expect(await part('bytes=10-')).to.deep.equal([416, '', 'bytes */10']);
      expect(await part('bytes=5-2')).to.deep.equal([200, '0123456789', null]);
      expect(await part('lines=1-2')).to.deep.equal([200, '0123456789', null]);
      expect(await part('bytes=0-0', { 'if-range': etag })).to.deep.equal([206, '0', 'bytes 0-0/10']);
      expect(await part('bytes=0-0', { 'if-range': '"other"' })).to.deep.equal([200, '0123456789', null]);
      const again = await bytesOf(here.bob, address, { 'if-none-match': `"x", ${etag}` });
      expect([again.status, again.bytes.length]).to.deep.equal([304, 0]);
      const head = await fetch(`${here.bob.node.url}${address}`, {
        method: 'HEAD',
        headers: { authorization: `Bearer ${here.bob.token}` },
      });
      expect(head.headers.get('content-length')).to.equal('10');
    });

    it('are shown inline only when they can do no harm', async () => {
      const ask = async (name: string, disposition: string) => {
        const { id } = (await upload(here.alice, base, name, '<script>alert(1)</script>')).body;
        const { headers } = await bytesOf(here.bob, `${base}/files/${id}/download?disposition=${disposition}`);
        expect(headers.get('x-content-type-options')).to.equal('nosniff');
        const isPdf = headers.get('content-type') === 'application/pdf';
        // The viewers of browsers run in no sandbox, and what is no PDF file is shown by none.
        expect(headers.get('content-security-policy')).to.contain(isPdf ? "frame-ancestors 'self'" : 'sandbox');
        return [headers.get('content-disposition')?.split(';')[0], headers.get('content-type')];
      };
      expect(await ask('a.html', 'inline')).to.deep.equal(['attachment', 'application/octet-stream']);
      expect(await ask('a.svg', 'inline')).to.deep.equal(['attachment', 'application/octet-stream']);
      expect(await ask('a.pdf', 'attachment')).to.deep.equal(['attachment', 'application/octet-stream']);
      expect(await ask('a.pdf', 'inline')).to.deep.equal(['inline', 'application/pdf']);
      expect(await ask('a.png', 'attachment')).to.deep.equal(['attachment', 'application/octet-stream']);
      expect(await ask('a.png', 'inline')).to.deep.equal(['inline', 'image/png']);
      expect(await ask('a.txt', 'inline')).to.deep.equal(['inline', 'text/plain; charset=utf-8']);
    });

    it('say their names in a header that nothing can break out of', async () => {
      const { id } = (await upload(here.alice, base, 'naïve "; filename=x 日.txt', 'x')).body;
      const { headers } = await bytesOf(here.bob, `${base}/files/${id}/download`);
      expect(headers.get('content-disposition')).to.equal(
        'attachment; filename="na_ve _; filename=x _.txt"; ' +
          "filename*=UTF-8''na%C3%AFve%20%22%3B%20filename%3Dx%20%E6%97%A5.txt",
      );
    });

    it('say the ending that they have, however the name is written', async () => {
      const name = 'photo\u202egpj.exe';
      const { body } = await upload(here.bob, base, name, 'x');
      expect(body.name).to.equal('photogpj.exe');
      // Earlier versions kept names as they were typed.
      await query(here.cluster.databaseUrl, 'UPDATE workspace_nodes SET name = $2 WHERE id = $1', [body.id, name]);
      const { headers } = await bytesOf(here.bob, `${base}/files/${body.id}/download`);
      expect(headers.get('content-disposition')).to.equal(
        `attachment; filename="photogpj.exe"; filename*=UTF-8''photogpj.exe`,
      );
    });

    it('are reached by signed links, for a while and for what they were made for', async () => {
      const made = await file('a.txt', 'linked');
      const { body } = await here.bob.get(`${base}/files/${made.id}/media-url?disposition=inline`);
      expect(Date.parse(body.expiresAt) - Date.now()).to.be.within(590_000, 600_000);
      const open = async (url: string) => {
        const response = await fetch(new URL(url, here.alice.node.url));
        return [response.status, await response.text(), response.headers.get('content-disposition')?.split(';')[0]];
      };
      expect(await open(body.url)).to.deep.equal([200, 'linked', 'inline']);
      const other = await file('b.txt', 'other');
      for (const forged of [
        body.url.replace(made.id, other.id),
        body.url.replace('inline', 'attachment'),
        body.url.replace(/token=\d+/, 'token=9999999999'),
        body.url.replace(/token=.*/, 'token='),
      ]) {
        expect((await open(forged))[0], forged).to.equal(403);
      }
      expect((await here.carol.get(`${base}/files/${made.id}/media-url`)).status).to.equal(404);
      await here.alice.delete(`${base}/files/${made.id}`);
      expect((await open(body.url))[0]).to.equal(404);
    });
  });

  describe('in a ZIP', () => {
    const checked = async (bytes: Buffer): Promise<JSZip> => {
      const folder = mkdtempSync(path.join(tmpdir(), 'parley-zip-'));
      const archive = path.join(folder, 'a.zip');
      writeFileSync(archive, bytes);
      if (existsSync('/usr/bin/unzip')) execFileSync('/usr/bin/unzip', ['-tqq', archive]);
      rmSync(folder, { recursive: true });
      return JSZip.loadAsync(bytes, { checkCRC32: true });
    };

    it('are all of a folder, with its contents at the root and empty folders kept', async () => {
      const docs = (await here.alice.post(`${base}/folders`, { name: 'döcs' })).body;
      const inner = (await here.alice.post(`${base}/folders`, { name: '日本', parentId: docs.id })).body;
      await here.alice.post(`${base}/folders`, { name: 'empty', parentId: docs.id });
      await file('note 👩‍👩‍👧‍👦.txt', 'hello', inner.id);
      await file('none', '', docs.id);
      const media = randomBytes(900_000);
      await upload(here.alice, base, 'media.bin', media, { parentId: docs.id });
      const folder = await bytesOf(here.bob, `${base}/folders/${docs.id}/download`);
      expect(folder.headers.get('content-type')).to.equal('application/zip');
      expect(folder.headers.get('content-disposition')).to.contain("filename*=UTF-8''d%C3%B6cs.zip");
      const zip = await checked(folder.bytes);
      expect(Object.keys(zip.files)).to.have.members([
        'empty/',
        '日本/',
        '日本/note 👩‍👩‍👧‍👦.txt',
        'none',
        'media.bin',
      ]);
      expect(await zip.file('日本/note 👩‍👩‍👧‍👦.txt')?.async('text')).to.equal('hello');
      expect((await zip.file('media.bin')?.async('nodebuffer'))?.equals(media)).to.equal(true);
      const whole = await checked((await bytesOf(here.bob, `${base}/download`)).bytes);
      expect(await whole.file('döcs/日本/note 👩‍👩‍👧‍👦.txt')?.async('text')).to.equal('hello');
      expect((await bytesOf(here.carol, `${base}/download`)).status).to.equal(404);
    });

    it('may be nothing at all', async () => {
      const { bytes } = await bytesOf(here.alice, `${base}/download`);
      expect(Object.keys((await JSZip.loadAsync(bytes)).files)).to.be.empty;
    });

    it('are left alone when the one who downloads goes away', async () => {
      await upload(here.alice, base, 'large.bin', randomBytes(5_000_000));
      const controller = new AbortController();
      const headers = { authorization: `Bearer ${here.alice.token}` };
      const response = await fetch(`${here.alice.node.url}${base}/download`, { headers, signal: controller.signal });
      await response.body?.getReader().read();
      controller.abort();
      expect((await here.alice.get(`${base}/stats`)).status).to.equal(200);
    });
  });
});
