// nodes: own

import { expect } from 'chai';
import { resealSecrets } from '../../src/features/agents/webhooks/reseal-secrets.ts';
import { WebhookSender } from '../../src/features/agents/webhooks/webhook.sender.ts';
import { Outgoing, type Resolve } from '../../src/infrastructure/outgoing.ts';
import { SealedText } from '../../src/infrastructure/sealed-text.ts';
import { until } from '../rig/until.ts';
import { type Bot, botIn } from '../world/bot.ts';
import { type Cluster, type SettingsChange, startCluster } from '../world/nodes.ts';
import type { Loose } from '../world/person.ts';
import { withRows } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';
import { type Receiver, receiver } from './receiver.ts';

const pathOf = (robot: Bot) => `/api/agents/${robot.agentId}/webhook`;
const quick = { retryMs: 40, pollMs: 100, timeoutMs: 500 };
const [old, next] = [
  { kid: 'old', secret: 'the secret of last year' },
  { kid: 'next', secret: 'the secret of this year' },
];

describe('webhooks that do not work', () => {
  const clusters: Cluster[] = [];
  const worlds: World[] = [];
  let ear: Receiver;

  beforeEach(async () => {
    ear = await receiver();
  });
  afterEach(async () => {
    for (const here of worlds.splice(0)) here.close();
    for (const cluster of clusters.splice(0).reverse()) await cluster.stop();
    await ear.close();
  });

  async function start(settings: SettingsChange, databaseUrl?: string): Promise<Cluster> {
    const given = databaseUrl ? { databaseUrl, nodes: 1 } : {};
    const cluster = await startCluster({ ...given, settings: { appProxyAllow: ['127.0.0.1'], ...settings } });
    clusters.push(cluster);
    return cluster;
  }

  async function hooked(settings: SettingsChange): Promise<{ cluster: Cluster; here: World; robot: Bot }> {
    const cluster = await start(settings);
    const here = await world(cluster);
    worlds.push(here);
    const robot = await botIn(here.server, here.alice);
    const { body } = await here.alice.put(pathOf(robot), { url: ear.url });
    ear.secret = body.secret;
    return { cluster, here, robot };
  }

  it('are given up after a while, which their owner is told once, and go on when they are enabled', async () => {
    const { here, robot } = await hooked({ webhooks: { ...quick, giveUpSeconds: 1 } });
    const other = (await here.alice.post(`/api/servers/${here.server.id}/channels`, { name: 'other' })).body;
    await here.alice.post(`/api/channels/${other.id}/members`, { userId: robot.id });
    ear.behave(() => 500);
    await here.bob.say(here.channel.id, 'one');
    await here.bob.say(other.id, 'two');
    const dead = await until(async () => {
      const { body } = await robot.get(pathOf(robot));
      return body.state === 'dead' ? body : null;
    });
    expect(dead.lastError).to.equal('It answered 500.');
    expect(Date.parse(dead.stoppedAt) - Date.parse(dead.failingSince)).to.be.within(1000, 20_000);
    expect(dead.pending).to.be.at.least(2);
    const notices = async () => {
      const { body } = await here.alice.get('/api/notifications');
      return body.filter((notice: Loose) => notice.kind === 'agent.webhook_stopped');
    };
    const [notice] = await until(async () => ((await notices()).length > 0 ? notices() : null));
    expect(notice.title).to.contain(robot.username);
    await here.bob.say(here.channel.id, 'three');
    const sent = ear.arrived.length;
    ear.behave(() => 200);
    const device = await here.alice.connect();
    expect((await notices())[0].isRead).to.equal(false);
    await here.alice.post(`${pathOf(robot)}/enable`);
    expect((await device.next('notification:read')).ids).to.deep.equal([notice.id]);
    await ear.next(({ event }) => event.data.content === 'three');
    await until(() => ear.accepted('message:new').length === 3);
    expect(ear.arrived.length - sent).to.be.at.least(3);
    expect(await notices()).to.have.lengthOf(1);
    expect(notice.aggregatedCount).to.equal(1);
  });

  it('are not waited for where nothing failed, though the clock of PostgreSQL is set back', async () => {
    const { cluster, here, robot } = await hooked({ webhooks: quick });
    await here.bob.say(here.channel.id, 'before');
    const heard = () => ear.accepted('message:new').map(({ data }) => data.content);
    await until(() => heard().includes('before'));
    await until(async () => (await robot.get(pathOf(robot))).body.pending === 0);
    await withRows(cluster.databaseUrl, async (rows) => {
      // As seen from an hour earlier; a room that is just being given back gets its time from now.
      const later = `UPDATE webhook_cursors SET due_at = now() + interval '1 hour' WHERE lease IS NULL RETURNING seq`;
      await until(async () => (await rows(later)).length > 1);
    });
    await here.bob.say(here.channel.id, 'after');
    await until(() => heard().includes('after'));
  });

  it('can be enabled without what waits', async () => {
    const { here, robot } = await hooked({ webhooks: quick });
    ear.behave(({ event }) => (event.data.content === 'poison' ? 500 : 200));
    await here.bob.say(here.channel.id, 'poison');
    await here.bob.say(here.channel.id, 'behind it');
    await until(async () => (await robot.get(pathOf(robot))).body.state === 'failing');
    const enabled = await here.alice.post(`${pathOf(robot)}/enable`, { skip: true });
    expect(enabled.body).to.include({ state: 'active', pending: 0 });
    await here.bob.say(here.channel.id, 'after it');
    await ear.next(({ event }) => event.data.content === 'after it');
    const contents = ear.accepted('message:new').map((event) => event.data.content);
    expect(contents).to.deep.equal(['after it']);
  });

  it('are waited for longer than a lease lasts, by one node alone', async () => {
    const { cluster, here, robot } = await hooked({ webhooks: { ...quick, timeoutMs: 60_000, leaseSeconds: 2 } });
    const lease = () =>
      withRows(cluster.databaseUrl, async (rows) => {
        const text = `SELECT extract(epoch FROM max(leased_until))::float8 AS until FROM webhook_cursors WHERE agent_id = $1`;
        return (await rows<{ until: number | null }>(text, [robot.agentId]))[0]?.until ?? 0;
      });
    const answer = Promise.withResolvers<number>();
    ear.behave(({ event }) => (event.data.content === 'slow' ? answer.promise : 200));
    await here.bob.say(here.channel.id, 'slow');
    await ear.next(({ event }) => event.data.content === 'slow');
    const begun = await lease();
    await until(async () => (await lease()) > begun + 5, { message: 'the lease is not renewed' });
    answer.resolve(200);
    await here.bob.say(here.channel.id, 'next');
    await ear.next(({ event }) => event.data.content === 'next');
    expect(ear.arrived.filter(({ event }) => event.data.content === 'slow')).to.have.lengthOf(1);
  });

  it('are asked of no more at once than may be, also while some are waited for', async () => {
    const perWebhook = 3;
    const { cluster, here, robot } = await hooked({ webhooks: { ...quick, timeoutMs: 20_000, perWebhook } });
    const rooms = [here.channel.id];
    for (let i = 0; i < 6; i++) {
      const channelId = await here.newChannel(`room ${i}`);
      await here.alice.post(`/api/channels/${channelId}/members`, { userId: robot.id });
      rooms.push(channelId);
    }
    let most = 0;
    const waiting: (() => void)[] = [];
    ear.behave(async ({ event }) => {
      if (event.type !== 'message:new') return 200;
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        most = Math.max(most, waiting.length);
      });
      return 200;
    });
    const [first = '', second = '', ...others] = rooms;
    for (const room of [first, second]) {
      await here.bob.say(room, 'held');
      await until(() => waiting.length === rooms.indexOf(room) + 1);
    }
    await Promise.all(others.map((room) => here.bob.say(room, 'held')));
    await until(async () => {
      if (waiting.length >= perWebhook) waiting.shift()?.();
      else if (ear.arrived.filter(({ event }) => event.type === 'message:new').length >= rooms.length)
        waiting.pop()?.();
      return ear.accepted('message:new').length === rooms.length;
    });
    expect(most).to.be.at.most(perWebhook * cluster.nodes.length);
  });

  it('say what is wrong: nobody there, too slow, cut off', async () => {
    const { here, robot } = await hooked({ webhooks: { ...quick, timeoutMs: 200 } });
    const seen = (error: string) =>
      until(async () => (await robot.get(pathOf(robot))).body.lastError === error, { message: `not: ${error}` });
    ear.behave(() => undefined);
    await here.bob.say(here.channel.id, 'slow');
    await seen('It did not answer within 0.2 s.');
    ear.behave((_, response) => void response.destroy());
    await seen('The connection broke.');
    const gone = await receiver();
    await gone.close();
    await here.alice.put(pathOf(robot), { url: gone.url });
    await seen('It refused the connection.');
    ear.behave(() => 200);
    const moved = await here.alice.put(pathOf(robot), { url: ear.url });
    expect(moved.body.secret).to.equal(null);
    const arrived = await ear.next(({ event, verified }) => event.data.content === 'slow' && verified);
    expect(arrived.headers['webhook-timestamp']).to.match(/^\d{10}$/);
  });

  it('are not called where that is not allowed any more', async () => {
    const { cluster, here, robot } = await hooked({ webhooks: quick });
    const settings = { appProxyAllow: [], webhooks: quick };
    await Promise.all(cluster.nodes.map((node) => node.stop()));
    const strict = await start(settings, cluster.databaseUrl);
    const [node] = strict.nodes;
    if (!node) throw new Error('no node');
    const before = ear.arrived.length;
    await here.bob.on(node).say(here.channel.id, 'to a private place');
    const state = await until(async () => {
      const { body } = await robot.on(node).get(pathOf(robot));
      return body.lastError ? body : null;
    });
    expect(state.lastError).to.match(/^Only https addresses are allowed here\..*APP_PROXY_ALLOW/);
    const test = await here.alice.on(node).post(`${pathOf(robot)}/test`);
    expect(test.body).to.include({ delivered: false, error: state.lastError });
    expect(ear.arrived).to.have.lengthOf(before);
  });

  it('judge a name by the address that is called, each time', async () => {
    let asked = 0;
    const resolve: Resolve = (_, callback) => {
      asked++;
      callback(null, [{ address: asked === 1 ? '93.184.216.34' : '127.0.0.1', family: 4 }]);
    };
    const outgoing = new Outgoing([], resolve);
    const port = new URL(ear.url).port;
    const url = `https://rebind.test:${port}/hook`;
    await outgoing.check(new URL(url));
    const outcome = await new WebhookSender(outgoing, 1000).send({ url, secrets: [], id: 'msg_1', body: '{}' });
    const error =
      'The address of rebind.test is private or reserved. Whoever runs this server can allow it with APP_PROXY_ALLOW.';
    expect(outcome).to.deep.equal({ delivered: false, error, gone: false, retryAfterMs: null });
    await outgoing.close();
  });

  it('keep their secret sealed, and over a change of the JWT secret', async () => {
    const { cluster, here, robot } = await hooked({ webhooks: quick, jwtSecrets: [old] });
    const kept = await withRows(cluster.databaseUrl, (rows) => rows<{ secret: string }>('SELECT secret FROM webhooks'));
    expect(kept[0]?.secret).to.match(/^old\./);
    expect(Buffer.from(kept[0]?.secret.slice(4) ?? '', 'base64url').toString('latin1')).to.not.contain('whsec_');
    await withRows(cluster.databaseUrl, async (rows) => {
      const chore = resealSecrets(new SealedText([next, old]));
      expect(await chore.step(rows)).to.equal(1);
      expect(await chore.step(rows)).to.equal(0);
    });
    await Promise.all(cluster.nodes.map((node) => node.stop()));
    const [both] = (await start({ webhooks: quick, jwtSecrets: [next, old] }, cluster.databaseUrl)).nodes;
    if (!both) throw new Error('no node');
    await here.bob.on(both).say(here.channel.id, 'sealed anew');
    expect((await ear.next(({ event }) => event.data.content === 'sealed anew')).verified).to.equal(true);
    await withRows(cluster.databaseUrl, (rows) => rows("UPDATE webhooks SET secret = 'lost.' || secret"));
    await here.bob.on(both).say(here.channel.id, 'unsigned');
    const error = 'Its secret cannot be read any more; make a new one.';
    await until(async () => (await robot.on(both).get(pathOf(robot))).body.lastError === error);
    const { body } = await here.alice.on(both).post(`${pathOf(robot)}/secret`);
    ear.secret = body.secret;
    expect((await ear.next(({ event }) => event.data.content === 'unsigned')).verified).to.equal(true);
  });
});
