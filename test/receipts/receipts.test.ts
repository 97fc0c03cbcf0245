import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { botIn } from '../world/bot.ts';
import type { Listener, Loose, Person } from '../world/person.ts';
import { register, type World, world } from '../world/world.ts';

const choose = (person: Person, sendsReceipts: boolean) => person.put('/api/read-receipts', { sendsReceipts });
const receiptsOf = async (person: Person, channelId: string): Promise<Loose> =>
  (await person.get(`/api/channels/${channelId}/receipts`)).body;
const told = (listener: Listener) => listener.all('channel:receipts');

describe('read receipts', () => {
  let here: World;
  let dm: string;
  before(async () => {
    here = await world();
  });
  after(() => here.close());
  beforeEach(async () => {
    const { alice, bob } = here;
    for (const person of [alice, bob, here.carol]) await choose(person, false);
    dm = (await alice.post('/api/dm/channels', { userId: bob.id })).body.id;
  });

  const privateChannel = async (...people: Person[]): Promise<string> => {
    const { alice, server } = here;
    const { id } = (await alice.post(`/api/servers/${server.id}/channels`, { name: 'few', isPrivate: true })).body;
    for (const { id: userId } of people) await alice.post(`/api/channels/${id}/members`, { userId });
    return id;
  };

  /** Waits until a later receipt of someone else has come: what was to come before it has, too. */
  const settled = async (by: Person, to: Person, listener: Listener): Promise<void> => {
    const place = (await by.post('/api/dm/channels', { userId: to.id })).body.id;
    const { seq } = await to.say(place, 'settled');
    await by.put(`/api/channels/${place}/read`, { seq });
    await listener.next('channel:receipts', ({ channelId }) => channelId === place);
  };

  it('are off until someone turns them on, on all of their devices', async () => {
    const { alice, cluster } = here;
    const fresh = await register(alice.node);
    expect((await fresh.get('/api/read-receipts')).body).to.deep.equal({ sendsReceipts: false });
    const [, second = alice.node] = cluster.nodes;
    const device = await fresh.on(second).connect();
    expect((await choose(fresh, true)).body).to.deep.equal({ sendsReceipts: true });
    await device.next('receipts:choice', ({ sendsReceipts }) => sendsReceipts);
    expect((await fresh.on(second).get('/api/read-receipts')).body.sendsReceipts).to.equal(true);
    device.close();
  });

  it('show how far the other one has read, in calls and live, to those alone who send theirs', async () => {
    const { alice, bob } = here;
    await choose(alice, true);
    await choose(bob, true);
    const socket = await alice.connect();
    const { seq } = await alice.say(dm, 'read this');
    await bob.put(`/api/channels/${dm}/read`, { seq });
    const event = await socket.next('channel:receipts', ({ channelId }) => channelId === dm);
    expect(event).to.deep.equal({ channelId: dm, receipts: [{ userId: bob.id, lastReadSeq: seq }] });
    const listed = await receiptsOf(alice, dm);
    expect(listed).to.deep.equal({ channelId: dm, isOffered: true, receipts: [{ userId: bob.id, lastReadSeq: seq }] });
    await choose(alice, false);
    expect((await receiptsOf(alice, dm)).receipts).to.deep.equal([]);
    expect((await receiptsOf(bob, dm)).receipts).to.deep.equal([]);
  });

  it('never tell of someone who sends none', async () => {
    const { alice, bob, carol } = here;
    await choose(alice, true);
    await choose(carol, true);
    const socket = await alice.connect();
    const { seq } = await alice.say(dm, 'hidden');
    await bob.put(`/api/channels/${dm}/read`, { seq });
    await settled(carol, alice, socket);
    expect(told(socket).filter(({ channelId }) => channelId === dm)).to.deep.equal([]);
    expect((await receiptsOf(alice, dm)).receipts).to.deep.equal([]);
  });

  it('end for others when someone turns them off, and are not sent any more', async () => {
    const { alice, bob, carol } = here;
    for (const person of [alice, bob, carol]) await choose(person, true);
    const socket = await alice.connect();
    const first = await alice.say(dm, 'one');
    await bob.put(`/api/channels/${dm}/read`, { seq: first.seq });
    await socket.next('channel:receipts', ({ channelId }) => channelId === dm);
    const second = await alice.say(dm, 'two');
    await bob.put(`/api/channels/${dm}/read`, { seq: second.seq });
    await choose(bob, false);
    await socket.next('channel:receipts', ({ receipts }) => receipts[0].lastReadSeq === null);
    const third = await alice.say(dm, 'three');
    await bob.put(`/api/channels/${dm}/read`, { seq: third.seq });
    await settled(carol, alice, socket);
    const all = told(socket).flatMap(({ receipts }) => receipts);
    const positions = all.filter(({ userId }) => userId === bob.id).map(({ lastReadSeq }) => lastReadSeq);
    expect(positions).to.not.include(third.seq);
    expect(positions.at(-1)).to.equal(null);
  });

  it('are there in private channels of few people, and nowhere else', async () => {
    const { alice, bob, channel, server } = here;
    await choose(alice, true);
    await choose(bob, true);
    const few = await privateChannel(bob);
    const { seq } = await alice.say(few, 'hello');
    await bob.put(`/api/channels/${few}/read`, { seq });
    expect(await receiptsOf(alice, few)).to.deep.equal({
      channelId: few,
      isOffered: true,
      receipts: [{ userId: bob.id, lastReadSeq: seq }],
    });
    expect(await receiptsOf(alice, channel.id)).to.deep.equal({
      channelId: channel.id,
      isOffered: false,
      receipts: [],
    });
    // The tests are configured with four.
    for (let count = 0; count < 3; count++) {
      const person = await register(alice.node);
      await person.post(`/api/servers/${server.id}/join`, { inviteCode: server.inviteCode });
      await alice.post(`/api/channels/${few}/members`, { userId: person.id });
    }
    expect((await receiptsOf(alice, few)).isOffered).to.equal(false);
  });

  it('are not for those who cannot read the channel, or cannot any more', async () => {
    const { alice, bob, carol } = here;
    for (const person of [alice, bob, carol]) await choose(person, true);
    const few = await privateChannel(bob);
    expect((await carol.get(`/api/channels/${few}/receipts`)).status).to.equal(404);
    const [outsider, former] = [await carol.connect(), await bob.connect()];
    const { seq } = await bob.say(few, 'for us');
    await alice.delete(`/api/channels/${few}/members/${bob.id}`);
    await alice.put(`/api/channels/${few}/read`, { seq });
    await settled(alice, bob, former);
    await settled(alice, carol, outsider);
    for (const listener of [outsider, former]) {
      expect(told(listener).filter(({ channelId }) => channelId === few)).to.deep.equal([]);
    }
    expect((await bob.get(`/api/channels/${few}/receipts`)).status).to.be.oneOf([403, 404]);
    expect((await receiptsOf(alice, few)).receipts).to.deep.equal([]);
  });

  it('are kept from those who have blocked each other', async () => {
    const { alice, bob } = here;
    await choose(alice, true);
    await choose(bob, true);
    const few = await privateChannel(bob);
    const { seq } = await alice.say(few, 'hello');
    await bob.put(`/api/channels/${few}/read`, { seq });
    await bob.put(`/api/friends/blocks/${alice.id}`);
    expect((await receiptsOf(alice, few)).receipts).to.deep.equal([]);
    expect((await receiptsOf(bob, few)).receipts).to.deep.equal([]);
    await bob.delete(`/api/friends/blocks/${alice.id}`);
    expect((await receiptsOf(alice, few)).receipts).to.have.length(1);
  });

  it('tell once of what someone reads in quick succession', async () => {
    const { alice, bob } = here;
    await choose(alice, true);
    await choose(bob, true);
    const socket = await alice.connect();
    const sent = [];
    for (let count = 0; count < 5; count++) sent.push(await alice.say(dm, `message ${count}`));
    // At once: what is read as the first is told, a second later, would be told again.
    await Promise.all(sent.map(({ seq }) => bob.put(`/api/channels/${dm}/read`, { seq })));
    const last = sent.at(-1)?.seq;
    const isLast = (one: Loose) => one.channelId === dm && one.receipts[0].lastReadSeq === last;
    await until(() => told(socket).find(isLast));
    const seqs = told(socket).flatMap(({ receipts }) => receipts.map((one: Loose) => one.lastReadSeq));
    expect(new Set(seqs).size).to.equal(seqs.length);
  });

  it('are not for bots', async () => {
    const { alice, server } = here;
    const bot = await botIn(server, alice);
    expect((await choose(bot, true)).status).to.equal(403);
  });
});
