// nodes: own

import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { skeleton } from '../../src/contract/unicode/skeleton.ts';
import { migratingOrm } from '../../src/database/migrating.ts';
import { createDatabase, type TestDatabase } from '../rig/postgres.ts';
import { until } from '../rig/until.ts';
import { botIn } from '../world/bot.ts';
import { type Cluster, migrated, startCluster } from '../world/nodes.ts';
import { request } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

const password = 'correct horse battery';
const nodeOf = ({ nodes }: Cluster, i: number) => {
  const node = nodes[i % nodes.length];
  if (!node) throw new Error('no node');
  return node;
};

/** Registers on one of the nodes. @returns status and code, or the name */
async function tryName(cluster: Cluster, username: string, i = 0): Promise<[status: number, what: string]> {
  const email = `${randomUUID()}@example.com`;
  const { status, body } = await request(nodeOf(cluster, i), 'POST', '/api/auth/register', {
    email,
    password,
    username,
  });
  return [status, body.code ?? body.user.username];
}

const isTaken = [409, 'USERNAME_TAKEN'];

/** Adds someone as earlier versions do: under the name in lower case, and without what it looks like. */
function addEarlier(databaseUrl: string, name: string, hash: string | null = null) {
  return query(
    databaseUrl,
    `WITH added AS (INSERT INTO streams (id, kind) VALUES ($1, 'user'))
     INSERT INTO users (id, username, username_key, display_name, is_bot, password_hash, tier, created_at, updated_at)
     VALUES ($1, $2, $3, $2, false, $4, 'member', now(), now())`,
    [randomUUID(), name, name.normalize('NFC').toLowerCase(), hash],
  );
}

describe('usernames that look the same', () => {
  let cluster: Cluster;
  let here: World;
  before(async () => {
    cluster = await startCluster({ nodes: 2 });
    here = await world(cluster);
  });
  after(async () => {
    here.close();
    await cluster.stop();
  });

  it('are taken by one of those who ask at once, on whichever nodes', async () => {
    for (const pair of [
      ['scope', 'ѕсоре'],
      ['seal', 'seaI'],
      ['ορα', 'ора'],
      ['gross', 'groß'],
    ]) {
      const answers = await Promise.all(
        [...pair, ...pair, ...pair].map((name, i) => tryName(cluster, name, Math.floor(i / 2) + i)),
      );
      expect(
        answers.filter(([status]) => status === 201),
        pair.join(),
      ).to.have.lengthOf(1);
      expect(answers.filter(([status]) => status !== 201)).to.deep.equal(Array(5).fill(isTaken));
    }
  });

  it('are taken once by people and bots, and their names when they change', async () => {
    const { alice, server } = here;
    expect(await tryName(cluster, 'robo')).to.deep.equal([201, 'robo']);
    const create = (name: string) => alice.post('/api/agents', { name });
    expect((await create('rоbo')).status).to.equal(400);
    expect((await create('rob0')).body.code).to.equal('USERNAME_TAKEN');
    const bot = await botIn(server, alice);
    const rename = (name: string) => alice.patch(`/api/agents/${bot.agentId}`, { name });
    expect((await rename('R0BO')).body.code).to.equal('USERNAME_TAKEN');
    expect((await rename('admin')).body.issues?.[0]?.message).to.contain('is reserved');
    expect((await rename('Robo_Two')).body.name).to.equal('Robo_Two');
    expect((await rename('robo_two')).body.name).to.equal('robo_two');
    expect(await tryName(cluster, 'robo_tw0', 1)).to.deep.equal(isTaken);
    await alice.delete(`/api/agents/${bot.agentId}`);
    expect(await tryName(cluster, 'robo_tw0', 1)).to.deep.equal([201, 'robo_tw0']);
  });

  it('are seen of plain names in the database as here, also where older nodes write them', async () => {
    const letters = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)).filter((one) =>
      /[\w.-]/.test(one),
    );
    expect(letters).to.have.lengthOf(65);
    const names = letters.map((one, i) => `Q${one}m${one}I0-${i}`);
    for (const name of names) await addEarlier(cluster.databaseUrl, name);
    const [index] = await query<{ look: string }>(
      cluster.databaseUrl,
      "SELECT pg_get_expr(indexprs, indrelid) AS look FROM pg_index WHERE indexrelid = 'users_look'::regclass",
    );
    const seen = await query<{ username: string; look: string }>(
      cluster.databaseUrl,
      `SELECT username, ${index?.look} AS look FROM users WHERE name_skeleton IS NULL AND username = ANY($1::text[])`,
      [names],
    );
    expect(seen).to.have.lengthOf(names.length);
    for (const { username, look } of seen) expect(look, username).to.equal(skeleton(username));
    expect(await tryName(cluster, `qarnal0-${letters.indexOf('a')}`)).to.deep.equal(isTaken);
  });

  it('are seen of other names that older nodes write, at once, and after they rename a bot', async () => {
    await addEarlier(cluster.databaseUrl, 'хор');
    expect(await tryName(cluster, 'xop')).to.deep.equal(isTaken);
    const bot = await botIn(here.server, here.alice);
    expect((await here.alice.patch(`/api/agents/${bot.agentId}`, { name: 'Ουρά' })).status).to.equal(200);
    const [kept] = await query<{ skeleton: string }>(
      cluster.databaseUrl,
      `UPDATE users SET username = 'ѕух', username_key = 'ѕух' WHERE id = $1 RETURNING name_skeleton AS skeleton`,
      [bot.id],
    );
    expect(kept).to.deep.equal({ skeleton: null });
    expect(await tryName(cluster, 'syx')).to.deep.equal(isTaken);
    expect(await tryName(cluster, 'Ουρά')).to.deep.equal([201, 'Ουρά']);
  });

  it('are mentioned in every script, whole', async () => {
    const { alice, server, channel } = here;
    for (const name of ['हिन्दी', 'สมชาย', 'דָּוִד', 'José']) {
      const bot = await botIn(server, alice);
      expect((await alice.patch(`/api/agents/${bot.agentId}`, { name })).status).to.equal(200);
      for (const typed of [name, name.normalize('NFD')]) {
        const content = `@${typed}, @${typed}\u0331`;
        const { body } = await alice.post('/api/mentions/resolve', { channelId: channel.id, content });
        expect(body.mentions.map(({ token }: { token: string }) => token)).to.deep.equal([`@${typed}`]);
      }
    }
  });

  it('are not made of what a provider or an address says: it is adapted', async () => {
    for (const local of ['admin', 'jet.li', 'x']) {
      const email = `${local}@${randomUUID()}.example`;
      const { status, body } = await request(nodeOf(cluster, 0), 'POST', '/api/auth/register', { email, password });
      expect([local, status]).to.deep.equal([local, 201]);
      expect(body.user.username).to.match({ admin: /^admin\d+$/, 'jet.li': /^jet-li/, x: /^user-x/ }[local] ?? /^$/);
    }
  });
});

describe('usernames of earlier versions', () => {
  let database: TestDatabase;
  let cluster: Cluster;
  const cyrillic = 'аlice';
  const names = ['alice', cyrillic, 'Straße', 'Strasse', 'Νίκος', 'admin', 'node.dev'];

  before(async () => {
    database = await createDatabase();
    const orm = await migratingOrm(database.url);
    await orm.migrator.up({ to: '0082-jobs' });
    await orm.close(true);
    const other = await startCluster({ nodes: 1 });
    // The hash of a password, as any version makes it.
    await tryName(other, 'hashed');
    const [made] = await query<{ hash: string }>(other.databaseUrl, 'SELECT password_hash AS hash FROM users');
    await other.stop();
    for (const name of names) await addEarlier(database.url, name, made?.hash);
    await migrated(database.url);
    cluster = await startCluster({ nodes: 2, databaseUrl: database.url });
  });
  after(async () => {
    await cluster.stop();
    await database.drop();
  });

  it('stay, and their people sign in with them, each with their own', async () => {
    for (const [i, name] of names.entries()) {
      const login = { email: name, password };
      const { status, body } = await request(nodeOf(cluster, i), 'POST', '/api/auth/login', login);
      expect([status, body.user?.username]).to.deep.equal([200, name]);
    }
    const found = await query<{ username: string }>(cluster.databaseUrl, 'SELECT username FROM users ORDER BY id');
    expect(found.map(({ username }) => username)).to.have.members(names);
  });

  it('are found by their names in requests and mentions, the very one first', async () => {
    const here = await world(cluster);
    const { alice, server, channel } = here;
    for (const name of names) {
      const [user] = await query<{ id: string }>(database.url, 'SELECT id FROM users WHERE username = $1', [name]);
      await query(
        database.url,
        `INSERT INTO server_members (server_id, user_id, role, joined_at) VALUES ($1, $2, 'member', now())`,
        [server.id, user?.id],
      );
      const { body } = await alice.post('/api/mentions/resolve', { channelId: channel.id, content: `Hello @${name}!` });
      expect(
        body.mentions.map(({ targetId }: { targetId: string }) => targetId),
        name,
      ).to.deep.equal([user?.id]);
      const asked = await alice.post('/api/friends/request', { username: name });
      expect(asked.body, name).to.deep.include({ addresseeId: user?.id });
    }
    const path = `/api/mentions/suggest?channelId=${channel.id}&trigger=@&q=${encodeURIComponent('STRA')}`;
    const { suggestions } = (await alice.get(path)).body;
    expect(suggestions.map(({ username }: { username: string }) => username)).to.have.members(['Straße', 'Strasse']);
    here.close();
  });

  it('are looked at after the start, and keep others from being taken for them', async () => {
    await until(async () => {
      const left = await query(
        cluster.databaseUrl,
        `SELECT id FROM users WHERE name_skeleton IS NULL AND username ~ '[^ -~]' AND deleted_at IS NULL`,
      );
      return left.length === 0;
    });
    for (const name of ['AIice', 'a1ice', 'аӏісе', 'ALICE', 'STRASSE', 'νίκοσ'])
      expect(await tryName(cluster, name), name).to.deep.equal(isTaken);
  });
});
