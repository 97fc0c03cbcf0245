import { expect } from 'chai';
import { type World, world } from '../world/world.ts';

describe('the read state of a channel', () => {
  let here: World;
  beforeEach(async () => {
    here = await world();
  });
  afterEach(() => here.close());

  const state = async () => {
    const { lastReadSeq, unreadCount } = (await here.bob.get(`/api/channels/${here.channel.id}`)).body;
    return { lastReadSeq, unreadCount };
  };

  it('counts what others said after the pointer, and nothing else', async () => {
    const { alice, bob, channel } = here;
    const first = await alice.say(channel.id, 'one');
    await bob.say(channel.id, 'my own');
    const third = await alice.say(channel.id, 'three');
    const gone = await alice.say(channel.id, 'four');
    await alice.post(`/api/messages/${first.id}/thread`, { name: 'side' });
    const { thread } = (await bob.get(`/api/messages/${first.id}`)).body;
    await alice.post(`/api/threads/${thread.id}/messages`, { content: 'aside' });
    expect((await state()).unreadCount).to.equal(3);
    await alice.delete(`/api/messages/${gone.id}`);
    expect((await state()).unreadCount).to.equal(2);
    const read = await bob.put(`/api/channels/${channel.id}/read`, { messageId: first.id });
    expect(read.body).to.deep.equal({ channelId: channel.id, lastReadSeq: first.seq, unreadCount: 1 });
    expect(await state()).to.deep.equal({ lastReadSeq: first.seq, unreadCount: 1 });
    await bob.put(`/api/channels/${channel.id}/read`, { seq: third.seq });
    expect(await state()).to.deep.equal({ lastReadSeq: third.seq, unreadCount: 0 });
  });

  it('counts up to a thousand, so that no list takes longer the more was said', async () => {
    const { alice, bob, channel } = here;
    await Promise.all(Array.from({ length: 20 }, () => bob.say(channel.id, 'my own')));
    for (let i = 0; i < 11; i++) {
      await Promise.all(Array.from({ length: 92 }, () => alice.say(channel.id, 'one of very many')));
    }
    expect((await state()).unreadCount).to.equal(1000);
    const list = (await bob.get(`/api/servers/${here.server.id}/channels`)).body;
    expect(list.find(({ id }: { id: string }) => id === channel.id).unreadCount).to.equal(1000);
    const { lastSeq } = (await bob.get(`/api/channels/${channel.id}`)).body;
    const read = await bob.put(`/api/channels/${channel.id}/read`, { seq: lastSeq - 999 });
    expect(read.body.unreadCount).to.equal(999);
  });

  it('never goes back, nor past the end', async () => {
    const { alice, bob, channel } = here;
    const [first, second] = [await alice.say(channel.id, 'one'), await alice.say(channel.id, 'two')];
    const read = (body: object) => bob.put(`/api/channels/${channel.id}/read`, body);
    await read({ messageId: second.id });
    expect((await read({ messageId: first.id })).body.lastReadSeq).to.equal(second.seq);
    const { lastSeq } = (await bob.get(`/api/channels/${channel.id}`)).body;
    expect((await read({ seq: 1_000_000 })).body.lastReadSeq).to.equal(lastSeq);
    const third = await alice.say(channel.id, 'three');
    expect(await state()).to.deep.equal({ lastReadSeq: lastSeq, unreadCount: 1 });
    expect((await read({ seq: third.seq })).body.unreadCount).to.equal(0);
  });

  it('stays where it went back since a device heard of it, unless that says nothing of it', async () => {
    const { alice, bob, channel } = here;
    const sent = [];
    for (const text of ['one', 'two', 'three']) sent.push(await alice.say(channel.id, text));
    const [first, second, third] = sent;
    const read = (body: object) => bob.put(`/api/channels/${channel.id}/read`, body);
    expect((await read({ seq: second.seq, knownSeq: 0 })).body.lastReadSeq).to.equal(second.seq);
    await bob.post(`/api/messages/${second.id}/unread`);
    const late = await read({ seq: third.seq, knownSeq: second.seq });
    expect(late.body).to.include({ lastReadSeq: second.seq - 1, unreadCount: 2 });
    const socket = await bob.connect();
    const ack = await socket.emit('channel:read', { channelId: channel.id, seq: third.seq, knownSeq: second.seq });
    expect(ack).to.include({ ok: true, lastReadSeq: second.seq - 1 });
    expect(await state()).to.deep.equal({ lastReadSeq: second.seq - 1, unreadCount: 2 });
    expect((await read({ seq: third.seq, knownSeq: first.seq })).body.unreadCount).to.equal(0);
    expect((await read({ seq: 1, knownSeq: -1 })).status).to.equal(400);
  });

  it('is told to one’s other devices, over sockets and REST alike', async () => {
    const { alice, bob, channel, cluster } = here;
    const message = await alice.say(channel.id, 'one');
    const [mouth, ...others] = [
      await bob.connect(),
      ...(await Promise.all(cluster.nodes.map((node) => bob.on(node).connect()))),
    ];
    const devices = [mouth, ...others];
    const stranger = await alice.connect();
    const ack = await mouth.emit('channel:read', { channelId: channel.id, messageId: message.id });
    expect(ack).to.deep.include({ ok: true, channelId: channel.id, lastReadSeq: message.seq, unreadCount: 0 });
    for (const device of devices) {
      const told = await device.next('channel:read');
      expect(told).to.include({ channelId: channel.id, lastReadSeq: message.seq, unreadCount: 0 });
    }
    // The same again moves nothing, so nobody is told.
    await bob.put(`/api/channels/${channel.id}/read`, { seq: message.seq });
    const next = await alice.say(channel.id, 'two');
    await bob.put(`/api/channels/${channel.id}/read`, { seq: next.seq });
    for (const device of devices) {
      await device.next('channel:read', (event) => event.lastReadSeq === next.seq);
      expect(device.all('channel:read')).to.have.length(2);
    }
    expect(stranger.all('channel:read')).to.deep.equal([]);
  });

  it('ends at the furthest of several at once', async () => {
    const { alice, bob, channel, cluster } = here;
    const sent = [];
    for (let i = 0; i < 10; i++) sent.push(await alice.say(channel.id, `${i}`));
    await Promise.all(
      sent.map((message, i) =>
        bob
          .on(cluster.nodes[i % cluster.nodes.length] ?? bob.node)
          .put(`/api/channels/${channel.id}/read`, { messageId: message.id }),
      ),
    );
    expect(await state()).to.deep.equal({ lastReadSeq: sent.at(-1)?.seq, unreadCount: 0 });
  });

  it('refuses what is not there', async () => {
    const { alice, bob, carol, channel, server } = here;
    const other = (await alice.post(`/api/servers/${server.id}/channels`, { name: 'other' })).body;
    const elsewhere = await alice.say(other.id, 'elsewhere');
    const read = (body: object) => bob.put(`/api/channels/${channel.id}/read`, body);
    expect((await read({ messageId: elsewhere.id })).body.code).to.equal('MESSAGE_NOT_FOUND');
    for (const body of [{}, { seq: -1 }, { seq: 1.5 }, { messageId: 'x' }])
      expect((await read(body)).status).to.equal(400);
    expect((await carol.put(`/api/channels/${channel.id}/read`, { seq: 1 })).status).to.equal(404);
  });
});
