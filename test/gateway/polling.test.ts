import { expect } from 'chai';
import { until } from '../bench/until.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { RawPoller } from '../world/raw-poller.ts';
import { type World, world } from '../world/world.ts';

describe('a long-polling connection that the server ends', () => {
  let cluster: Cluster;
  let here: World;

  before(async () => {
    cluster = await startCluster();
    here = await world(cluster);
  });
  after(async () => {
    here.close();
    await cluster.stop();
  });

  const unknown = { status: 400, body: { code: 1, message: 'Session ID unknown' } };
  /** What python-engineio takes for a farewell for ever. */
  const farewell = '1';

  it('is told of a session that was revoked before it is unknown', async () => {
    const poller = await RawPoller.open(here.bob.node.url, here.bob.token);
    await here.bob.post('/api/auth/logout');
    await until(() => poller.end, { message: 'not ended' });
    expect(poller.event('auth:session-revoked')).to.have.lengthOf(1);
    expect(poller.packets.at(-1)).to.equal('41');
    expect(poller.end).to.deep.equal(unknown);
  });

  it('is unknown when its node stops, and not dismissed', async () => {
    const poller = await RawPoller.open(here.alice.node.url, here.alice.token);
    here.close();
    await Promise.all(cluster.nodes.map((node) => node.stop()));
    await until(() => poller.end, { message: 'not ended' });
    expect(poller.event('server:draining')).to.have.lengthOf(1);
    expect(poller.packets).not.to.include(farewell);
    expect(poller.end).to.deep.equal(unknown);
  });
});
