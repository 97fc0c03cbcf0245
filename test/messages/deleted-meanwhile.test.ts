import { expect } from 'chai';
import { expectError } from '../rest/verdict.ts';
import type { Answer, Loose } from '../world/person.ts';
import { type World, world } from '../world/world.ts';

/** What happens to a message that was deleted, or is being deleted. */
describe('a message deleted meanwhile', () => {
  let here: World;
  beforeEach(async () => {
    here = await world();
  });
  afterEach(() => here.close());

  it('is told of as deleted where it is sent again', async () => {
    const { alice, bob, channel, cluster } = here;
    const nonce = 'n-1';
    const headers = { 'idempotency-key': 'k-1' };
    const path = `/api/channels/${channel.id}/messages`;
    const parent = await alice.say(channel.id, 'parent');
    const thread = (await alice.post(`/api/messages/${parent.id}/thread`)).body;
    const sent = (await bob.post(path, { content: 'secret', nonce }, headers)).body;
    const inside = (await bob.post(`/api/threads/${thread.id}/messages`, { content: 'secret', nonce: 'n-2' })).body;
    expect(sent).to.not.have.property('isDeleted');
    await bob.delete(`/api/messages/${sent.id}`);
    await alice.delete(`/api/threads/${thread.id}`);
    for (const node of cluster.nodes) {
      const person = bob.on(node);
      const mouth = await person.connect();
      const again = [
        (await person.post(path, { content: 'secret', nonce })).body,
        (await person.post(path, { content: 'secret' }, headers)).body,
        (await mouth.emit('message:send', { channelId: channel.id, content: 'secret', nonce })).message,
      ];
      for (const one of again) expect(one).to.include({ id: sent.id, content: '', isDeleted: true });
      const other = (await person.post(path, { content: 'secret', nonce: 'n-2' })).body;
      expect(other).to.include({ id: inside.id, content: '', isDeleted: true });
    }
    const page = (await alice.get(path)).body.messages;
    expect(page.map(({ id }: Loose) => id)).to.deep.equal([parent.id]);
  });

  /** What may happen to it at the same moment, and which statuses that may have. */
  const acts: Record<string, (id: string) => Promise<Answer | Loose>> = {
    pinning: (id) => here.alice.post(`/api/messages/${id}/pin`),
    reacting: (id) => here.alice.post(`/api/messages/${id}/reactions`, { emoji: '👍' }),
    editing: (id) => here.alice.patch(`/api/messages/${id}`, { content: 'edited' }),
    replying: (id) => here.bob.post(`/api/channels/${here.channel.id}/messages`, { content: 're', replyToId: id }),
    'starting a thread': (id) => here.bob.post(`/api/messages/${id}/thread`, { name: 'side' }),
    async attaching(id) {
      const form = new FormData();
      form.append('messageId', id);
      form.append('file', new Blob(['x']), 'x.txt');
      const headers = { authorization: `Bearer ${here.alice.token}` };
      const response = await fetch(`${here.alice.node.url}/api/media/upload`, { method: 'POST', body: form, headers });
      return { status: response.status, body: await response.json() };
    },
  };
  for (const [name, act] of Object.entries(acts)) {
    it(`is not brought back by ${name}`, async () => {
      const { alice, channel, cluster } = here;
      const elsewhere = alice.on(cluster.nodes.at(-1) ?? alice.node);
      for (let round = 0; round < 12; round++) {
        const sent = await alice.say(channel.id, 'secret');
        const [acted, deleted] = await Promise.all([act(sent.id), elsewhere.delete(`/api/messages/${sent.id}`)]);
        expect(deleted.status).to.equal(200);
        if (acted.status < 300) expect(acted.body).to.not.include({ isDeleted: true });
        else expect([acted.status, acted.body.code]).to.deep.equal([404, 'MESSAGE_NOT_FOUND']);
        if (name === 'pinning' && acted.status < 300) expect(acted.body.content).to.equal('secret');
        const late = await act(sent.id);
        expect([late.status, late.body.code]).to.deep.equal([404, 'MESSAGE_NOT_FOUND']);
      }
      expect((await alice.get(`/api/channels/${channel.id}/pins`)).body).to.deep.equal([]);
    });
  }

  it('in a thread is not deleted by who started it, where another one answers at that moment', async () => {
    const { alice, bob, channel } = here;
    for (let round = 0; round < 10; round++) {
      const parent = await alice.say(channel.id, 'parent');
      const thread = (await bob.post(`/api/messages/${parent.id}/thread`, { name: 'side' })).body;
      const path = `/api/threads/${thread.id}`;
      await bob.post(`${path}/messages`, { content: 'own' });
      const [answer, deleted] = await Promise.all([
        alice.post(`${path}/messages`, { content: 'an answer' }),
        bob.delete(path),
      ]);
      if (answer.status === 201) {
        expectError(deleted, 'FORBIDDEN');
        expect((await bob.get(`/api/messages/${answer.body.id}`)).body.content).to.equal('an answer');
      } else {
        expect([answer.body.code, deleted.status]).to.deep.equal(['THREAD_NOT_FOUND', 200]);
      }
    }
  });
});

describe('an edit', () => {
  let here: World;
  beforeEach(async () => {
    here = await world();
  });
  afterEach(() => here.close());

  it('that changes nothing marks and tells nothing', async () => {
    const { alice, bob, channel } = here;
    const sent = await alice.say(channel.id, `@${bob.username} hello`);
    const ear = await bob.listen(channel.id);
    const mouth = await alice.connect();
    const same = { content: sent.content };
    const { body } = await alice.patch(`/api/messages/${sent.id}`, same);
    expect(body).to.include({ isEdited: false, updatedAt: sent.updatedAt });
    const ack = await mouth.emit('message:edit', { messageId: sent.id, ...same });
    expect(ack.message).to.include({ isEdited: false, updatedAt: sent.updatedAt });
    const last = await alice.say(channel.id, 'last');
    await ear.next('message:new', ({ id }) => id === last.id);
    expect(ear.all('message:updated')).to.deep.equal([]);
    expect(last.seq).to.equal(sent.seq + 1);
  });

  it('keeps the mention of someone who has left', async () => {
    const { alice, bob, channel, server } = here;
    const sent = await alice.say(channel.id, `hello @${bob.username}, and welcome`);
    await bob.post(`/api/servers/${server.id}/leave`);
    const token = `@${bob.username}`;
    const edit = async (content: string) => (await alice.patch(`/api/messages/${sent.id}`, { content })).body.mentions;
    const [kept] = await edit(`well, ${token}`);
    expect(kept).to.deep.include({ kind: 'user', targetId: bob.id, token });
    expect(kept.range).to.deep.equal({ start: 6, end: 6 + token.length });
    expect(await edit(`well, ${token}x`)).to.deep.equal([]);
    expect(await edit(`well, ${token} again`)).to.deep.equal([]);
  });

  it('by adding a file marks the message, and needs the right to post there', async () => {
    const { alice, bob, channel, server } = here;
    const ear = await bob.listen(channel.id);
    const sent = await alice.say(channel.id, 'see below');
    const file = await alice.upload('a.txt', Buffer.from('a'), { messageId: sent.id });
    const told = await ear.next('message:updated', ({ id }) => id === sent.id);
    expect(told).to.include({ isEdited: true, content: 'see below' });
    expect(told.attachments.map(({ id }: Loose) => id)).to.deep.equal([file.id]);
    expect(Date.parse(told.updatedAt)).to.be.greaterThan(Date.parse(sent.updatedAt));

    const made = { name: 'news', type: 'announcement' };
    const news = (await alice.post(`/api/servers/${server.id}/channels`, made)).body;
    await alice.patch(`/api/servers/${server.id}/members/${bob.id}`, { role: 'admin' });
    const own = await bob.say(news.id, 'news');
    await alice.patch(`/api/servers/${server.id}/members/${bob.id}`, { role: 'member' });
    const refused = await bob.upload('b.txt', Buffer.from('b'), { messageId: own.id }).catch(String);
    expect(refused).to.include('ROLE_REQUIRED');
    const dm = (await bob.post('/api/dm/channels', { userId: alice.id })).body;
    const said = await bob.say(dm.id, 'hello');
    await alice.put(`/api/friends/blocks/${bob.id}`);
    expect(await bob.upload('c.txt', Buffer.from('c'), { messageId: said.id }).catch(String)).to.include('BLOCKED');
  });
});

describe('the label of a mention', () => {
  it('follows whom and what it names', async () => {
    const here = await world();
    const { alice, bob, channel, server, cluster } = here;
    const named = (await alice.post(`/api/servers/${server.id}/channels`, { name: 'plans' })).body;
    const sent = await alice.say(channel.id, `@${bob.username} see #plans`);
    const start = sent.seq - 1;
    const labels = async (): Promise<string[][]> => {
      const seen: string[][] = [];
      for (const node of cluster.nodes) {
        const person = alice.on(node);
        // A page is kept from the second time on.
        for (let i = 0; i < 2; i++) {
          const { messages } = (await person.get(`/api/channels/${channel.id}/messages`)).body;
          seen.push(messages[0].mentions.map(({ label }: Loose) => label));
        }
        seen.push((await person.get(`/api/messages/${sent.id}`)).body.mentions.map(({ label }: Loose) => label));
        const { events } = (await person.get(`/api/channels/${channel.id}/events?after=${start}`)).body;
        seen.push(events[0].data.mentions.map(({ label }: Loose) => label));
        const ear = await person.connect();
        const ack = await ear.emit('channel:join', { channelId: channel.id, after: start });
        seen.push(ack.events[0].data.mentions.map(({ label }: Loose) => label));
      }
      return seen;
    };
    const expectAll = async (expected: string[]) => {
      for (const seen of await labels()) expect(seen).to.deep.equal(expected);
    };
    await expectAll([bob.username, 'plans']);
    await bob.patch('/api/auth/me', { displayName: 'Bobby' });
    await alice.patch(`/api/channels/${named.id}`, { name: 'ideas' });
    await expectAll(['Bobby', 'ideas']);
    await alice.delete(`/api/channels/${named.id}`);
    await expectAll(['Bobby', 'deleted-channel']);
    here.close();
  });
});
