// nodes: own

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { expectError } from '../rest/verdict.ts';
import { until } from '../rig/until.ts';
import { botIn } from '../world/bot.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import type { Loose, Person } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

async function listen(handle: Handle): Promise<{ server: Server; at: string }> {
  const server = createServer(handle);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address: AddressInfo | string | null = server.address();
  return { server, at: `127.0.0.1:${typeof address === 'object' ? address?.port : 0}` };
}

const page = (title: string) => `<!doctype html><head><meta property="og:title" content="${title}">
  <meta property="og:site_name" content="Stand-in"><meta property="og:image" content="/p.png"></head><body>text`;

describe('link previews', () => {
  let cluster: Cluster;
  let here: World;
  let site: Awaited<ReturnType<typeof listen>>;
  let inside: Awaited<ReturnType<typeof listen>>;
  const asked: string[] = [];
  const sent: IncomingMessage['headers'][] = [];
  let insideAsked = 0;

  const html = (response: ServerResponse, text: string) => response.setHeader('content-type', 'text/html').end(text);
  const answers: Record<string, Handle> = {
    '/moved': (_, response) => response.writeHead(302, { location: '/after-move' }).end(),
    '/around': (_, response) => response.writeHead(302, { location: '/around' }).end(),
    '/inside': (_, response) => response.writeHead(302, { location: `http://${inside.at}/` }).end(),
    '/metadata': (_, response) => response.writeHead(302, { location: 'https://169.254.169.254/latest' }).end(),
    '/file': (_, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
    '/missing': (_, response) => response.writeHead(404).end(page('missing')),
    '/broken': (_, response) => response.writeHead(500).end(page('broken')),
    '/text': (_, response) => response.setHeader('content-type', 'text/plain').end(page('text')),
    '/packed': (_, response) => html(response.setHeader('content-encoding', 'gzip'), 'x'),
    '/long': (_, response) => response.writeHead(302, { location: `/picture.png?${'x'.repeat(2048)}` }).end(),
    '/picture.png': (_, response) => response.setHeader('content-type', 'image/png').end('x'),
    '/silent': () => {},
    '/endless': (_, response) => {
      response.setHeader('content-type', 'text/html');
      const more = () => {
        if (response.destroyed) return;
        response.write(`<p>${'x'.repeat(65_536)}`);
        setTimeout(more, 1);
      };
      more();
    },
    '/rude': (_, response) => html(response, page('an unspeakable word')),
  };

  before(async () => {
    site = await listen((request, response) => {
      const path = request.url?.split('?')[0] ?? '';
      asked.push(request.url ?? '');
      sent.push(request.headers);
      const answer = answers[path];
      if (answer) answer(request, response);
      else html(response, page(path));
    });
    inside = await listen((_, response) => {
      insideAsked++;
      html(response, page('inside'));
    });
    const previews = { timeoutMs: 1500, concurrency: 8 };
    cluster = await startCluster({
      nodes: 2,
      settings: { appProxyAllow: [site.at], linkPreviews: 'all', previews },
    });
    here = await world(cluster);
  });
  after(async () => {
    here.close();
    await cluster.stop();
    for (const { server } of [site, inside]) {
      server.closeAllConnections();
      server.close();
    }
  });

  const at = (path: string) => `http://${site.at}${path}`;
  const read = async (who: Person, id: string): Promise<Loose> => (await who.get(`/api/messages/${id}`)).body;
  const titlesOf = (message: Loose) => message.previews.map(({ title }: Loose) => title);
  const withPreviews = (who: Person, id: string, count = 1) =>
    until(async () => {
      const message = await read(who, id);
      return message.previews.length === count ? message : undefined;
    });
  /** All that was to be done with the links of messages is done. */
  const settled = () =>
    until(async () => {
      const jobs = `SELECT id FROM jobs WHERE kind IN ('message-links', 'link-page') AND died_at IS NULL`;
      return (await query(cluster.databaseUrl, jobs)).length === 0;
    });

  it('come after the message, to everyone and into the log, and are no edit', async () => {
    const { alice, bob, channel } = here;
    const ear = await bob.listen(channel.id);
    const said = await alice.say(channel.id, `look: ${at('/first')}`);
    expect(said.previews).to.deep.equal([]);
    const told = await ear.next('message:updated', ({ id }) => id === said.id);
    expect(told.previews).to.deep.equal([
      {
        url: at('/first'),
        siteName: 'Stand-in',
        title: '/first',
        description: null,
        imageUrl: at('/p.png'),
        isLarge: false,
      },
    ]);
    expect(told).to.include({ isEdited: false, updatedAt: said.updatedAt, content: said.content });
    const kept = (await bob.get(`/api/channels/${channel.id}/messages`)).body.messages[0];
    expect(kept.previews).to.deep.equal(told.previews);
    const { events } = (await bob.get(`/api/channels/${channel.id}/events?after=0`)).body;
    const last = events.findLast(({ event }: Loose) => event === 'message:updated');
    expect(last.data.previews).to.deep.equal(told.previews);
    const names = Object.keys(sent[0] ?? {}).filter(
      (name) => !['host', 'connection', 'accept', 'accept-encoding', 'user-agent'].includes(name),
    );
    expect(names).to.deep.equal([]);
    ear.close();
  });

  it('are fetched once for all messages and nodes', async () => {
    const { alice, bob, channel } = here;
    asked.length = 0;
    const all = [alice, bob, alice, bob].map((who) => who.say(channel.id, at('/once')));
    const ids = (await Promise.all(all)).map(({ id }) => id);
    for (const id of ids) expect(titlesOf(await withPreviews(bob, id))).to.deep.equal(['/once']);
    const later = await alice.say(channel.id, `again ${at('/once#part')}`);
    await withPreviews(bob, later.id);
    expect(asked.filter((path) => path === '/once')).to.have.length(1);
  });

  it('are made of the first five links, in their order', async () => {
    const { alice, channel } = here;
    const links = ['/1', '/2', '/3', '/4', '/5', '/6'].map(at);
    const { id } = await alice.say(channel.id, `\`${at('/code')}\` <${at('/bracket')}> ${links.join(' ')}`);
    expect(titlesOf(await withPreviews(alice, id, 5))).to.deep.equal(['/1', '/2', '/3', '/4', '/5']);
    await settled();
    expect(asked).to.not.include.members(['/code']);
    expect(asked).to.not.include.members(['/bracket']);
    expect(asked).to.not.include.members(['/6']);
  });

  it('follow redirects, and never to hosts inside', async () => {
    const { alice, channel } = here;
    const moved = await alice.say(channel.id, at('/moved'));
    const [preview] = (await withPreviews(alice, moved.id)).previews;
    expect(preview).to.include({ url: at('/moved'), title: '/after-move' });
    const bad = [
      `http://${inside.at}/`,
      'https://127.0.0.1/',
      'http://10.0.0.1/x',
      at('/inside'),
      at('/metadata'),
      at('/file'),
    ];
    const said = await Promise.all(bad.map((url) => alice.say(channel.id, url)));
    await settled();
    for (const { id } of said) expect((await read(alice, id)).previews).to.deep.equal([]);
    expect(insideAsked).to.equal(0);
  });

  it('are not made of what is no page, too slow or too large, which is not asked for again at once', async () => {
    const { alice, channel } = here;
    const bad = ['/around', '/missing', '/broken', '/text', '/packed', '/silent', '/endless', '/long'];
    const say = () => Promise.all(bad.map((path) => alice.say(channel.id, at(path))));
    const said = await say();
    await settled();
    asked.length = 0;
    said.push(...(await say()));
    await settled();
    for (const { id } of said) expect((await read(alice, id)).previews).to.deep.equal([]);
    expect(asked).to.deep.equal([]);
    const picture = await alice.say(channel.id, at('/picture.png'));
    const [preview] = (await withPreviews(alice, picture.id)).previews;
    expect(preview).to.include({ imageUrl: at('/picture.png'), title: null, isLarge: true });
  });

  it('are those of the text after an edit, at once and later', async () => {
    const { alice, channel } = here;
    const { id } = await alice.say(channel.id, `${at('/stays')} ${at('/goes')}`);
    await withPreviews(alice, id, 2);
    const { body } = await alice.patch(`/api/messages/${id}`, { content: `${at('/comes')} ${at('/stays')}` });
    expect(titlesOf(body)).to.deep.equal(['/stays']);
    expect(titlesOf(await withPreviews(alice, id, 2))).to.deep.equal(['/comes', '/stays']);
    const { body: bare } = await alice.patch(`/api/messages/${id}`, { content: 'none' });
    expect(bare.previews).to.deep.equal([]);
  });

  it('are removed for good by the author and by moderators, and by nobody else', async () => {
    const { alice, bob, carol, channel, server } = here;
    const said = await bob.say(channel.id, `${at('/one')} ${at('/two')}`);
    await withPreviews(bob, said.id, 2);
    const ear = await alice.listen(channel.id);
    const path = `/api/messages/${said.id}/previews`;
    const one = await bob.delete(`${path}?${new URLSearchParams({ url: at('/one') })}`);
    expect([one.status, titlesOf(one.body), one.body.isEdited]).to.deep.equal([200, ['/two'], false]);
    expect(titlesOf(await ear.next('message:updated', ({ id }) => id === said.id))).to.deep.equal(['/two']);
    await bob.patch(`/api/messages/${said.id}`, { content: `${at('/one')} ${at('/two')} more` });
    await settled();
    expect(titlesOf(await read(bob, said.id))).to.deep.equal(['/two']);
    expectError(await carol.delete(path), 'MESSAGE_NOT_FOUND');
    const moderated = await alice.delete(path);
    expect(titlesOf(moderated.body)).to.deep.equal([]);
    const log = (await alice.get(`/api/servers/${server.id}/audit?action=message.previews-remove`)).body;
    expect(JSON.stringify(log)).to.include(said.id);
    const kept = (await alice.get(`/api/channels/${channel.id}/events?after=0`)).body;
    const entries = JSON.stringify(kept.events.filter(({ data }: Loose) => data.id === said.id));
    expect(entries).to.not.include('"title":"/one"');
    const own = await alice.say(channel.id, at('/own'));
    await withPreviews(alice, own.id);
    expectError(await bob.delete(`/api/messages/${own.id}/previews`), 'FORBIDDEN');
    expect((await alice.delete(`/api/messages/${own.id}/previews`)).body.previews).to.deep.equal([]);
    expect((await alice.delete(`/api/messages/${own.id}/previews`)).status).to.equal(200);
    ear.close();
  });

  it('go with their message, also from the log', async () => {
    const { alice, channel } = here;
    const { id } = await alice.say(channel.id, at('/leaving'));
    await withPreviews(alice, id);
    expect((await alice.delete(`/api/messages/${id}`)).status).to.equal(200);
    const rows = await query(cluster.databaseUrl, `SELECT previews FROM messages WHERE id = '${id}'`);
    expect(rows).to.deep.equal([{ previews: null }]);
    const entries = await query(
      cluster.databaseUrl,
      `SELECT data::text FROM log_entries WHERE data ->> 'id' = '${id}'`,
    );
    expect(JSON.stringify(entries)).to.not.include('leaving');
  });

  it('are off where the server says so, and go by its filters', async () => {
    const { alice, bob, server } = here;
    const at2 = `/api/servers/${server.id}`;
    const body = { kind: 'word', action: 'refuse', patterns: ['unspeakable'] };
    expect((await alice.post(`${at2}/filters`, body)).status).to.equal(201);
    const quiet = await bob.say(here.channel.id, at('/rude'));
    expectError(await bob.patch(at2, { linkPreviews: false }), 'ROLE_REQUIRED');
    expect((await alice.patch(at2, { linkPreviews: false })).body.linkPreviews).to.equal(false);
    asked.length = 0;
    const off = await bob.say(here.channel.id, at('/off'));
    await settled();
    expect(asked).to.not.include('/off');
    for (const { id } of [quiet, off]) expect((await read(bob, id)).previews).to.deep.equal([]);
    expect((await alice.patch(at2, { linkPreviews: true })).body.linkPreviews).to.equal(true);
  });

  it('are of messages of bots and in direct messages too', async () => {
    const { alice, bob, channel } = here;
    const robot = await botIn(here.server, alice);
    const said = await robot.say(channel.id, at('/robot'));
    expect(titlesOf(await withPreviews(alice, said.id))).to.deep.equal(['/robot']);
    robot.hangUp();
    const { body: dm } = await alice.post('/api/dm/channels', { userId: bob.id });
    const direct = await alice.say(dm.id, at('/direct'));
    expect(titlesOf(await withPreviews(bob, direct.id))).to.deep.equal(['/direct']);
    expectError(await bob.delete(`/api/messages/${direct.id}/previews`), 'FORBIDDEN');
  });

  it('are fetched anew once what is known of the page is old', async () => {
    const { alice, channel } = here;
    const first = await alice.say(channel.id, at('/old'));
    await withPreviews(alice, first.id);
    asked.length = 0;
    const old = `UPDATE link_pages SET expires_at = now() - interval '1 second' WHERE address = '${at('/old')}'`;
    await query(cluster.databaseUrl, old);
    const second = await alice.say(channel.id, at('/old'));
    await withPreviews(alice, second.id);
    expect(asked).to.deep.equal(['/old']);
  });
});

describe('link previews that the operator limits', () => {
  it('are not made in direct messages, or nowhere', async () => {
    const asked: string[] = [];
    const site = await listen((request, response) => {
      asked.push(request.url ?? '');
      response.setHeader('content-type', 'text/html').end(page('x'));
    });
    const cluster = await startCluster({ nodes: 1, settings: { appProxyAllow: [site.at], linkPreviews: 'servers' } });
    const { alice, bob, channel, close } = await world(cluster);
    const { body: dm } = await alice.post('/api/dm/channels', { userId: bob.id });
    await alice.say(dm.id, `http://${site.at}/direct`);
    const { id } = await alice.say(channel.id, `http://${site.at}/server`);
    await until(async () => (await alice.get(`/api/messages/${id}`)).body.previews.length === 1);
    expect(asked).to.deep.equal(['/server']);
    close();
    await cluster.stop();
    site.server.closeAllConnections();
    site.server.close();
  });
});
