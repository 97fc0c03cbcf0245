import { expect } from 'chai';
import { receiver } from '../agents/receiver.ts';
import { until } from '../rig/until.ts';
import { type Bot, botIn } from '../world/bot.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { type World, world } from '../world/world.ts';

/** On several nodes bob, who presses, is on another node than the bot's owner. */
describe('interactions over a webhook', () => {
  let cluster: Cluster;
  let here: World;
  let robot: Bot;

  before(async () => {
    const webhooks = { retryMs: 40, pollMs: 100, timeoutMs: 5000 };
    cluster = await startCluster({ settings: { appProxyAllow: ['127.0.0.1'], webhooks } });
    here = await world(cluster);
    robot = await botIn(here.server, here.alice);
  });
  after(async () => {
    robot.hangUp();
    here.close();
    await cluster.stop();
  });

  it('arrive in order, those too that came while it answered nothing, and are answered over REST', async () => {
    const ear = await receiver();
    try {
      const { body } = await here.alice.put(`/api/agents/${robot.agentId}/webhook`, { url: ear.url });
      ear.secret = body.secret;
      const items = ['a', 'b', 'c', 'd'].map((id) => ({ type: 'button', id, label: id }));
      const { id } = await robot.say(here.channel.id, '', { components: { items } });
      ear.behave(() => 503);
      const press = (componentId: string) => here.bob.post(`/api/messages/${id}/uses`, { componentId });
      for (const name of ['a', 'b', 'c']) expect((await press(name)).status).to.equal(201);
      await ear.next(({ event }) => event.type === 'interaction:created', 60_000);
      ear.behave(() => 200);
      expect((await press('d')).status).to.equal(201);
      const room = `user:${robot.id}`;
      const told = () => ear.accepted('interaction:created', room).map(({ data }) => data.componentId);
      await until(() => told().length === 4, { timeout: 60_000, message: 'not all arrived' });
      expect(told()).to.deep.equal(['a', 'b', 'c', 'd']);
      expect(ear.arrived.every(({ verified }) => verified)).to.equal(true);
      const [first] = ear.accepted('interaction:created', room);
      const path = `/api/interactions/${first.data.id}/answers`;
      expect((await robot.post(path, { type: 'update', content: 'Taken.' })).body.message.content).to.equal('Taken.');
    } finally {
      await ear.close();
    }
  });
});
