// nodes: own

import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { isLitter, nameOf, pathOf } from '../../src/contract/schema/zip-names.ts';
import { findProgram } from '../rig/debian-program.ts';
import type { Loose } from '../world/person.ts';
import { type World, world } from '../world/world.ts';
import { type Entry, zip } from './zip.ts';

const run = promisify(execFile);
const page: Entry = { name: 'index.html', content: 'home' };
const name = 'Größe/Übersicht é.txt';

describe('names in ZIP files', () => {
  let here: World;
  let home: string;
  before(async () => {
    here = await world();
    home = await mkdtemp(path.join(tmpdir(), 'parley-names-'));
    await mkdir(path.join(home, path.dirname(name)));
    await writeFile(path.join(home, 'index.html'), 'home');
    await writeFile(path.join(home, name), 'found');
  });
  after(async () => {
    here.close();
    await rm(home, { recursive: true });
  });

  let count = 0;
  async function publish(bytes: Uint8Array): Promise<{ status: number; body: Loose; slug: string }> {
    const { alice, server } = here;
    const form = new FormData();
    form.append('file', new File([new Uint8Array(bytes)], 'bundle.zip'));
    const headers = { authorization: `Bearer ${alice.token}` };
    const upload = `${alice.node.url}/api/servers/${server.id}/workspace/upload`;
    const file: Loose = await (await fetch(upload, { method: 'POST', body: form, headers })).json();
    const slug = `app-${count++}`;
    return { slug, ...(await alice.post(`/api/servers/${server.id}/apps/publish`, { slug, fileId: file.id })) };
  }
  const serve = async (slug: string, path: string) => {
    const address = `${here.alice.node.url}/api/servers/${here.server.id}/apps/${slug}/serve/${encodeURI(path)}`;
    const answer = await fetch(address);
    return answer.status === 200 ? answer.text() : answer.status;
  };
  const found = async (bytes: Uint8Array) => {
    const { status, body, slug } = await publish(bytes);
    expect(status, JSON.stringify(body)).to.equal(201);
    expect(await serve(slug, name.normalize('NFC'))).to.equal('found');
    expect(await serve(slug, name.normalize('NFD'))).to.equal('found');
    return slug;
  };

  it('are those that zip and 7-Zip were given', async () => {
    const zipper = await findProgram({ package: 'zip', file: 'usr/bin/zip', versionFlag: '-v' });
    const sevenZip = await findProgram({ package: 'p7zip-full', file: 'usr/lib/p7zip/7z', versionFlag: 'i' });
    for (const [{ command, env }, args] of [
      [zipper, ['-rq']],
      [sevenZip, ['a', '-tzip']],
    ] as const) {
      for (const locale of ['C', 'C.UTF-8']) {
        const archive = path.join(home, `${path.basename(command)}-${locale}.zip`);
        const options = { cwd: home, env: { ...env, LC_ALL: locale } };
        await run(command, [...args, archive, 'index.html', path.dirname(name)], options);
        const bytes = await readFile(archive);
        // In the C locale 7-Zip 16 takes each byte of a name for a character, and says so: nobody can tell.
        if (command.endsWith('7z') && locale === 'C') continue;
        await found(bytes);
      }
    }
  });

  it('are UTF-8 if they can be, marked or not, else code page 437, with slashes of either kind', async () => {
    const unmarked = { flags: 0 };
    await found(zip([page, { name, content: 'found' }]));
    await found(zip([page, { name, content: 'found', claims: unmarked }]));
    await found(zip([page, { name: name.replaceAll('/', '\\'), content: 'found' }]));
    const old = Buffer.from('4772 94e1 652f 9a62 6572 7369 6368 7420 82 2e74 7874'.replaceAll(' ', ''), 'hex');
    await found(zip([page, { name: old, content: 'found', claims: unmarked }]));
  });

  it('of macOS are composed, and what it adds does not count', async () => {
    const litter = (of: string): Entry => ({ name: `__MACOSX/._${of}`, content: 'litter' });
    const many = Array.from({ length: 1990 }, (_, i) => `f${i}`);
    const slug = await found(
      zip([
        page,
        litter('index.html'),
        { name: name.normalize('NFD'), content: 'found', claims: { flags: 0 } },
        { name: '.DS_Store', content: 'litter' },
        { name: 'Größe/._x', content: 'litter' },
        ...many.flatMap((of) => [{ name: of, content: '' }, litter(of)]),
      ]),
    );
    for (const path of ['__MACOSX/._index.html', '.DS_Store', 'Größe/._x'])
      expect(await serve(slug, path)).to.equal(404);
  });

  it('in workspaces are composed too, and found in either form', async () => {
    const base = `/api/servers/${here.server.id}/workspace`;
    const made = await here.alice.post(`${base}/files`, { name: 'Maß é.txt'.normalize('NFD'), content: '' });
    expect(made.body.name).to.equal('Maß é.txt'.normalize('NFC'));
    for (const form of ['NFC', 'NFD']) {
      const query = encodeURIComponent('é'.normalize(form));
      expect((await here.alice.get(`${base}/files/search?query=${query}`)).body).to.have.lengthOf(1);
    }
  });

  it('are read by rules of which nothing is left open', () => {
    expect(nameOf(Uint8Array.from({ length: 256 }, (_, i) => i))).to.have.lengthOf(256);
    expect(pathOf('a\\b/c')).to.equal('a/b/c');
    const litter = ['__MACOSX', '__MACOSX/x', 'a/.DS_Store', 'a/._b', 'Thumbs.db', 'a/desktop.ini'];
    expect(litter.filter((path) => !isLitter(path))).to.deep.equal([]);
    expect(['a.DS_Store', 'MACOSX/x', 'a._b', '._a/b'].filter(isLitter)).to.deep.equal([]);
  });
});
