// nodes: own

import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { RedisPresenceStore } from '../../src/features/presence/redis-store.ts';
import { createLog } from '../../src/infrastructure/log.ts';
import { RedisConnections } from '../../src/infrastructure/redis.ts';
import { sharedRedis } from '../rig/redis.ts';
import { until } from '../rig/until.ts';
import { testSettings } from '../world/nodes.ts';

const log = createLog('silent');
const longMs = 3_600_000;
/** Who does not renew by itself within a test. */
const patient = { ...testSettings('', null).presence, renewMs: longMs, deadAfterMs: longMs, graceMs: longMs };

describe('presence in Redis', () => {
  let redis: RedisConnections;
  let prefix: string;
  const stores: RedisPresenceStore[] = [];

  beforeEach(async () => {
    prefix = randomUUID();
    redis = new RedisConnections({ url: await sharedRedis(), cluster: false, prefix }, log);
    expect(await redis.waitUntilHealthy(10_000)).to.equal(true);
  });
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.retire();
    await redis.close();
  });

  const key = (name: string) => `{${prefix}:presence}:${name}`;

  /** A node, with what it heard. */
  async function nodeWith(settings: typeof patient) {
    const id = randomUUID();
    const store = new RedisPresenceStore(redis, id, settings, log);
    const [told, hurried, events]: [string[], string[], string[]] = [[], [], []];
    store.listen({
      changed: (changes) => void told.push(...changes.map(({ userId, status }) => `${userId} ${status}`)),
      hurried: (userId) => void hurried.push(userId),
    });
    const note = (event: string) => () => void events.push(event);
    store.start({ forgotten: note('forgotten'), emptied: note('emptied'), missed: note('missed') });
    stores.push(store);
    await redis.subscriber.ping();
    await store.renew();
    await store.readAll(() => {});
    events.length = 0;
    return { id, store, told, hurried, events };
  }

  it('of a node that died ends for all of them with one renewal, however many there are, and the node is forgotten', async () => {
    const [dead, other] = [await nodeWith(patient), await nodeWith(patient)];
    const userIds = Array.from({ length: 1201 }, (_, i) => `user-${i}`);
    await dead.store.arrive(userIds.map((userId) => ({ userId, wish: 'online' })));
    await redis.commands.zadd(key('nodes'), 1, dead.id);
    await other.store.renew();
    await until(() => other.told.length === 2 * userIds.length);
    expect(other.told.slice(userIds.length).sort()).to.deep.equal(userIds.map((id) => `${id} offline`).sort());
    expect(await redis.commands.zrange(key('nodes'), 0, -1)).to.deep.equal([other.id]);
  });

  it('of signs of life that ran out ends for all of them with one renewal, however many there are', async () => {
    const { store, told } = await nodeWith(patient);
    const userIds = Array.from({ length: 1201 }, (_, i) => `user-${i}`);
    await Promise.all(userIds.map((userId) => store.beat({ userId, wish: 'online' }, 1)));
    await delay(5);
    await store.renew();
    await until(() => told.length === 2 * userIds.length);
  });

  it('of a node that stops holds for the grace, and no longer', async () => {
    const [hasty, patientOne] = [await nodeWith({ ...patient, graceMs: 0 }), await nodeWith(patient)];
    const other = await nodeWith(patient);
    await hasty.store.arrive([{ userId: 'ann', wish: 'online' }]);
    await patientOne.store.arrive([{ userId: 'ben', wish: 'online' }]);
    for (const { store } of [hasty, patientOne]) await store.retire();
    await other.store.renew();
    await until(() => other.told.includes('ann offline'));
    expect(other.told).to.deep.equal(['ann online', 'ben online', 'ann offline']);
  });

  it('is said anew by a node that Redis does not know', async () => {
    const { id, store, events } = await nodeWith(patient);
    await redis.commands.zrem(key('nodes'), id);
    await store.arrive([{ userId: 'ann', wish: 'online' }]);
    expect(events).to.deep.equal(['forgotten']);
    await store.arrive([{ userId: 'ann', wish: 'online' }]);
    expect(events).to.deep.equal(['forgotten']);
  });

  it('is read anew where something was told that did not come, and nothing old is taken for new', async () => {
    const { store, told, events } = await nodeWith(patient);
    const say = (version: number, text: string) => redis.commands.publish(`${prefix}:presence`, `${version}\n${text}`);
    await say(1, 'ann online');
    await say(1, 'ann idle');
    await say(3, 'ben online');
    await say(2, 'cem online');
    await until(() => events.length > 0);
    await redis.subscriber.ping();
    expect(told).to.deep.equal(['ann online', 'ben online']);
    expect(events).to.deep.equal(['missed']);
    await redis.commands.set(key('version'), 2);
    await store.readAll(() => {});
    expect(events, 'that was read too early').to.deep.equal(['missed', 'missed']);
    await redis.commands.set(key('version'), 1);
    await store.renew();
    expect(events, 'that counts from the beginning').to.deep.equal(['missed', 'missed', 'emptied']);
  });

  it('is read anew also where nothing comes after what did not come', async () => {
    const { store, events } = await nodeWith({ ...patient, renewMs: 20 });
    await redis.commands.set(key('version'), 7);
    await until(() => events.includes('missed'));
    await store.readAll(() => {});
    events.length = 0;
    await delay(100);
    expect(events).to.deep.equal([]);
  });

  it('tells nobody what has not changed, nor what a node read before somebody wished for something else', async () => {
    const [here, there] = [await nodeWith(patient), await nodeWith(patient)];
    await here.store.arrive([{ userId: 'ann', wish: 'dnd' }]);
    await there.store.arrive([{ userId: 'ann', wish: 'online' }]);
    await here.store.arrive([{ userId: 'ann', wish: 'online' }]);
    await here.store.leave(['ann']);
    expect(await redis.commands.get(key('version'))).to.equal('1');
    await until(() => there.told.length > 0);
    expect(there.told).to.deep.equal(['ann dnd']);
  });

  it('holds with a socket when a sign of life has run out', async () => {
    const { store, told } = await nodeWith(patient);
    await store.arrive([{ userId: 'ann', wish: 'online' }]);
    await store.beat({ userId: 'ann', wish: 'online' }, 1);
    await delay(5);
    await store.wish('ann', 'idle');
    await until(() => told.length > 1);
    expect(told).to.deep.equal(['ann online', 'ann idle']);
  });

  it('is over with the time of a sign of life, and not only with the next renewal', async () => {
    const { store, told } = await nodeWith(patient);
    await store.beat({ userId: 'ann', wish: 'online' }, 1);
    await delay(5);
    await store.wish('ann', 'idle');
    await until(() => told.length > 1);
    expect(told).to.deep.equal(['ann online', 'ann offline']);
  });

  it('of who says good-bye ends on all nodes', async () => {
    const [here, there] = [await nodeWith(patient), await nodeWith(patient)];
    await here.store.hurry('ann');
    for (const { hurried } of [here, there]) await until(() => hurried.includes('ann'));
  });
});
