// nodes: own

import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { botIn } from '../world/bot.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { type Person, request } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { register, type World, world } from '../world/world.ts';

const password = 'correct horse';
const day = 24 * 60 * 60;
let count = 0;
/** Names of one kind of letters, so that none looks like another. */
const fresh = (): string => `n${randomBytes(5).toString('hex').replace(/[01]/g, '2')}x${count++ + 222}`;

describe('another username', () => {
  let cluster: Cluster;
  let here: World;
  const at = (i: number) => {
    const node = cluster.nodes[i % cluster.nodes.length];
    if (!node) throw new Error('no node');
    return node;
  };
  const change = (person: Person, username: string) => person.put('/api/auth/username', { username });
  const codeOf = async (answer: ReturnType<typeof change>) => ((one) => [one.status, one.body.code])(await answer);
  const login = (name: string) => request(at(1), 'POST', '/api/auth/login', { email: name, password });
  const tryName = async (username: string, i = 0) => {
    const account = { email: `${fresh()}@example.com`, password, username };
    return (await request(at(i), 'POST', '/api/auth/register', account)).status;
  };
  /** Someone who was called otherwise before. */
  const renamed = async () => {
    const [old, now] = [fresh(), fresh()];
    const person = await register(at(0), { username: old });
    expect((await change(person, now)).body.username).to.equal(now);
    return { person, old, now };
  };
  const pass = (person: Person, seconds: number) =>
    query(
      cluster.databaseUrl,
      'UPDATE former_usernames SET kept_until = kept_until - make_interval(secs => $2) WHERE user_id = $1',
      [person.id, seconds],
    );

  before(async () => {
    cluster = await startCluster({ nodes: 2 });
    here = await world(cluster);
  });
  after(async () => {
    here.close();
    await cluster.stop();
  });

  it('is seen by all who know the person, on every node at once', async () => {
    const { alice, bob, server, channel } = here;
    const name = fresh();
    const listening = await bob.listen(channel.id);
    const own = await alice.connect();
    await alice.say(channel.id, 'mine');
    await bob.say(channel.id, `hello @${alice.username}`);
    const page = async (person: Person) => (await person.get(`/api/channels/${channel.id}/messages`)).body.messages;
    for (const person of [alice, bob]) await page(person);
    const { status, body } = await change(alice, name);
    expect([status, body.username, body.displayName]).to.deep.equal([200, name, name]);
    for (const node of cluster.nodes) {
      const [messages, me] = [await page(bob.on(node)), (await alice.on(node).get('/api/auth/me')).body];
      expect(me.username).to.equal(name);
      const byAlice = messages.find((message: { content: string }) => message.content === 'mine');
      expect(byAlice.author).to.include({ username: name, displayName: name });
      const mention = messages.flatMap((message: { mentions?: object[] }) => message.mentions ?? [])[0];
      expect(mention).to.include({ targetId: alice.id, label: name, token: `@${alice.username}` });
      const members = (await bob.on(node).get(`/api/servers/${server.id}/members`)).body;
      expect(JSON.stringify(members)).to.contain(name).and.not.contain(alice.username);
    }
    for (const listener of [listening, own])
      await listener.next('user:updated', ({ user }) => user.id === alice.id && user.username === name);
    await alice.on(at(1)).say(channel.id, 'and now');
    const told = await listening.next('message:new', (message) => message.content === 'and now');
    expect(told.author.username).to.equal(name);
  });

  it('is the one that signs in, is mentioned and is found from then on', async () => {
    const { person, old, now } = await renamed();
    expect([(await login(old)).status, (await login(now)).status]).to.deep.equal([401, 200]);
    const ask = (username: string) => here.carol.post('/api/friends/request', { username });
    expect([(await ask(old)).status, (await ask(now)).status]).to.deep.equal([404, 201]);
    await person.post(`/api/servers/${here.server.id}/join`, { inviteCode: here.server.inviteCode });
    const mentions = async (name: string) => (await here.bob.say(here.channel.id, `@${name}`)).mentions;
    expect(await mentions(old)).to.deep.equal([]);
    expect((await mentions(now))[0].targetId).to.equal(person.id);
  });

  it('keeps a display name that was chosen', async () => {
    const person = await register(at(0), { displayName: 'Chosen' });
    expect((await change(person, fresh())).body.displayName).to.equal('Chosen');
  });

  it('leaves the old one to its owner: nobody gets it, or one like it, until its time is over', async () => {
    const tag = randomBytes(4).toString('hex').replace(/[01]/g, '2');
    const old = `mine${tag}`;
    const [person, other] = [await register(at(0), { username: old }), await register(at(1))];
    await change(person, fresh());
    for (const name of [old, old.toUpperCase(), `rnine${tag}`]) {
      expect(await tryName(name, 1), name).to.equal(409);
      expect(await codeOf(change(other, name)), name).to.deep.equal([409, 'USERNAME_TAKEN']);
    }
    const bot = await botIn(here.server, here.alice);
    const takes = await here.alice.patch(`/api/agents/${bot.agentId}`, { name: old });
    expect(takes.body.code).to.equal('USERNAME_TAKEN');
    await pass(person, 31 * day);
    expect(await tryName(old, 1)).to.equal(201);
    expect(await codeOf(change(person, old))).to.deep.equal([409, 'USERNAME_TAKEN']);
  });

  it('is made out of an address that looks like a kept one', async () => {
    const { old } = await renamed();
    const account = { email: `${old}@example.com`, password };
    const { status, body } = await request(at(1), 'POST', '/api/auth/register', account);
    expect(status).to.equal(201);
    expect(body.user.username).to.match(new RegExp(`^${old}\\d+$`));
  });

  it('is had twice in 30 days, also by many requests at once; going back is always possible', async () => {
    const first = fresh();
    const person = await register(at(0), { username: first });
    const answers = await Promise.all(Array.from({ length: 6 }, (_, i) => change(person.on(at(i)), fresh())));
    expect(answers.filter(({ status }) => status === 200)).to.have.lengthOf(2);
    for (const { status, body, headers } of answers.filter((answer) => answer.status !== 200)) {
      expect([status, body.code]).to.deep.equal([429, 'USERNAME_CHANGE_LIMIT']);
      expect(body.retryAfter).to.be.within(30 * day - 60, 30 * day);
      expect(Number(headers.get('retry-after'))).to.equal(Math.ceil(body.retryAfter));
    }
    expect((await change(person, first)).body.username).to.equal(first);
    expect(await codeOf(change(person, fresh()))).to.deep.equal([429, 'USERNAME_CHANGE_LIMIT']);
    await pass(person, 31 * day);
    expect((await change(person, fresh())).status).to.equal(200);
  });

  it('may differ in case alone, and the same one changes nothing', async () => {
    const { person, now } = await renamed();
    expect((await change(person, now)).body.username).to.equal(now);
    expect((await change(person, now.toUpperCase())).body.username).to.equal(now.toUpperCase());
    expect((await login(now)).status).to.equal(200);
  });

  it('is taken by one of those who ask at once, on whichever nodes', async () => {
    const people = await Promise.all(Array.from({ length: 4 }, (_, i) => register(at(i))));
    const name = fresh();
    const answers = await Promise.all(people.map((person, i) => change(person.on(at(i)), name)));
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 409, 409, 409]);
  });

  it('is refused to programs, bots, stale sessions and nonsense', async () => {
    const person = await register(at(0));
    const { token } = (await person.post('/api/tokens', { name: 'all', scope: 'user:write' })).body;
    const asToken = await person.put('/api/auth/username', { username: fresh() }, { authorization: `Bearer ${token}` });
    expect([asToken.status, asToken.body.code]).to.deep.equal([403, 'INSUFFICIENT_PAT_SCOPE']);
    const bot = await botIn(here.server, here.alice);
    expect(await codeOf(change(bot, fresh()))).to.deep.equal([403, 'FORBIDDEN']);
    for (const name of ['ab', 'admin', 'Alisa_Алиса', 'a'.repeat(200)])
      expect(await codeOf(change(person, name)), name).to.deep.equal([400, 'VALIDATION_FAILED']);
    expect(await codeOf(change(person, here.bob.username))).to.deep.equal([409, 'USERNAME_TAKEN']);
    const age = `UPDATE sessions SET created_at = now() - interval '1 hour' WHERE user_id = $1`;
    await query(cluster.databaseUrl, age, [person.id]);
    expect(await codeOf(change(person, fresh()))).to.deep.equal([403, 'CONFIRMATION_REQUIRED']);
    expect((await person.get('/api/auth/me')).body.username).to.equal(person.username);
  });
});
