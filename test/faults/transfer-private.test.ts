// nodes: own

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { exportServer } from '../../src/cli/transfer/export.ts';
import { importServer } from '../../src/cli/transfer/import.ts';
import { Database, type Rows } from '../../src/database/database.ts';
import { DatabaseBlobStore, inTransaction } from '../../src/features/blobs/blob.store.ts';
import { createLog } from '../../src/infrastructure/log.ts';
import type { Node } from '../../src/node/node.ts';
import { atEnd } from '../rig/ending.ts';
import { until } from '../rig/until.ts';
import { botIn } from '../world/bot.ts';
import { type Cluster, startCluster, testSettings } from '../world/nodes.ts';
import { parley } from '../world/operator.ts';
import { type Loose, Person, request } from '../world/person.ts';
import { withRows } from '../world/sql.ts';
import { register, type World, world } from '../world/world.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'parley-transfer-'));
atEnd(() => rmSync(folder, { recursive: true, force: true }));
const receiver = '127.0.0.1:9';
const url = `http://${receiver}/events`;
const settings = testSettings('', null);
const blobsOver = (rows: Rows) => new DatabaseBlobStore(inTransaction(rows));

/** What someone sees of conversations, webhooks and notifications, by address. */
async function seen(who: Person, addresses: string[]): Promise<Record<string, Loose>> {
  const found: Record<string, Loose> = {};
  for (const address of addresses) {
    const { status, body } = await who.get(address);
    found[address] = status === 200 ? body : status;
  }
  return found;
}

describe('what a server that moves brings of its people', () => {
  let old: Cluster;
  let here: World;
  let dave: Person<Node>;
  let bot: Awaited<ReturnType<typeof botIn>>;
  let hook: Loose;
  /** By names: those that move, and those that must not. */
  const talks: Record<'pair' | 'group' | 'foreign' | 'left', string> = { pair: '', group: '', foreign: '', left: '' };
  const places: Cluster[] = [];

  before(async () => {
    old = await startCluster({ nodes: 1, settings: { appProxyAllow: [receiver] } });
    here = await world(old);
    const { alice, bob, carol, server, channel } = here;
    const [node] = old.nodes;
    if (!node) throw new Error('no node');
    dave = await register(node);
    await carol.post(`/api/servers/${server.id}/join`, { inviteCode: server.inviteCode });
    bot = await botIn(server, alice);
    await alice.put(`/api/agents/${bot.agentId}/webhook`, { url });
    const made = { name: 'Builds', format: 'slack', signingSecret: 'a secret of the sender' };
    hook = (await alice.post(`/api/channels/${channel.id}/hooks`, made)).body;
    await converse();
    await bob.say(channel.id, `Look here, @${alice.username}`);
    await bob.say(channel.id, `And there, @${alice.username}`);
    await alice.put(`/api/channels/${channel.id}/notification-level`, { level: 'mentions' });
    await bob.put(`/api/servers/${server.id}/notification-level`, { level: 'all' });
    await alice.put(`/api/channels/${channel.id}/favorite`);
    await alice.put(`/api/channels/${talks.foreign}/favorite`);
    await carol.put(`/api/friends/blocks/${bob.id}`);
    await until(async () => (await alice.get('/api/notifications/unread-count')).body.count >= 3);
    // Also of what was said last: an installation of which the rest has still to be told moves without it.
    const waiting = () => withRows(old.databaseUrl, (rows) => rows('SELECT FROM notification_jobs'));
    await until(async () => (await waiting()).length === 0, { message: 'not all is told' });
  });
  after(() => Promise.all([old, ...places].map((place) => place.stop())));

  async function converse(): Promise<void> {
    const { alice, bob, carol } = here;
    const open = async (userIds: string[]): Promise<string> => {
      const [userId] = userIds;
      const asked = userIds.length === 1 ? { userId } : { userIds };
      const { status, body } = await alice.post('/api/dm/channels', asked);
      if (status >= 300) throw new Error(JSON.stringify(body));
      return body.id;
    };
    talks.pair = await open([bob.id]);
    talks.group = await open([bob.id, carol.id]);
    talks.foreign = await open([dave.id]);
    talks.left = await open([bob.id, dave.id]);
    const first = await alice.say(talks.pair, 'between us');
    const reply = await bob.say(talks.pair, 'a reply', { replyToId: first.id });
    await alice.post(`/api/messages/${reply.id}/reactions`, { emoji: '👍' });
    const thread = (await alice.post(`/api/messages/${first.id}/thread`)).body;
    await bob.post(`/api/threads/${thread.id}/messages`, { content: 'aside' });
    const file = await bob.upload('plan.txt', new TextEncoder().encode('bytes of the plan'));
    await bob.say(talks.pair, '', { attachments: [{ id: file.id }] });
    await carol.say(talks.group, 'to both of you');
    await dave.say(talks.foreign, 'only for alice');
    await dave.say(talks.left, 'I wrote this before I left');
    await dave.post(`/api/dm/channels/${talks.left}/leave`);
  }

  /** The server in an installation of its own. */
  async function moved(directMessages: boolean): Promise<{ as(who: Person): Promise<Person>; place: Cluster }> {
    const file = path.join(folder, `${directMessages}-${places.length}.zip`);
    const from = await Database.connect(old.databaseUrl, settings, createLog('silent'));
    await exportServer(from, here.server.id, file, { emails: true, directMessages, blobsOver });
    await from.close();
    const place = await startCluster({ nodes: 1, settings: { appProxyAllow: [receiver] } });
    places.push(place);
    const into = await Database.connect(place.databaseUrl, settings, createLog('silent'));
    await importServer(into, settings, file, 1024 ** 3, blobsOver);
    await into.close();
    const hashes = await withRows(old.databaseUrl, (rows) =>
      rows<{ id: string; hash: string }>('SELECT id, password_hash AS hash FROM users WHERE password_hash IS NOT NULL'),
    );
    await withRows(place.databaseUrl, async (rows) => {
      for (const { id, hash } of hashes) await rows('UPDATE users SET password_hash = $2 WHERE id = $1', [id, hash]);
    });
    const [node] = place.nodes;
    if (!node) throw new Error('no node');
    return {
      place,
      async as({ id, username }) {
        const account = { email: `${username}@example.com`, password: 'correct horse' };
        const { body } = await request(node, 'POST', '/api/auth/login', account);
        return new Person(node, { id, username, token: body.accessToken, refreshToken: '' });
      },
    };
  }

  it('are their notifications of its messages and levels, and nothing of what they say in private', async () => {
    const { as, place } = await moved(false);
    const [alice, bob] = [await as(here.alice), await as(here.bob)];
    expect((await alice.get('/api/favorites')).body.channelIds).to.deep.equal([here.channel.id]);
    const before = (await here.alice.get('/api/notifications')).body;
    const ofServer = before.filter(({ channelId }: Loose) => channelId === here.channel.id);
    expect(ofServer).to.have.lengthOf(1);
    expect(ofServer[0]).to.include({ kind: 'message.mention', aggregatedCount: 2 });
    expect((await alice.get('/api/notifications')).body).to.deep.equal(ofServer);
    for (const who of [alice, bob]) {
      expect((await who.get('/api/dm/channels')).body).to.deep.equal([]);
      const old = who === alice ? here.alice : here.bob;
      const levels = '/api/notifications/levels';
      expect((await who.get(levels)).body).to.deep.equal((await old.get(levels)).body);
    }
    const private_ = await withRows(place.databaseUrl, (rows) =>
      rows(`SELECT 'channel' FROM channels WHERE kind <> 'server' UNION ALL SELECT 'block' FROM blocks
        UNION ALL SELECT content FROM messages WHERE content IN ('between us', 'to both of you', 'only for alice')`),
    );
    expect(private_).to.deep.equal([]);
  });

  it('lets a message that is deleted there go from its notification', async () => {
    const { as } = await moved(false);
    const [alice, bob] = [await as(here.alice), await as(here.bob)];
    const [{ referenceId }] = (await alice.get('/api/notifications')).body;
    await bob.delete(`/api/messages/${referenceId}`);
    await until(async () => (await alice.get('/api/notifications')).body[0]?.aggregatedCount === 1);
  });

  it('are webhooks that send nothing and take nothing until they get new secrets', async () => {
    const { as, place } = await moved(false);
    const alice = await as(here.alice);
    const address = `/api/agents/${bot.agentId}/webhook`;
    expect((await alice.get(address)).body).to.include({ url, state: 'paused' });
    const secrets = (databaseUrl: string) =>
      withRows(databaseUrl, (rows) =>
        rows<{ secret: string; hash: string }>(`SELECT w.secret, h.token_hash AS hash FROM webhooks w, hooks h`),
      );
    const [[was], [is]] = [await secrets(old.databaseUrl), await secrets(place.databaseUrl)];
    expect(is?.secret).to.be.a('string').and.not.equal(was?.secret);
    expect(is?.hash).to.be.a('string').and.not.equal(was?.hash);
    const post = (token: string) =>
      request(alice.node, 'POST', `/hooks/${token}`, { text: 'built' }).then(({ status }) => status);
    expect(await post(hook.token)).to.equal(404);
    const hooks = `/api/channels/${here.channel.id}/hooks`;
    const { token: _token, url: _url, ...shown } = hook;
    expect((await alice.get(hooks)).body).to.deep.equal([shown]);
    const { token } = (await alice.post(`${hooks}/${hook.id}/token`)).body;
    // It took only what was signed, and does so here.
    expect(await post(token)).to.equal(401);
    await alice.patch(`${hooks}/${hook.id}`, { signingSecret: null });
    expect(await post(token)).to.equal(200);
    expect((await alice.post(`${address}/secret`)).body.secret).to.match(/^whsec_/);
    expect((await alice.post(`${address}/enable`, {})).body.state).to.be.oneOf(['active', 'failing']);
  });

  it('are, where the operator asks for it, conversations in which nobody is or wrote who stays', async () => {
    const { as, place } = await moved(true);
    for (const who of [here.alice, here.bob, here.carol]) {
      const there = await as(who);
      const threads = (await who.get(`/api/channels/${talks.pair}/threads`)).body;
      const ids = Array.isArray(threads) ? threads.map(({ id }: Loose) => id) : [];
      const addresses = [
        ...[talks.pair, talks.group].map((id) => `/api/dm/channels/${id}/messages`),
        ...ids.map((id: string) => `/api/threads/${id}/messages`),
        '/api/friends/blocks',
      ];
      expect(await seen(there, addresses)).to.deep.equal(await seen(who, addresses));
      const listed = (await who.get('/api/dm/channels')).body.filter(({ id }: Loose) =>
        [talks.pair, talks.group].includes(id),
      );
      expect(listed.length).to.be.greaterThan(0);
      expect((await there.get('/api/dm/channels')).body).to.deep.equal(listed);
    }
    const texts = await withRows(place.databaseUrl, (rows) =>
      rows<{ content: string }>(
        "SELECT content FROM messages WHERE content IN ('only for alice', 'I wrote this before I left')",
      ),
    );
    expect(texts).to.deep.equal([]);
    const people = await withRows(place.databaseUrl, (rows) => rows('SELECT FROM users WHERE id = $1', [dave.id]));
    expect(people).to.deep.equal([]);
  });

  it('go on where they were: the same conversation for the same people, with the next number, in the lists of direct logs', async () => {
    const { as, place } = await moved(true);
    const [alice, bob] = [await as(here.alice), await as(here.bob)];
    const again = await alice.post('/api/dm/channels', { userId: here.bob.id });
    expect(again.body.id).to.equal(talks.pair);
    const group = await alice.post('/api/dm/channels', { userIds: [here.bob.id, here.carol.id] });
    expect([group.status, group.body.id]).to.deep.equal([200, talks.group]);
    const socket = await bob.connect();
    const sent = await alice.say(talks.pair, 'here we are');
    expect(sent.seq).to.equal(again.body.lastSeq + 1);
    expect(await socket.next('message:new')).to.include({ id: sent.id });
    const logs = await withRows(place.databaseUrl, (rows) =>
      rows(
        "SELECT s.is_direct FROM streams s JOIN channels c ON c.id = s.id AND c.kind <> 'server' WHERE NOT s.is_direct",
      ),
    );
    expect(logs).to.deep.equal([]);
    bob.hangUp();
  });

  it('are told to the operator, with what is left to do', async () => {
    const file = path.join(folder, 'told.zip');
    const operator = (databaseUrl: string, ...args: string[]) =>
      parley({ DATABASE_URL: databaseUrl, DATA_DIR: folder }, args);
    const exported = await operator(old.databaseUrl, 'export', here.server.id, '--out', file, '--with-direct-messages');
    expect([exported.code, exported.complaint]).to.deep.equal([0, '']);
    expect(exported.out).to.contain('2 conversations').and.contain('what they wrote to each other in private');
    const place = await startCluster({ nodes: 1 });
    places.push(place);
    const imported = await operator(place.databaseUrl, 'import', file);
    expect([imported.code, imported.complaint]).to.deep.equal([0, '']);
    expect(imported.out)
      .to.contain('Webhooks of 1 bots are paused')
      .and.contain('1 incoming webhooks have no address yet');
  });
});
