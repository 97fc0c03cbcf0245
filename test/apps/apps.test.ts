import { expect } from 'chai';
import { raw } from '../rest/raw.ts';
import { until } from '../rig/until.ts';
import { type Loose, type Person, request } from '../world/person.ts';
import { withRows } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

async function open(who: Person, path: string, headers: Record<string, string> = {}, method = 'GET') {
  const response = await fetch(`${who.node.url}${path}`, { method, headers, redirect: 'manual' });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

describe('apps', () => {
  let here: World;
  let base: string;
  let workspace: string;
  beforeEach(async () => {
    here = await world();
    base = `/api/servers/${here.server.id}/apps`;
    workspace = `/api/servers/${here.server.id}/workspace`;
  });
  afterEach(() => here.close());

  const html = async (more: object = {}): Promise<Loose> =>
    (await here.alice.post(base, { name: 'Hello World', type: 'html', htmlContent: '<h1>hi</h1>', ...more })).body;
  const folder = async (files: Record<string, string>, name = 'site'): Promise<Loose> => {
    const made = (await here.alice.post(`${workspace}/folders`, { name })).body;
    for (const [path, content] of Object.entries(files)) {
      let parentId = made.id;
      const parts = path.split('/');
      for (const part of parts.slice(0, -1)) {
        const inside: Loose[] = (await here.alice.get(`${workspace}/children?parentId=${parentId}`)).body;
        const known = inside.find((node) => node.name === part);
        parentId = (known ?? (await here.alice.post(`${workspace}/folders`, { name: part, parentId })).body).id;
      }
      await here.alice.post(`${workspace}/files`, { name: parts.at(-1), content, parentId });
    }
    return made;
  };

  it('are made by admins and seen by members, by id and by slug', async () => {
    const { alice, bob, carol, server } = here;
    const app = await html({ description: 'An app' });
    expect(app).to.include({
      serverId: server.id,
      name: 'Hello World',
      slug: 'hello-world',
      type: 'html',
      status: 'active',
      description: 'An app',
      version: 1,
      isHomepage: false,
      viewCount: 0,
      createdBy: alice.id,
    });
    const seen = await bob.get(`/api/servers/${server.slug}/apps/hello-world`);
    expect(seen.body).to.deep.equal({ ...app, htmlContent: '<h1>hi</h1>' });
    expect((await bob.get(`${base}/${app.id}`)).body.id).to.equal(app.id);
    expect((await carol.get(`${base}/${app.id}`)).status).to.equal(404);
    for (const refused of [
      await bob.post(base, { name: 'x', type: 'html', htmlContent: '' }),
      await bob.patch(`${base}/${app.id}`, { name: 'x' }),
      await bob.delete(`${base}/${app.id}`),
      await bob.post(`${base}/publish`, { name: 'x', folderId: crypto.randomUUID() }),
    ]) {
      expect([refused.status, refused.body.code]).to.deep.equal([403, 'ROLE_REQUIRED']);
    }
    expect((await bob.get(`${base}/nothing`)).body.code).to.equal('APP_NOT_FOUND');
  });

  it('need what their type needs', async () => {
    const fails = async (body: object) => {
      const answer = await here.alice.post(base, { name: 'x', ...body });
      return [answer.status, answer.body.issues?.[0].path ?? answer.body.code];
    };
    expect(await fails({ type: 'html' })).to.deep.equal([400, 'htmlContent']);
    expect(await fails({ type: 'zip' })).to.deep.equal([400, 'fileId']);
    expect(await fails({ type: 'url' })).to.deep.equal([400, 'url']);
    expect(await fails({ type: 'exe' })).to.deep.equal([400, 'type']);
    expect(await fails({ type: 'html', htmlContent: 'x'.repeat(1024 * 1024 + 1) })).to.deep.equal([400, 'htmlContent']);
    expect(await fails({ type: 'html', htmlContent: '', slug: 'Not A Slug' })).to.deep.equal([400, 'slug']);
    expect(await fails({ type: 'html', htmlContent: '', slug: 'homepage' })).to.deep.equal([400, 'slug']);
    expect(await fails({ type: 'url', url: 'http://example.com' })).to.deep.equal([422, 'UNSAFE_URL']);
    expect(await fails({ type: 'url', url: 'https://127.1/' })).to.deep.equal([422, 'UNSAFE_URL']);
    expect(await fails({ type: 'zip', fileId: crypto.randomUUID() })).to.deep.equal([404, 'FILE_NOT_FOUND']);
  });

  it('have slugs of their own', async () => {
    await html({ slug: 'taken' });
    const again = await here.alice.post(base, { name: 'x', type: 'html', htmlContent: '', slug: 'taken' });
    expect([again.status, again.body.code]).to.deep.equal([409, 'SLUG_TAKEN']);
    const slugs = await Promise.all(Array.from({ length: 4 }, () => html({ name: 'Ärger & Söhne' })));
    expect(slugs.map((app) => app.slug)).to.have.members([1, 2, 3, 4].map((n) => `arger-sohne${n > 1 ? `-${n}` : ''}`));
    expect((await html({ name: '日本' })).slug).to.equal('app');
    // One that is made of a name may also be given by hand.
    for (const name of ['Homepage', 'Join requests', '12345678 1234 1234 1234 123456789abc']) {
      const { slug } = await html({ name });
      expect((await here.alice.patch(`${base}/${slug}`, { slug })).body.slug, name).to.equal(slug);
    }
    const renamed = await here.alice.patch(`${base}/app`, { slug: 'taken' });
    expect(renamed.body.code).to.equal('SLUG_TAKEN');
  });

  it('are in their own server alone, also for admins of another', async () => {
    const { id, slug } = await html({ name: 'Ours', slug: 'ours' });
    const theirs = (await here.bob.post('/api/servers', { name: 'Theirs' })).body;
    const astray = `/api/servers/${theirs.id}/apps`;
    for (const name of [id, slug]) {
      const path = `${astray}/${name}`;
      const answers = [here.bob.get(path), here.bob.patch(path, { name: 'Mine' }), here.bob.delete(path)];
      for (const { body } of await Promise.all(answers)) expect(body.code).to.equal('APP_NOT_FOUND');
      expect((await open(here.bob, `${path}/serve/`)).status).to.equal(404);
    }
    expect((await here.alice.get(`${base}/${id}`)).body.name).to.equal('Ours');
  });

  it('are listed: the active ones to members, all to admins', async () => {
    const [draft, active] = [await html({ status: 'draft' }), await html()];
    const { body } = await here.bob.get(base);
    expect(body.items.map((app: Loose) => app.id)).to.deep.equal([active.id]);
    expect(body.apps).to.deep.equal(body.items);
    expect(body.total).to.equal(1);
    expect((await here.alice.get(base)).body.total).to.equal(2);
    expect((await here.alice.get(`${base}?status=draft`)).body.items[0].id).to.equal(draft.id);
    expect((await here.bob.get(`${base}?status=draft`)).body).to.include({ total: 0 });
    expect((await here.alice.get(`${base}?limit=1&offset=1`)).body.items[0].id).to.equal(active.id);
    expect((await here.alice.get(`${base}?limit=0`)).status).to.equal(400);
    expect((await here.bob.get(`${base}/${draft.id}`)).status).to.equal(404);
    expect((await open(here.bob, `${base}/${draft.id}/serve/`)).status).to.equal(404);
    await here.alice.patch(`${base}/${active.id}`, { status: 'archived' });
    expect((await open(here.bob, `${base}/${active.id}/serve/`)).status).to.equal(404);
  });

  it('can be the homepage, one at a time', async () => {
    expect((await here.bob.get(`${base}/homepage`)).body.code).to.equal('APP_NOT_FOUND');
    const first = await html({ isHomepage: true });
    expect((await here.bob.get(`${base}/homepage`)).body.id).to.equal(first.id);
    const apps = await Promise.all(Array.from({ length: 4 }, () => html({ isHomepage: true })));
    await Promise.all(apps.map((app) => here.alice.patch(`${base}/${app.id}`, { isHomepage: true })));
    const pages = (await here.alice.get(base)).body.items.filter((app: Loose) => app.isHomepage);
    expect(pages).to.have.lengthOf(1);
    await here.alice.delete(`${base}/${pages[0].id}`);
    expect((await here.alice.get(`${base}/homepage`)).status).to.equal(404);
  });

  it('are served to anyone, isolated from this site', async () => {
    const app = await html();
    const served = await request(here.bob.node, 'GET', `${base}/${app.id}/serve/`);
    expect([served.status, served.body]).to.deep.equal([200, '<h1>hi</h1>']);
    const { headers } = served;
    expect(headers.get('content-type')).to.equal('text/html; charset=utf-8');
    expect(headers.get('content-security-policy')).to.equal('sandbox allow-scripts allow-forms allow-popups');
    expect(headers.get('x-content-type-options')).to.equal('nosniff');
    expect(headers.get('cross-origin-resource-policy')).to.equal('cross-origin');
    expect(headers.get('access-control-allow-origin')).to.equal('*');
    for (const name of ['set-cookie', 'x-frame-options', 'access-control-allow-credentials']) {
      expect(headers.get(name), name).to.equal(null);
    }
    const bare = await open(here.bob, `/api/servers/${here.server.slug}/apps/hello-world/serve?a=b`);
    expect(bare.status).to.equal(301);
    expect(bare.headers.get('location')).to.equal(`/api/servers/${here.server.slug}/apps/hello-world/serve/?a=b`);
    expect((await open(here.bob, `${base}/${app.id}/serve/other`)).status).to.equal(404);
    expect((await open(here.bob, `${base}/${crypto.randomUUID()}/serve/`)).status).to.equal(404);
    await until(async () => (await here.bob.get(`${base}/${app.id}`)).body.viewCount === 1);
  });

  it('are published from a folder: its pages, their types, parts and tags', async () => {
    const site = await folder({
      'index.html': 'home',
      'docs/index.html': 'docs',
      'docs/ü 1.js': 'code',
      'data.json': '{"a":1}',
      'x.unknown': '0123456789',
      '100%.txt': 'percent',
    });
    const { status, body: app } = await here.alice.post(`${base}/publish`, {
      name: 'Site',
      slug: 's',
      folderId: site.id,
    });
    expect(status).to.equal(201);
    expect(app).to.include({ name: 'Site', slug: 's', type: 'zip', version: 1, status: 'active' });
    const serve = (path: string, headers = {}, method = 'GET') =>
      open(here.bob, `${base}/s/serve${path}`, headers, method);
    expect((await serve('/')).text).to.equal('home');
    expect((await serve('/docs/')).text).to.equal('docs');
    const redirect = await serve('/docs?x=1');
    expect([redirect.status, redirect.headers.get('location')]).to.deep.equal([301, `${base}/s/serve/docs/?x=1`]);
    const code = await serve('/docs/%C3%BC%201.js');
    expect([code.text, code.headers.get('content-type')]).to.deep.equal(['code', 'text/javascript; charset=utf-8']);
    expect((await serve('/data.json')).headers.get('content-type')).to.equal('application/json; charset=utf-8');
    expect((await serve('/100%25.txt')).text).to.equal('percent');
    const whole = await serve('/x.unknown');
    expect(whole.headers.get('content-type')).to.equal('application/octet-stream');
    const etag = whole.headers.get('etag') ?? '';
    expect((await serve('/x.unknown', { 'if-none-match': etag })).status).to.equal(304);
    const part = await serve('/x.unknown', { range: 'bytes=3-5' });
    expect([part.status, part.text]).to.deep.equal([206, '345']);
    expect((await serve('/x.unknown', {}, 'HEAD')).headers.get('content-length')).to.equal('10');
    expect((await serve('/', {}, 'POST')).status).to.equal(405);
    const paths = ['/../../../serve/x', '/..%2f..%2fsecret', '/%2e%2e/x', '/docs%2f..%2findex.html', '/%00', '/%ff'];
    for (const path of [...paths, '/docs/x/', '/%252e%252e/', '/docs\\index.html', '/./index.html']) {
      const answer = await raw(here.bob.node, 'GET', `${base}/s/serve${path}`);
      expect(answer.status, path).to.equal(404);
    }
  });

  it('switch from one version to the next at once, for all who look meanwhile', async () => {
    const pages = (version: number) =>
      Object.fromEntries(Array.from({ length: 5 }, (_, i) => [i === 0 ? 'index.html' : `p${i}.html`, `v${version}`]));
    const sites = [await folder(pages(1), 'one'), await folder(pages(2), 'two')];
    const publish = (i: number) =>
      here.alice.post(`${base}/publish`, { name: 'Site', slug: 'live', folderId: sites[i % 2]?.id });
    const first = (await publish(0)).body;
    let publishing = true;
    const seen: string[] = [];
    const looking = (async () => {
      while (publishing) {
        const answers = await Promise.all(
          [0, 1, 2, 3, 4].map((i) => open(here.bob, `${base}/live/serve/${i ? `p${i}.html` : ''}`)),
        );
        for (const { status, text } of answers) seen.push(`${status} ${text}`);
      }
    })();
    // Those who look may be slower than those who publish: each must have had its turns.
    for (let i = 1; i <= 10 || i % 2 === 0 || seen.length < 50 || new Set(seen).size < 2; i++) {
      const { body } = await publish(i);
      expect(body).to.include({ id: first.id, version: i + 1 });
    }
    publishing = false;
    await looking;
    expect(new Set(seen)).to.have.all.keys('200 v1', '200 v2');
    // What happens to the folder is nothing to the app.
    await here.alice.delete(`${workspace}/folders/${sites[0]?.id}`);
    expect((await open(here.bob, `${base}/live/serve/p1.html`)).text).to.equal('v1');
  });

  it('take new HTML, names and more; what is for another type is refused', async () => {
    const app = await html();
    const patched = await here.alice.patch(`${base}/${app.id}`, { htmlContent: '<p>new</p>', description: null });
    expect(patched.body).to.include({ version: 2, name: 'Hello World' });
    expect((await open(here.bob, `${base}/${app.id}/serve/`)).text).to.equal('<p>new</p>');
    expect((await here.alice.patch(`${base}/${app.id}`, { url: 'https://example.com' })).status).to.equal(400);
    expect((await here.alice.delete(`${base}/${app.id}`)).body.ok).to.equal(true);
    expect((await open(here.bob, `${base}/${app.id}/serve/`)).status).to.equal(404);
  });

  it('are not made by who is no admin any more when all is taken in', async () => {
    const { alice, bob, server, cluster } = here;
    const seat = `/api/servers/${server.id}/members/${bob.id}`;
    expect((await alice.patch(seat, { role: 'admin' })).status).to.equal(200);
    const waiting = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    const late = await withRows(cluster.databaseUrl, async (rows) => {
      await rows('BEGIN');
      await rows('LOCK TABLE blobs IN SHARE MODE');
      const making = bob.post(base, { name: 'Late', type: 'html', htmlContent: `late ${crypto.randomUUID()}` });
      await withRows(cluster.databaseUrl, (look) => until(async () => (await look(waiting)).length > 0));
      expect((await alice.patch(seat, { role: 'member' })).status).to.equal(200);
      await rows('COMMIT');
      return making;
    });
    expect([late.status, late.body.code]).to.deep.equal([403, 'ROLE_REQUIRED']);
  });

  it('are changed as what they are by then, whatever was published in their place meanwhile', async () => {
    const { alice, server, cluster } = here;
    const { id } = await html();
    const waiting = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    const late = await withRows(cluster.databaseUrl, async (rows) => {
      await rows('BEGIN');
      await rows('SELECT FROM servers WHERE id = $1 FOR NO KEY UPDATE', [server.id]);
      const change = alice.patch(`${base}/${id}`, { htmlContent: '<p>of a page</p>' });
      await withRows(cluster.databaseUrl, (look) => until(async () => (await look(waiting)).length > 0));
      await rows("UPDATE apps SET type = 'zip', version = version + 1 WHERE id = $1", [id]);
      await rows('COMMIT');
      return change;
    });
    expect([late.status, late.body.code]).to.deep.equal([400, 'VALIDATION_FAILED']);
    expect((await alice.get(`${base}/${id}`)).body).to.include({ type: 'zip', version: 2 });
  });

  it('are deleted once, however many do it at the same time', async () => {
    const app = await html();
    const answers = await Promise.all(Array.from({ length: 4 }, () => here.alice.delete(`${base}/${app.id}`)));
    const told = answers.map(({ status, body }) => body.code ?? status);
    expect(told.sort()).to.deep.equal([200, ...Array(3).fill('APP_NOT_FOUND')]);
  });

  it('are published from a page too, under the name of what they are made of', async () => {
    const page = (await here.alice.post(`${workspace}/files`, { name: 'My Page.html', content: 'page' })).body;
    const { body } = await here.alice.post(`${base}/publish`, { fileId: page.id });
    expect(body).to.include({ name: 'My Page', slug: 'my-page', type: 'html' });
    expect((await open(here.bob, `${base}/my-page/serve/`)).text).to.equal('page');
    const again = await here.alice.post(`${base}/publish`, { fileId: page.id });
    expect(again.body).to.include({ id: body.id, version: 2 });
    const none = await here.alice.post(`${base}/publish`, { name: 'x' });
    expect([none.status, none.body.issues[0].path]).to.deep.equal([400, 'folderId']);
    expect((await here.alice.post(`${base}/publish`, { folderId: page.id })).body.code).to.equal('FOLDER_NOT_FOUND');
    const folder = (await here.alice.post(`${workspace}/folders`, { name: 'other spelling' })).body;
    await here.alice.post(`${workspace}/files`, { name: 'index.html', content: 'in it', parentId: folder.id });
    const spelt = await here.alice.post(`${base}/publish`, { fileId: folder.id });
    expect([spelt.status, spelt.body.type]).to.deep.equal([201, 'zip']);
    expect((await open(here.bob, `${base}/other-spelling/serve/`)).text).to.equal('in it');
  });

  it('are not published without an index.html, and what is there stays', async () => {
    const publish = async (files: Record<string, string>, name: string) => {
      const { id: folderId } = await folder(files, name);
      return here.alice.post(`${base}/publish`, { folderId, slug: 'indexed' });
    };
    expect((await publish({ 'index.html': 'first' }, 'with')).status).to.equal(201);
    for (const [name, paths] of Object.entries({ empty: [], other: ['home.html'], inner: ['docs/index.html'] })) {
      const { status, body } = await publish(Object.fromEntries(paths.map((path) => [path, 'x'])), name);
      expect([status, body.code]).to.deep.equal([400, 'BUNDLE_INVALID']);
      expect(body.error).to.contain('index.html');
    }
    expect((await open(here.bob, `${base}/indexed/serve/`)).text).to.equal('first');
  });

  it('replace only what was named: a slug made of a name is no name', async () => {
    const publish = async (name: string, content: string) => {
      const { id: folderId } = await folder({ 'index.html': content }, name);
      return (await here.alice.post(`${base}/publish`, { folderId, name })).body;
    };
    const [first, second] = [await publish('日本', 'one'), await publish('中国', 'two')];
    expect([first.slug, second.slug]).to.deep.equal(['app', 'app-2']);
    expect((await open(here.bob, `${base}/app/serve/`)).text).to.equal('one');
    expect(await publish('中国', 'three')).to.include({ id: second.id, slug: 'app-2', version: 2 });
    expect((await open(here.bob, `${base}/app-2/serve/`)).text).to.equal('three');
  });
});
