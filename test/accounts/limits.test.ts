// nodes: one and two

import { expect } from 'chai';
import { addressRange, clientAddress, clientHost, networksOf } from '../../src/infrastructure/client-address.ts';
import { startRedis } from '../rig/redis.ts';
import { until } from '../rig/until.ts';
import { botIn } from '../world/bot.ts';
import { type Cluster, nodeCount, startCluster } from '../world/nodes.ts';
import { type Answer, type Person, request } from '../world/person.ts';
import { register, world } from '../world/world.ts';
import { dataFolder, tokenIn } from './mailbox.ts';

/** Small limits, so that few requests meet them. */
const rates = {
  auth: { points: 6, seconds: 60 },
  emailStart: { points: 3, seconds: 600 },
  resetStart: { points: 3, seconds: 600 },
  mailbox: { points: 2, seconds: 3600 },
  mailboxTotal: { points: 2, seconds: 3600 },
  loginFailures: { points: 3, seconds: 900 },
  accountFailures: { points: 3, seconds: 900 },
  messages: { points: 10, seconds: 60 },
  changes: { points: 8, seconds: 60 },
  uploads: { points: 2, seconds: 60 },
  events: { points: 5, seconds: 60 },
  search: { points: 2, seconds: 60 },
  discover: { points: 2, seconds: 60 },
  joins: { points: 8, seconds: 60 },
};

describe('rate limits', () => {
  const folder = dataFolder();
  let cluster: Cluster;
  let count = 0;
  const at = (i: number) => {
    const node = cluster.nodes[i % cluster.nodes.length];
    if (!node) throw new Error('no node');
    return node;
  };
  /** Each test comes from an address of its own. */
  const address = () => ({ 'x-forwarded-for': `198.51.100.${++count}` });
  const post = (path: string, body: object, headers: Record<string, string>, i = 0) =>
    request(at(i), 'POST', `/api/auth/${path}`, body, headers);
  const login = (email: string, headers: Record<string, string>, i = 0) =>
    post('login', { email, password: 'wrong horse' }, headers, i);
  const expectRefused = ({ status, body, headers }: Answer, name: string, points: number, seconds: number) => {
    expect([status, body.code]).to.deep.equal([429, 'RATE_LIMITED']);
    expect(body.retryAfter).to.be.a('number').within(1, seconds);
    expect(headers.get('retry-after')).to.equal(String(body.retryAfter)).and.match(/^\d+$/);
    expect(headers.get('ratelimit-policy')).to.equal(`"${name}";q=${points};w=${seconds}`);
    expect(headers.get('ratelimit')).to.match(new RegExp(`^"${name}";r=0;t=\\d+$`));
  };

  before(async () => {
    const settings = { rateLimits: true, trustProxy: 1, rates, dataDir: folder.dataDir };
    cluster = await startCluster({ settings });
  });
  after(() => cluster.stop());

  it('count the fast endpoints together, by address and over all nodes, and say how much is left', async () => {
    const headers = address();
    for (let i = 0; i < 6; i++) {
      const answer = await (i % 2 ? login(`x${count}-${i}`, headers, i) : post('register', {}, headers, i));
      expect(answer.status).to.equal(i % 2 ? 401 : 400);
      expect(answer.headers.get('ratelimit')).to.match(new RegExp(`^"auth";r=${5 - i};t=\\d+$`));
    }
    expectRefused(await login('anyone', headers, 1), 'auth', 6, 60);
    expectRefused(await post('google/id-token', { idToken: 'x' }, headers), 'auth', 6, 60);
    expect((await login('anyone', address())).status).to.equal(401);
    const cross = await request(at(0), 'POST', '/api/auth/login', {}, { ...headers, origin: 'https://a.example' });
    expect(cross.headers.get('access-control-expose-headers'))
      .to.match(/RateLimit/)
      .and.match(/Retry-After/);
  });

  it('count a /48 of IPv6 above each /64 in it', async () => {
    const from = (network: number, i: number) => ({ 'x-forwarded-for': `2001:db8:99:${network.toString(16)}::${i}` });
    const tries = async (network: number) => {
      const answers = Array.from({ length: 8 }, (_, i) => post('register', {}, from(network, i + 1), i));
      return (await Promise.all(answers)).filter(({ status }) => status === 400).length;
    };
    const passed: number[] = [];
    for (let network = 1; network <= 18; network++) passed.push(await tries(network));
    expect(passed).to.deep.equal([...Array.from({ length: 16 }, () => 6), 0, 0]);
    expect((await post('register', {}, { 'x-forwarded-for': '2001:db8:9a:1::1' })).status).to.equal(400);
  });

  it('count failures by account, whatever address they come from and however many at once', async () => {
    const person = await register(at(0), {}, address());
    const tries = await Promise.all(Array.from({ length: 8 }, (_, i) => login(person.username, address(), i)));
    expect(tries.filter((answer) => answer.status === 401)).to.have.lengthOf(3);
    const refused = await post('login', { email: person.username, password: 'correct horse' }, address());
    expectRefused(refused, 'accountFailures', 3, 900);
  });

  it('forget the failures of whoever sets a new password by mail', async () => {
    const person = await register(at(0), {}, address());
    const email = `${person.username}@example.com`;
    for (let i = 0; i < 3; i++) await login(email, address());
    expectRefused(await login(email, address()), 'accountFailures', 3, 900);
    await post('password-reset/start', { email }, address());
    const token = await until(async () => {
      const mail = (await folder.mails()).find((one) => one.to?.[0]?.address === email);
      return mail && tokenIn(mail);
    });
    const newPassword = 'one that I remember';
    expect((await post('password-reset/complete', { token, newPassword }, address())).status).to.equal(200);
    expect((await post('login', { email, password: newPassword }, address())).status).to.equal(200);
  });

  it('do not count what succeeds as a failure', async () => {
    const person = await register(at(0), {}, address());
    const good = () => post('login', { email: person.username, password: 'correct horse' }, address());
    for (let i = 0; i < 5; i++) expect((await good()).status).to.equal(200);
    await login(person.username, address());
    await login(person.username, address());
    expect((await good()).status).to.equal(200);
  });

  it('bound looks at public servers by address, and by user where someone is signed in', async () => {
    const headers = address();
    const person = { authorization: `Bearer ${(await register(at(0), {}, address())).token}` };
    const look = (path: string, more: object = {}) =>
      request(at(0), 'GET', `/api/servers/${path}`, undefined, { ...headers, ...more });
    expect((await look('discover')).status).to.equal(200);
    expect((await look('invite/nonsense')).status).to.equal(404);
    for (const path of ['discover', 'invite/nonsense']) expectRefused(await look(path), 'discover', 2, 60);
    expect((await look('discover', person)).status).to.equal(200);
    expect((await look('discover', address())).status).to.equal(200);
  });

  it('bound mails by address, and by mailbox without a word about it', async () => {
    const headers = address();
    for (let i = 0; i < 3; i++)
      expect((await post('email/start', { email: `a${i}@example.com` }, headers, i)).status).to.equal(200);
    expectRefused(await post('email/start', { email: 'a@example.com' }, headers, 1), 'emailStart', 3, 600);
    expect((await post('password-reset/start', { email: 'a@example.com' }, headers)).status).to.equal(200);
    const answers = [];
    const sent = async (to: string) => (await folder.mails()).filter((mail) => mail.to?.[0]?.address === to);
    for (let i = 0; i < 4; i++) {
      answers.push(await post('email/start', { email: 'full@example.com' }, address(), i));
      // A mail whose code has been replaced before it leaves is not sent.
      await until(async () => (await sent('full@example.com')).length === Math.min(i + 1, 2));
    }
    expect(new Set(answers.map(({ status, body }) => JSON.stringify([status, body]))).size).to.equal(1);
    await post('email/start', { email: 'last@example.com' }, address());
    await until(async () => (await sent('last@example.com')).length === 1);
    expect(await sent('full@example.com')).to.have.lengthOf(2);
  });

  it('bound messages by user, over REST and sockets together, and nobody else', async () => {
    const here = await world(cluster, address);
    const { alice, bob, channel } = here;
    const socket = await alice.listen(channel.id);
    const path = `/api/channels/${channel.id}/messages`;
    for (let i = 0; i < 10; i++) {
      const content = `message ${i}`;
      if (i % 2) expect((await socket.emit('message:send', { channelId: channel.id, content })).ok).to.equal(true);
      else expect((await alice.post(path, { content })).status).to.equal(201);
    }
    expectRefused(await alice.post(path, { content: 'one more' }), 'messages', 10, 60);
    const ack = await socket.emit('message:send', { channelId: channel.id, content: 'one more' });
    expect(ack).to.include({ ok: false, code: 'RATE_LIMITED' });
    expect(ack.retryAfter).to.be.within(1, 60);
    expect((await bob.post(path, { content: 'mine' })).status).to.equal(201);
    here.close();
  });

  it('bound changes and searches by user, whatever address they come from', async () => {
    const here = await world(cluster, address);
    const { alice, channel } = here;
    // The third change of alice, after her server and the bot itself.
    const robot = await botIn(here.server, alice);
    const from = (headers: object) => ({ authorization: `Bearer ${alice.token}`, ...headers });
    const edit = () => request(at(0), 'PATCH', `/api/messages/${channel.id}`, { content: 'x' }, from(address()));
    for (let i = 0; i < 5; i++) expect((await edit()).status).to.equal(404);
    expectRefused(await edit(), 'changes', 8, 60);
    const add = { emoji: '👍' };
    expectRefused(await alice.post(`/api/messages/${channel.id}/reactions`, add), 'changes', 8, 60);
    expectRefused(await alice.post('/api/dm/channels', { userId: here.carol.id }), 'changes', 8, 60);
    // Each is told in all channels of the bot.
    const teach = () => robot.put(`/api/agents/${robot.agentId}/slash-commands`, { commands: [] });
    for (let i = 0; i < 8; i++) expect((await teach()).status).to.equal(200);
    expectRefused(await teach(), 'changes', 8, 60);
    const search = () => request(at(0), 'GET', '/api/search/messages?query=x', undefined, from(address()));
    for (let i = 0; i < 2; i++) expect((await search()).status).to.equal(200);
    expectRefused(await search(), 'search', 2, 60);
    for (let i = 0; i < 2; i++) expect((await here.bob.get('/api/search/messages?query=x')).status).to.equal(200);
    expect((await here.bob.patch(`/api/messages/${channel.id}`, { content: 'x' })).status).to.equal(404);
    here.close();
  });

  it('bound every change that a signed-in user can make, but never what ends a session, a token, a link or a bot', async () => {
    const here = await world(cluster, address);
    const { alice, server } = here;
    const changing = at(0).endpoints.routes.filter(({ auth, method }) => auth === 'required' && method !== 'GET');
    const unbounded = changing.filter(({ limit }) => !limit).map(({ method, path }) => `${method} ${path}`);
    expect(unbounded).to.have.members([
      'DELETE /api/auth/sessions/:id',
      'POST /api/auth/logout',
      'DELETE /api/tokens/:id',
      'DELETE /api/oauth/apps/:appId',
      'DELETE /api/oauth/allowed/:id',
      'POST /api/agents/:id/stop',
      'DELETE /api/ai/tokens/:id',
      'DELETE /api/servers/:id/invites/:inviteId',
      // What its tools do counts as that; its sessions are kept nowhere.
      'POST /mcp',
      'DELETE /mcp',
    ]);
    const rename = () => alice.patch(`/api/servers/${server.id}`, { name: 'Again' });
    for (let i = 0; i < 7; i++) expect((await rename()).status).to.equal(200);
    expectRefused(await rename(), 'changes', 8, 60);
    expect((await alice.post('/api/auth/logout', {})).status).to.equal(200);
    here.close();
  });

  it('bound the uploads of a user into workspaces and as attachments', async () => {
    const here = await world(cluster, address);
    const upload = async () => {
      const form = new FormData();
      form.set('file', new Blob(['text']), 'a.txt');
      const headers = { authorization: `Bearer ${here.bob.token}` };
      const url = `${here.bob.node.url}/api/servers/${here.server.id}/workspace/upload`;
      const response = await fetch(url, { method: 'POST', body: form, headers });
      return { status: response.status, body: await response.json(), headers: response.headers };
    };
    for (let i = 0; i < 2; i++) expect((await upload()).status).to.equal(201);
    expectRefused(await upload(), 'uploads', 2, 60);
    here.close();
  });

  it('learn what other nodes counted, without asking them for each message', async function () {
    if (nodeCount < 2) return this.skip();
    const here = await world(cluster, address);
    const path = `/api/channels/${here.channel.id}/messages`;
    for (let i = 0; i < 9; i++) expect((await here.alice.post(path, { content: 'x' })).status).to.equal(201);
    await until(async () => {
      const { headers, status } = await here.alice.on(at(1)).post(path, { content: 'x' });
      return status === 429 || headers.get('ratelimit')?.startsWith('"messages";r=0');
    });
    expect((await here.alice.on(at(1)).post(path, { content: 'x' })).status).to.equal(429);
    here.close();
  });

  it('bound the other events of a person on all sockets together, and joins by themselves', async () => {
    const here = await world(cluster, address);
    const { alice, bob, channel } = here;
    const socket = await alice.connect();
    const edit = () => socket.emit('message:edit', { messageId: channel.id, content: 'x' });
    for (let i = 0; i < 5; i++) expect((await edit()).code).to.equal('MESSAGE_NOT_FOUND');
    expect(await edit()).to.include({ ok: false, code: 'RATE_LIMITED' });
    for (let i = 0; i < 8; i++)
      expect((await socket.emit('channel:join', { channelId: channel.id })).ok).to.equal(true);
    expect((await socket.emit('channel:join', { channelId: channel.id })).code).to.equal('RATE_LIMITED');
    const second = await alice.connect();
    expect(await second.emit('nonsense')).to.include({ ok: false, code: 'RATE_LIMITED' });
    expect((await second.emit('channel:join', { channelId: channel.id })).code).to.equal('RATE_LIMITED');
    const other = await bob.connect();
    for (let i = 0; i < 5; i++) {
      expect(await other.emit('nonsense'))
        .to.include({ ok: false, code: 'UNKNOWN_EVENT' })
        .and.have.property('requestId');
    }
    expect(await other.emit('nonsense')).to.include({ ok: false, code: 'RATE_LIMITED' });
    // Other nodes learn of it a moment later.
    const elsewhere = await bob.on(at(0)).connect();
    await until(async () => (await elsewhere.emit('nonsense')).code === 'RATE_LIMITED');
    here.close();
  });
});

describe('a node that is busy', () => {
  it('locks nobody out whose password it had no time to look at', async () => {
    const accounts = { password: { memoryKib: 32_768, concurrency: 1, queue: 0 } };
    const failures = { loginFailures: { points: 6, seconds: 900 } };
    const cluster = await startCluster({ nodes: 1, settings: { rateLimits: true, rates: failures, accounts } });
    try {
      const [node] = cluster.nodes;
      if (!node) throw new Error('no node');
      const { username } = await register(node);
      const login = () => request(node, 'POST', '/api/auth/login', { email: username, password: 'correct horse' });
      for (let round = 0; round < 3; round++) {
        const answers = await Promise.all(Array.from({ length: 6 }, login));
        expect(answers.map(({ status }) => status))
          .to.include(503)
          .and.not.include(429);
      }
      expect((await login()).status).to.equal(200);
    } finally {
      await cluster.stop();
    }
  });
});

describe('rate limits while Redis is away', () => {
  it('are counted by each node, and hold nobody up', async () => {
    const redis = await startRedis();
    const settings = { rateLimits: true, trustProxy: 1, rates };
    const cluster = await startCluster({ nodes: 1, redisUrl: redis.url, settings });
    try {
      const [node] = cluster.nodes;
      if (!node) throw new Error('no node');
      redis.pause();
      const started = Date.now();
      const answers = [];
      for (let i = 0; i < 8; i++) {
        answers.push(await request(node, 'POST', '/api/auth/register', {}, { 'x-forwarded-for': '203.0.113.9' }));
      }
      expect(answers.map((answer) => answer.status)).to.deep.equal([...Array(6).fill(400), 429, 429]);
      // A second for each would be eight.
      expect(Date.now() - started).to.be.below(7000);
      redis.resume();
    } finally {
      await cluster.stop();
      await redis.stop();
    }
  });
});

describe('the address of a client', () => {
  it('is what the trusted proxies said, and nothing that the client wrote itself', () => {
    const headers = { 'x-forwarded-for': '1.1.1.1, 2.2.2.2, 3.3.3.3' };
    expect(clientAddress(headers, '9.9.9.9', 0)).to.equal('9.9.9.9');
    expect(clientAddress(headers, '9.9.9.9', 1)).to.equal('3.3.3.3');
    expect(clientAddress(headers, '9.9.9.9', 2)).to.equal('2.2.2.2');
    expect(clientAddress({ 'x-forwarded-for': '1.1.1.1' }, '9.9.9.9', 2)).to.equal('1.1.1.1');
    expect(clientAddress({}, '9.9.9.9', 1)).to.equal('9.9.9.9');
  });

  it('is asked at the host that the trusted proxies name, whatever else the client says', () => {
    const headers = { host: 'inner:3000', 'x-forwarded-host': 'evil.example, chat.example' };
    expect(clientHost(headers, 0)).to.equal('inner:3000');
    expect(clientHost(headers, 1)).to.equal('chat.example');
    expect(clientHost({ ...headers, 'x-forwarded-host': 'chat.example' }, 2)).to.equal('chat.example');
    expect(clientHost({ host: 'chat.example' }, 1)).to.equal('chat.example');
  });

  it('is without the port that some proxies add', () => {
    const ways = { '192.0.2.1:5678': '192.0.2.1', '[2001:db8::1]:443': '2001:db8::1', '[2001:db8::1]': '2001:db8::1' };
    const plain = { '192.0.2.1': '192.0.2.1', '2001:db8::1': '2001:db8::1', '::ffff:192.0.2.1': '::ffff:192.0.2.1' };
    for (const [entry, address] of Object.entries({ ...ways, ...plain })) {
      expect(clientAddress({ 'x-forwarded-for': `1.1.1.1, ${entry}` }, '9.9.9.9', 1), entry).to.equal(address);
    }
  });

  it('counts as one for a whole IPv6 network, and the same in both forms of IPv4', () => {
    expect(networksOf('2001:db8:1:2:3:4:5:6')).to.deep.equal(networksOf('2001:0DB8:1:2::9'));
    expect(networksOf('2001:db8:1:3::1')).to.deep.equal({ own: '2001:db8:1:3::/64', site: '2001:db8:1::/48' });
    expect(networksOf('2001:db8:1:2::1').site).to.equal(networksOf('2001:db8:1:3::1').site);
    expect(networksOf('::ffff:192.0.2.1')).to.deep.equal({ own: '192.0.2.1', site: null });
    expect(networksOf('192.0.2.1')).to.deep.equal({ own: '192.0.2.1', site: null });
    expect(networksOf('::1').own).to.equal('0:0:0:0::/64');
  });

  it('is shown as a range alone', () => {
    expect(addressRange('192.0.2.77')).to.equal('192.0.2.0/24');
    expect(addressRange('::ffff:192.0.2.77')).to.equal('192.0.2.0/24');
    expect(addressRange('2001:db8:1:2:3:4:5:6')).to.equal('2001:db8:1::/48');
    expect(addressRange('::1')).to.equal('::/48');
    expect(addressRange('unknown')).to.equal(undefined);
  });

  it('is written into the session', async () => {
    const cluster = await startCluster({ nodes: 1, settings: { trustProxy: 1 } });
    try {
      const [node] = cluster.nodes;
      if (!node) throw new Error('no node');
      const person: Person = await register(node, {}, { 'x-forwarded-for': '6.6.6.6, 198.51.100.77:4711' });
      const [session] = (await person.get('/api/auth/sessions')).body;
      expect(session.place).to.equal('198.51.100.0/24');
    } finally {
      await cluster.stop();
    }
  });
});
