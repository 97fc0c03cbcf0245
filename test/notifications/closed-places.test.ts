import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { crowd } from '../world/crowd.ts';
import type { Person } from '../world/person.ts';
import { withRows } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

const nothing = { servers: [], channelUnread: {}, serverUnread: {}, dmUnread: {} };

describe('notifications of a place that is closed to one', () => {
  let here: World;
  let elsewhere: string;
  beforeEach(async () => {
    here = await world();
    const { alice, bob } = here;
    const dm = await alice.post('/api/dm/channels', { userId: bob.id });
    elsewhere = dm.body.id;
    await alice.post(`/api/dm/channels/${elsewhere}/messages`, { content: 'hello' });
    await mention(here.channel.id);
    await unreadOf(bob, 2);
  });
  afterEach(() => here.close());

  const mention = (channelId: string) => here.alice.say(channelId, `a word, @${here.bob.username}`);
  const countOf = async (person: Person): Promise<number> =>
    (await person.get('/api/notifications/unread-count')).body.count;
  const unreadOf = (person: Person, count: number) => until(async () => (await countOf(person)) === count);
  const scopedOf = async (person: Person) => (await person.get('/api/notifications/scoped-unread')).body;
  const createChannel = async (fields: object): Promise<string> =>
    (await here.alice.post(`/api/servers/${here.server.id}/channels`, fields)).body.id;

  /** Ends bob's access, and expects his devices to hear of it and the counts to know at once. */
  async function ends(scope: object, end: () => Promise<{ status: number }>, event = 'notification:read') {
    const { bob } = here;
    const ear = await bob.connect();
    expect((await end()).status).to.equal(200);
    expect([await countOf(bob), await scopedOf(bob)]).to.deep.equal([1, { ...nothing, dmUnread: { [elsewhere]: 1 } }]);
    const told = await ear.next(event);
    expect(told).to.deep.include({ scope: { serverId: null, channelId: null, ...scope }, unreadCount: 1 });
  }

  it('count no longer once one left', () =>
    ends({ serverId: here.server.id }, () => here.bob.post(`/api/servers/${here.server.id}/leave`)));

  it('count no longer once one was thrown out, but for the word of that', async () => {
    const { alice, bob, server } = here;
    const ear = await bob.connect();
    expect((await alice.delete(`/api/servers/${server.id}/members/${bob.id}`)).status).to.equal(200);
    expect(await ear.next('notification:read')).to.include({ unreadCount: 1 });
    await ear.next('notification:new', ({ kind }) => kind === 'server.kicked');
    expect(await countOf(bob)).to.equal(2);
  });

  it('count no longer once one was put out of a channel', () =>
    ends({ channelId: here.channel.id }, () =>
      here.alice.delete(`/api/channels/${here.channel.id}/members/${here.bob.id}`),
    ));

  it('are gone once the channel is deleted', () =>
    ends(
      { channelId: here.channel.id },
      () => here.alice.delete(`/api/channels/${here.channel.id}`),
      'notification:deleted',
    ));

  it('are gone once the server is deleted', () =>
    ends(
      { serverId: here.server.id },
      () => here.alice.delete(`/api/servers/${here.server.id}`),
      'notification:deleted',
    ));

  it('leave those of other channels of the server alone', async () => {
    const { alice, bob, channel, server } = here;
    const other = await createChannel({ name: 'other' });
    await mention(other);
    await unreadOf(bob, 3);
    await alice.delete(`/api/channels/${channel.id}`);
    expect(await scopedOf(bob)).to.deep.include({ channelUnread: { [other]: 1 }, serverUnread: { [server.id]: 1 } });
  });

  it('of large servers follow in the background', async () => {
    const { alice, channel, cluster, server } = here;
    const { databaseUrl } = cluster;
    await crowd(1100, { databaseUrl, secret: 'unused-'.repeat(10), serverId: server.id, at: () => alice.node });
    await withRows(databaseUrl, async (rows) => {
      await rows(
        `INSERT INTO notifications (id, user_id, type, kind, title, body, server_id, channel_id, scope, created_at, updated_at)
         SELECT gen_random_uuid(), user_id, 'mention', 'message.mention', '', '', $1, $2::uuid, $2::text, now(), now()
         FROM server_members WHERE server_id = $1`,
        [server.id, channel.id],
      );
      expect((await alice.delete(`/api/channels/${channel.id}`)).status).to.equal(200);
      const left = 'SELECT FROM notifications WHERE channel_id = $1 AND read_at IS NULL LIMIT 1';
      await until(async () => (await rows(left, [channel.id])).length === 0);
    });
  });

  it('do not come to count by what was said while it closed', async () => {
    const { alice, bob } = here;
    for (let round = 0; round < 5; round++) {
      const id = await createChannel({ name: `round-${round}`, isPrivate: true });
      await alice.post(`/api/channels/${id}/members`, { userId: bob.id });
      await Promise.all([mention(id), mention(id)]);
      const last = mention(id).catch(() => undefined);
      await alice.delete(`/api/channels/${id}${round % 2 === 0 ? '' : `/members/${bob.id}`}`);
      await last;
    }
    // What comes later is made later, by whichever node.
    await alice.post(`/api/dm/channels/${elsewhere}/messages`, { content: 'and now?' });
    await until(async () =>
      (await bob.get('/api/notifications')).body.some((each: { body: string }) => each.body === 'and now?'),
    );
    const { channelUnread } = await scopedOf(bob);
    expect(channelUnread).to.deep.equal({ [here.channel.id]: 1 });
  });
});
