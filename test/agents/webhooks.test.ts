import { expect } from 'chai';
import { clock } from '../../src/infrastructure/clock.ts';
import { until } from '../rig/until.ts';
import { type Bot, bot, botIn } from '../world/bot.ts';
import { trimLogs } from '../world/log.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import type { Loose } from '../world/person.ts';
import { withRows } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';
import { type Receiver, receiver } from './receiver.ts';

/** On several nodes whoever speaks is on another node than the owner who registers. */
describe('webhooks of bots', () => {
  let cluster: Cluster;
  let here: World;
  const hooks: Receiver[] = [];

  before(async () => {
    const webhooks = { retryMs: 40, pollMs: 100, timeoutMs: 5000 };
    cluster = await startCluster({ settings: { appProxyAllow: ['127.0.0.1'], webhooks } });
    here = await world(cluster);
  });
  afterEach(async () => {
    await Promise.all(hooks.splice(0).map((hook) => hook.close()));
  });
  after(async () => {
    here.close();
    await cluster.stop();
  });

  const pathOf = (robot: Bot) => `/api/agents/${robot.agentId}/webhook`;
  const roomOf = (channel: { id: string }) => `channel:${channel.id}`;
  const said = (hook: Receiver, channel = here.channel): string[] =>
    hook.accepted('message:new', roomOf(channel)).map((event) => event.data.content);

  async function hook(): Promise<Receiver> {
    const made = await receiver();
    hooks.push(made);
    return made;
  }

  /** A bot in the server, with a webhook that works. */
  async function hooked(): Promise<{ robot: Bot; ear: Receiver }> {
    const robot = await botIn(here.server, here.alice);
    const ear = await hook();
    const { status, body } = await here.alice.put(pathOf(robot), { url: ear.url });
    expect(status).to.equal(200);
    expect(body.secret).to.match(/^whsec_/);
    ear.secret = body.secret;
    // Rooms are begun a moment later; until then nothing is pending either.
    await until(() => follows(robot), { message: 'the channel is not followed' });
    await delivered(robot);
    return { robot, ear };
  }
  const follows = async (robot: Bot) => {
    const which = [robot.agentId, here.channel.id];
    const begun = 'SELECT seq FROM webhook_cursors WHERE agent_id = $1 AND stream_id = $2';
    return (await withRows(cluster.databaseUrl, (query) => query(begun, which))).length > 0;
  };
  const delivered = (robot: Bot) =>
    until(async () => (await here.alice.get(pathOf(robot))).body.pending === 0, { message: 'something is pending' });

  it('get what happens, signed by the Standard Webhooks convention', async () => {
    const { robot, ear } = await hooked();
    const message = await here.bob.say(here.channel.id, 'grüße 👋');
    const begun = Date.now();
    const arrived = await ear.next(({ event }) => event.type === 'message:new');
    expect(arrived.verified).to.equal(true);
    expect(arrived.headers['content-type']).to.equal('application/json');
    expect(arrived.id).to.match(/^msg_[\w-]+$/);
    const { type, room, seq, agentId, data, timestamp } = arrived.event;
    expect({ type, room, seq, agentId }).to.deep.equal({
      type: 'message:new',
      room: roomOf(here.channel),
      seq: message.seq,
      agentId: robot.agentId,
    });
    expect(data).to.include({ id: message.id, content: 'grüße 👋', eventSeq: message.seq });
    expect(Math.abs(Date.parse(timestamp) - begun)).to.be.below(5000);
    const state = await until(async () => {
      const { body } = await robot.get(pathOf(robot));
      return body.pending === 0 && body.lastDeliveredAt ? body : null;
    });
    expect(state).to.include({ state: 'active', failingSince: null, lastError: null, url: ear.url });
    expect(JSON.stringify(state)).to.not.contain('whsec_');
  });

  it('hear what a socket hears, by the policy of the moment, the own room too', async () => {
    const { robot, ear } = await hooked();
    const policy = `/api/channels/${here.channel.id}/agents/${robot.agentId}/policy`;
    await here.bob.say(here.channel.id, 'to all');
    await ear.next(({ event }) => event.data.content === 'to all');
    await here.alice.put(policy, { mode: 'mentionOnly' });
    await here.bob.say(here.channel.id, 'among people');
    await here.bob.say(here.channel.id, `@${robot.username} for you`);
    await ear.next(({ event }) => event.data.content === `@${robot.username} for you`);
    await here.alice.put(policy, { mode: 'custom', listen: false });
    await here.bob.say(here.channel.id, `@${robot.username} not any more`);
    await delivered(robot);
    await here.alice.put(policy, { mode: 'replyAll' });
    await here.bob.say(here.channel.id, 'to all again');
    await ear.next(({ event }) => event.data.content === 'to all again');
    expect(said(ear)).to.deep.equal(['to all', `@${robot.username} for you`, 'to all again']);
    await delivered(robot);
    const told = ear.accepted('agent:policy-changed');
    expect(told.map((event: Loose) => event.room)).to.deep.equal(Array(3).fill(`user:${robot.id}`));
  });

  it('follow the bot into channels and out of them, and into DMs', async () => {
    const { robot, ear } = await hooked();
    const made = await here.alice.post(`/api/servers/${here.server.id}/channels`, { name: 'other' });
    const other = made.body;
    await here.bob.say(other.id, 'before the bot came');
    await here.alice.post(`/api/channels/${other.id}/members`, { userId: robot.id });
    await here.bob.say(other.id, 'with the bot');
    await ear.next(({ event }) => event.data.content === 'with the bot');
    await here.alice.delete(`/api/channels/${other.id}/members/${robot.id}`);
    await here.bob.say(other.id, 'without the bot');
    await here.alice.post(`/api/channels/${other.id}/members`, { userId: robot.id });
    await here.bob.say(other.id, 'with the bot again');
    await ear.next(({ event }) => event.data.content === 'with the bot again');
    expect(said(ear, other)).to.deep.equal(['with the bot', 'with the bot again']);
    const dm = (await here.bob.post('/api/dm/channels', { userId: robot.id })).body;
    await here.bob.post(`/api/dm/channels/${dm.id}/messages`, { content: 'between us' });
    await ear.next(({ event }) => event.data.content === 'between us');
    await here.alice.delete(`/api/channels/${other.id}`);
    await ear.next(({ event }) => event.type === 'channel:deleted' && event.room === roomOf(other));
  });

  it('miss nothing of a channel that the bot has come into, though the clock of its node is ahead', async () => {
    const { robot, ear } = await hooked();
    const { id } = (await here.alice.post(`/api/servers/${here.server.id}/channels`, { name: 'ahead' })).body;
    const put = (ms: number) => clock.measured(clock.now() + ms, performance.now(), performance.now());
    // So that it is looked up only then where the channel begins for the bot.
    await withRows(cluster.databaseUrl, async (rows) => {
      await rows('BEGIN');
      await rows('LOCK TABLE webhook_cursors IN EXCLUSIVE MODE');
      put(500);
      await here.alice.post(`/api/channels/${id}/members`, { userId: robot.id });
      await here.bob.say(id, 'at once');
      await rows('COMMIT');
    }).finally(() => put(-500));
    await ear.next(({ event }) => event.data.content === 'at once');
  });

  it('hear soon of a channel that a bot comes into in the moment in which its webhook is registered', async () => {
    const robot = await botIn(here.server, here.alice);
    const ear = await hook();
    const { id } = (await here.alice.post(`/api/servers/${here.server.id}/channels`, { name: 'soon' })).body;
    await withRows(cluster.databaseUrl, async (rows) => {
      await rows(`CREATE FUNCTION held_up() RETURNS trigger LANGUAGE plpgsql
        AS 'BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NULL; END'`);
      await rows('CREATE TRIGGER held_up AFTER DELETE ON webhook_cursors EXECUTE FUNCTION held_up()');
      await rows('SELECT pg_advisory_lock(1)');
      expect((await here.alice.put(pathOf(robot), { url: ear.url })).status).to.equal(200);
      // The bot's channels were looked up by then, and nobody listens yet for what happens to the bot.
      const waiting = () => rows("SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = 1 AND NOT granted");
      await until(async () => (await waiting()).length > 0, { message: 'nobody looks for its channels' });
      expect((await here.alice.post(`/api/channels/${id}/members`, { userId: robot.id })).status).to.equal(201);
      await rows('SELECT pg_advisory_unlock(1)');
      await rows('DROP TRIGGER held_up ON webhook_cursors');
      await rows('DROP FUNCTION held_up');
    });
    await here.bob.say(id, 'welcome');
    await ear.next(({ event }) => event.data.content === 'welcome');
  });

  it('are tried again with the same id, in order, while other channels go on', async () => {
    const { robot, ear } = await hooked();
    const other = (await here.alice.post(`/api/servers/${here.server.id}/channels`, { name: 'flow' })).body;
    await here.alice.post(`/api/channels/${other.id}/members`, { userId: robot.id });
    let broken = true;
    ear.behave(({ event }) => (broken && event.data.content === 'second' ? 500 : 200));
    for (const content of ['first', 'second', 'third']) await here.bob.say(here.channel.id, content);
    await here.bob.say(other.id, 'elsewhere');
    await ear.next(({ event }) => event.data.content === 'elsewhere');
    const tries = () => ear.arrived.filter(({ event }) => event.data.content === 'second');
    await until(() => tries().length >= 3, { message: 'no further try' });
    expect(new Set(tries().map(({ id }) => id)).size).to.equal(1);
    expect(tries().every(({ verified }) => verified)).to.equal(true);
    expect(ear.arrived.some(({ event }) => event.data.content === 'third')).to.equal(false);
    // What the receiver has accepted is written down a moment later.
    const state = await until(async () => {
      const { body } = await here.alice.get(pathOf(robot));
      return body.pending === 2 && body.failing[0]?.attempts > 1 ? body : null;
    });
    expect(state).to.include({ state: 'failing', lastError: 'It answered 500.' });
    expect(state.failing[0]).to.include({ room: roomOf(here.channel), error: 'It answered 500.' });
    broken = false;
    await ear.next(({ event }) => event.data.content === 'third');
    expect(said(ear)).to.deep.equal(['first', 'second', 'third']);
    await until(async () => (await here.alice.get(pathOf(robot))).body.state === 'active');
  });

  it('wait as long as the receiver asks, and neither follow redirects nor read without end', async () => {
    const { robot, ear } = await hooked();
    const answers: Parameters<Receiver['behave']>[0][] = [
      (_, response) => void response.writeHead(503, { 'retry-after': '1' }).end(),
      (_, response) => void response.writeHead(302, { location: `${ear.url}/elsewhere` }).end(),
      (_, response) => void response.writeHead(200).write('x'.repeat(100_000)),
    ];
    ear.behave((arrived, response) => {
      const answer = answers.shift();
      return answer ? answer(arrived, response) : 200;
    });
    await here.bob.say(here.channel.id, 'patience');
    const tries = () => ear.arrived.filter(({ event }) => event.data.content === 'patience');
    await until(() => tries().length >= 3, { timeout: 20_000 });
    const [first, second] = tries();
    expect((second?.at ?? 0) - (first?.at ?? 0)).to.be.at.least(990);
    await until(async () => (await here.alice.get(pathOf(robot))).body.state === 'active');
    expect(tries()).to.have.lengthOf(3);
    const { body } = await here.alice.get(pathOf(robot));
    expect(body.lastError).to.equal('It answered 302; redirects are not followed.');
  });

  it('are sent once each when nothing goes wrong, however many nodes there are', async () => {
    const { robot, ear } = await hooked();
    const contents = Array.from({ length: 40 }, (_, index) => `m${index}`);
    const dms = (await here.carol.post('/api/dm/channels', { userId: robot.id })).body;
    for (const content of contents) {
      const mouth = Number(content.slice(1)) % 2 ? here.alice : here.bob;
      await Promise.all([mouth.say(here.channel.id, content), here.carol.say(dms.id, content)]);
    }
    await until(() => said(ear).length === 40 && said(ear, dms).length === 40, { message: 'not all came' });
    expect(said(ear)).to.deep.equal(contents);
    expect(said(ear, dms)).to.deep.equal(contents);
    const sent = ear.arrived.map(({ id }) => id);
    expect(new Set(sent).size).to.equal(sent.length);
    const [node] = cluster.nodes;
    const metrics = await fetch(`${node?.url}/metrics`).then((response) => response.text());
    expect(metrics).to.match(/webhooks_delivered\S* \d+/);
  });

  it('have secrets that change without a gap', async () => {
    const { robot, ear } = await hooked();
    const old = ear.secret;
    const { status, body } = await here.alice.post(`${pathOf(robot)}/secret`);
    expect(status).to.equal(201);
    expect(body.secret)
      .to.match(/^whsec_/)
      .and.not.equal(old);
    expect(body.previousSecretUntil).to.be.a('string');
    await here.bob.say(here.channel.id, 'signed twice');
    const twice = await ear.next(({ event }) => event.data.content === 'signed twice');
    expect([twice.verified, twice.signatures]).to.deep.equal([true, 2]);
    ear.secret = body.secret;
    await here.bob.say(here.channel.id, 'signed twice still');
    expect((await ear.next(({ event }) => event.data.content === 'signed twice still')).verified).to.equal(true);
    const pass = "UPDATE webhooks SET previous_until = previous_until - interval '1 day 2 s' WHERE agent_id = $1";
    await withRows(cluster.databaseUrl, (query) => query(pass, [robot.agentId]));
    expect((await robot.get(pathOf(robot))).body.previousSecretUntil).to.equal(null);
    await here.bob.say(here.channel.id, 'signed once');
    const once = await ear.next(({ event }) => event.data.content === 'signed once');
    expect([once.verified, once.signatures]).to.deep.equal([true, 1]);
  });

  it('go on with the first secret when a second change follows at once, up to four back', async () => {
    const { robot, ear } = await hooked();
    const again = () => here.alice.post(`${pathOf(robot)}/secret`);
    const tested = async () => {
      const before = ear.arrived.length;
      expect((await here.alice.post(`${pathOf(robot)}/test`)).body.delivered).to.equal(true);
      const [last] = ear.arrived.slice(before).filter(({ event }) => event.type === 'webhook:test');
      return [last?.verified, last?.signatures];
    };
    await again();
    await again();
    expect(await tested()).to.deep.equal([true, 3]);
    await here.bob.say(here.channel.id, 'signed thrice');
    const thrice = await ear.next(({ event }) => event.data.content === 'signed thrice');
    expect([thrice.verified, thrice.signatures]).to.deep.equal([true, 3]);
    for (let times = 0; times < 3; times++) await again();
    expect(await tested()).to.deep.equal([false, 5]);
  });

  it('end with 410, and can be enabled again; the owner is told', async () => {
    const { robot, ear } = await hooked();
    ear.behave(() => 410);
    await here.bob.say(here.channel.id, 'are you there?');
    const gone = await until(async () => {
      const { body } = await here.alice.get(pathOf(robot));
      return body.state === 'gone' ? body : null;
    });
    expect(gone.lastError).to.equal('It answered 410.');
    expect(gone.stoppedAt).to.be.a('string');
    const notice = await until(async () => {
      const { body } = await here.alice.get('/api/notifications');
      return body.find((found: Loose) => found.kind === 'agent.webhook_stopped' && found.referenceId === robot.agentId);
    });
    expect(notice).to.include({ type: 'system', referenceType: 'agent', senderId: robot.id });
    const before = ear.arrived.length;
    await here.bob.say(here.channel.id, 'nobody there');
    ear.behave(() => 200);
    const test = await here.alice.post(`${pathOf(robot)}/test`);
    expect(test.body).to.include({ ok: true, delivered: true, error: null });
    expect(ear.arrived.slice(before).map(({ event }) => event.type)).to.deep.equal(['webhook:test']);
    const enabled = await here.alice.post(`${pathOf(robot)}/enable`);
    expect(enabled.body).to.include({ state: 'active', stoppedAt: null });
    await until(() => said(ear).length === 2);
    expect(said(ear)).to.deep.equal(['are you there?', 'nobody there']);
  });

  it('give a stopped bot nothing, and what it missed when it is started', async () => {
    const { robot, ear } = await hooked();
    await here.alice.post(`/api/agents/${robot.agentId}/stop`);
    const before = ear.arrived.length;
    await here.bob.say(here.channel.id, 'while it sleeps');
    const waiting = await until(async () => {
      const { body } = await here.alice.get(pathOf(robot));
      return body.pending > 0 ? body : null;
    });
    expect(waiting).to.include({ state: 'active', failingSince: null });
    expect(ear.arrived).to.have.lengthOf(before);
    await here.alice.post(`/api/agents/${robot.agentId}/start`);
    await ear.next(({ event }) => event.data.content === 'while it sleeps');
  });

  it('say so when events were lost before they could be delivered', async () => {
    const { robot, ear } = await hooked();
    await here.alice.post(`/api/agents/${robot.agentId}/stop`);
    const first = await here.bob.say(here.channel.id, 'one');
    for (const content of ['two', 'three']) await here.bob.say(here.channel.id, content);
    await trimLogs(cluster.databaseUrl, 1);
    await here.alice.post(`/api/agents/${robot.agentId}/start`);
    await ear.next(({ event }) => event.data.content === 'three');
    const [lost] = ear.accepted('events:lost', roomOf(here.channel));
    expect(lost.data).to.deep.equal({
      channelId: here.channel.id,
      after: first.seq - 1,
      seq: first.seq + 1,
      recovered: false,
    });
    expect(said(ear)).to.deep.equal(['three']);
  });

  it('end with their bot, and when they are deleted', async () => {
    const { robot, ear } = await hooked();
    expect((await here.alice.delete(pathOf(robot))).body).to.deep.equal({ ok: true, success: true });
    expect((await robot.get(pathOf(robot))).body.code).to.equal('WEBHOOK_NOT_FOUND');
    for (const way of ['secret', 'enable', 'test']) {
      expect((await here.alice.post(`${pathOf(robot)}/${way}`)).body.code).to.equal('WEBHOOK_NOT_FOUND');
    }
    const other = await hooked();
    await here.alice.delete(`/api/agents/${other.robot.agentId}`);
    const rows = await withRows(cluster.databaseUrl, (query) =>
      query('SELECT agent_id FROM webhook_cursors WHERE agent_id = ANY($1)', [[robot.agentId, other.robot.agentId]]),
    );
    expect(rows).to.deep.equal([]);
    const before = ear.arrived.length;
    await here.bob.say(here.channel.id, 'to nobody');
    expect(ear.arrived).to.have.lengthOf(before);
  });

  it('are for the owner and the bot alone, and lead nowhere private', async () => {
    const robot = await bot(here.alice);
    for (const answer of [
      await here.bob.get(pathOf(robot)),
      await here.bob.put(pathOf(robot), { url: 'https://example.com/' }),
      await here.bob.post(`${pathOf(robot)}/test`),
      await here.bob.delete(pathOf(robot)),
    ]) {
      expect([answer.status, answer.body.code]).to.deep.equal([404, 'AGENT_NOT_FOUND']);
    }
    for (const url of [
      'https://10.0.0.1/',
      'https://[::1]/',
      'https://169.254.169.254/latest/meta-data',
      'https://localhost/',
      'http://example.com/',
      'https://user:secret@example.com/',
    ]) {
      const refused = await here.alice.put(pathOf(robot), { url });
      expect([url, refused.status, refused.body.code]).to.deep.equal([url, 422, 'UNSAFE_URL']);
    }
    for (const url of ['ftp://example.com/', 'nonsense', '', 7, undefined]) {
      expect((await here.alice.put(pathOf(robot), { url })).status).to.equal(400);
    }
  });
});
