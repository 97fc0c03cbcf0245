// nodes: one and two

import { expect } from 'chai';
import { Parley } from '../../src/client/index.ts';
import { until } from '../rig/until.ts';
import { botIn } from '../world/bot.ts';
import type { Listener, Loose } from '../world/person.ts';
import { type World, world } from '../world/world.ts';

describe('an activity', () => {
  let here: World;
  beforeEach(async () => {
    here = await world();
  });
  afterEach(() => here.close());

  const last = (ear: Listener, userId: string): string | null | undefined =>
    ear
      .all('presence:activity')
      .filter((event) => event.userId === userId)
      .at(-1)?.activity;
  const shown = async (ear: Listener, channelId: string) =>
    (await ear.next('presence:snapshot', (one) => one.channelId === channelId)).activities;
  const becomes = (ear: Listener, userId: string, activity: string | null) =>
    until(() => last(ear, userId) === activity, { message: `it is ${last(ear, userId)}` });

  it('is told to who joins later, until it ends', async () => {
    const { alice, bob, channel } = here;
    const mouth = await bob.listen(channel.id);
    expect(await shown(mouth, channel.id)).to.deep.equal([]);
    for (const activity of ['reading', 'looking: "it" up']) {
      await mouth.emit('presence:activity', { channelId: channel.id, activity });
      const late = await alice.listen(channel.id);
      expect(await shown(late, channel.id)).to.deep.equal([{ userId: bob.id, activity }]);
      late.close();
    }
    await mouth.emit('presence:activity', { channelId: channel.id, activity: null });
    const after = await alice.listen(channel.id);
    expect(await shown(after, channel.id)).to.deep.equal([]);
  });

  it('ends when its user leaves the channel on that connection', async () => {
    const { alice, bob, channel } = here;
    const [ear, mouth] = [await alice.listen(channel.id), await bob.listen(channel.id)];
    await mouth.emit('presence:activity', { channelId: channel.id, activity: 'reading' });
    await becomes(ear, bob.id, 'reading');
    await mouth.emit('channel:leave', { channelId: channel.id });
    await becomes(ear, bob.id, null);
    expect(await shown(await alice.listen(channel.id), channel.id)).to.deep.equal([]);
  });

  for (const isIn of [true, false])
    it(`ends when its user is put out of the server, ${isIn ? 'in' : 'outside'} the channel's room`, async () => {
      const { alice, bob, channel, server } = here;
      const ear = await alice.listen(channel.id);
      const mouth = isIn ? await bob.listen(channel.id) : await bob.connect();
      await mouth.emit('presence:activity', { channelId: channel.id, activity: 'reading' });
      await becomes(ear, bob.id, 'reading');
      expect((await alice.delete(`/api/servers/${server.id}/members/${bob.id}`)).status).to.equal(200);
      await becomes(ear, bob.id, null);
      expect(await shown(await alice.listen(channel.id), channel.id)).to.deep.equal([]);
    });

  it('belongs to the connection that said the last', async () => {
    const { alice, bob, channel } = here;
    const ear = await alice.listen(channel.id);
    const [old, next] = [await bob.connect(), await bob.connect()];
    await old.emit('presence:activity', { channelId: channel.id, activity: 'reading' });
    await next.emit('presence:activity', { channelId: channel.id, activity: 'writing' });
    await becomes(ear, bob.id, 'writing');
    old.close();
    await next.emit('presence:activity', { channelId: channel.id, activity: 'still writing' });
    await becomes(ear, bob.id, 'still writing');
    expect(ear.all('presence:activity').map(({ activity }) => activity)).to.not.include(null);
    next.close();
    await becomes(ear, bob.id, null);
  });

  it('that ended, began or changed while its watcher was cut off is told to it when it is recovered', async () => {
    const { alice, bob, carol, channel, server } = here;
    await carol.post(`/api/servers/${server.id}/join`, { inviteCode: server.inviteCode });
    const [ear, mouth, other] = [await alice.listen(channel.id), await bob.connect(), await carol.connect()];
    await mouth.emit('presence:activity', { channelId: channel.id, activity: 'reading' });
    await becomes(ear, bob.id, 'reading');
    // Socket.IO recovers only clients that have got something that has a number.
    await bob.say(channel.id, 'hello');
    await ear.next('message:new');
    ear.socket.io.engine.close();
    mouth.close();
    await other.emit('presence:activity', { channelId: channel.id, activity: 'drawing' });
    await until(() => ear.all('ready').length > 0 && ear.socket.connected && ear.socket.recovered, { message: 'lost' });
    await becomes(ear, bob.id, null);
    await becomes(ear, carol.id, 'drawing');
  });

  it('is in the state of the typed client, which forgets what ended while it was away', async () => {
    const { alice, channel, server } = here;
    const robot = await botIn(server, alice);
    const mouth = await robot.connect();
    const parley = new Parley({ url: alice.node.url, token: alice.token });
    const room = parley.channel(channel.id);
    room.open();
    parley.connect();
    await mouth.emit('presence:activity', { channelId: channel.id, activity: 'looking it up' });
    await until(() => room.activities.get(robot.id) === 'looking it up');
    parley.disconnect();
    await mouth.emit('presence:activity', { channelId: channel.id, activity: null });
    parley.connect();
    await until(() => room.activities.size === 0);
    await mouth.emit('presence:activity', { channelId: channel.id, activity: 'thinking' });
    await until(() => room.activities.get(robot.id) === 'thinking');
    parley.disconnect();
    robot.hangUp();
  });

  it('is one of a limited number of a connection: the oldest ends', async () => {
    const { alice, bob, channel } = here;
    const ear = await alice.listen(channel.id);
    const mouth = await bob.connect();
    const say = (channelId: string) => mouth.emit('presence:activity', { channelId, activity: 'busy' });
    await say(channel.id);
    await becomes(ear, bob.id, 'busy');
    for (let i = 0; i < 50; i++) expect(await say(await here.newChannel())).to.deep.include({ ok: true });
    await becomes(ear, bob.id, null);
  });
});

describe('a snapshot of a channel', () => {
  it('says whether those whom it does not list are offline', async () => {
    const here = await world();
    const { alice, channel } = here;
    const ear = await alice.listen(channel.id);
    const snapshot: Loose = await ear.next('presence:snapshot');
    expect(snapshot.covers).to.equal('channel');
    // In a small server as ever: what large ones have besides is not there.
    expect(snapshot).to.have.all.keys('channelId', 'members', 'covers', 'activities', 'customStatuses');
    here.close();
  });
});
