// nodes: own

import { sharedRedis } from '../rig/redis.ts';
import { until } from '../rig/until.ts';
import { type Installation, install } from '../world/installation.ts';

describe('an activity on a node that is killed', () => {
  let site: Installation;

  before(async () => {
    site = await install({ nodes: 2, redisUrl: await sharedRedis(), env: { REDIS_PREFIX: 'killed' } });
  });
  after(() => site.stop());

  it('ends for those on the others', async () => {
    const { alice, bob, channel } = site.here;
    const ear = await alice.listen(channel.id);
    const mouth = await bob.connect({ reconnection: false });
    await mouth.emit('presence:activity', { channelId: channel.id, activity: 'reading' });
    await ear.next('presence:activity', ({ activity }) => activity === 'reading');
    // It is held for longer than its lease while its node lives.
    await new Promise((resolve) => setTimeout(resolve, 7000));
    const late = await alice.listen(channel.id);
    await late.next('presence:snapshot', ({ activities }) => activities.length === 1);
    await site.nodes[1]?.kill();
    await ear.next('presence:activity', ({ activity }) => activity === null, 12_000);
    const after = await alice.listen(channel.id);
    await after.next('presence:snapshot', ({ activities }) => activities.length === 0);
    await until(() => ear.all('presence:activity').length === 2);
  });
});
