import { expect } from 'chai';
import { expectError } from '../rest/verdict.ts';
import { botIn } from '../world/bot.ts';
import type { Loose, Person } from '../world/person.ts';
import { type World, world } from '../world/world.ts';

const secret = 'do-not-find-me';

describe('a deleted message', () => {
  let here: World;
  beforeEach(async () => {
    here = await world();
  });
  afterEach(() => here.close());

  /** Everything the logs say, as each node tells it over REST and to those who join. */
  async function everything(after = 0): Promise<string> {
    const { alice, channel, cluster } = here;
    const said: string[] = [];
    for (const node of cluster.nodes) {
      const person: Person = alice.on(node);
      said.push(JSON.stringify((await person.get(`/api/channels/${channel.id}/events?after=${after}&limit=500`)).body));
      const ear = await person.connect();
      said.push(JSON.stringify(await ear.emit('channel:join', { channelId: channel.id, after })));
      ear.close();
    }
    return said.join('\n');
  }

  it('leaves the log of every node, with its edits, its pins and what quotes it', async () => {
    const { alice, bob, channel, server } = here;
    // Both nodes hold the newest events in memory.
    const ears = [await alice.listen(channel.id), await bob.listen(channel.id)];
    const upload = await here.alice.upload(`${secret}.txt`, Buffer.from(secret));
    const sent = await alice.say(channel.id, secret, { metadata: { secret }, attachments: [{ id: upload.id }] });
    await alice.patch(`/api/messages/${sent.id}`, { content: `${secret}!` });
    await alice.put(`/api/channels/${channel.id}/pins/${sent.id}`);
    await alice.delete(`/api/channels/${channel.id}/pins/${sent.id}`);
    const reply = await bob.say(channel.id, 'an answer', { replyToId: sent.id });
    await bob.patch(`/api/messages/${reply.id}`, { content: 'a better answer' });
    expect(await everything()).to.include(secret);
    await alice.delete(`/api/messages/${sent.id}`);
    for (const ear of ears) await ear.next('message:deleted');
    const now = await everything();
    expect(now).to.not.include(secret);
    expect(now).to.include('a better answer');
    const log = (await bob.get(`/api/channels/${channel.id}/events?after=0&limit=500`)).body;
    const blank = log.events.find((entry: Loose) => entry.seq === sent.seq);
    expect(blank.data).to.deep.include({ id: sent.id, seq: sent.seq, content: '', attachments: [], metadata: null });
    const quoting = log.events.find((entry: Loose) => entry.seq === reply.seq);
    expect(quoting.data.replyTo).to.deep.equal({ id: sent.id, authorId: alice.id, content: '', deleted: true });
    expect((await bob.get(`/api/media/${upload.id}`)).status).to.equal(404);
    expect((await alice.get('/api/search/messages?query=find')).body).to.deep.equal([]);
    expect((await bob.get(`/api/servers/${server.id}/channels`)).body[0].lastMessagePreview).to.equal(
      'a better answer',
    );
  });

  it('of a bot is deleted by its owner too, and by no other member', async () => {
    const { alice, bob, carol, channel, server } = here;
    await carol.post('/api/servers/_/join', { inviteCode: server.inviteCode });
    const robot = await botIn(server, bob);
    const [one, other] = [await robot.say(channel.id, 'beep'), await robot.say(channel.id, 'boop')];
    expectError(await carol.delete(`/api/messages/${one.id}`), 'FORBIDDEN');
    expect((await bob.delete(`/api/messages/${one.id}`)).status).to.equal(200);
    const mouth = await bob.connect();
    expect((await mouth.emit('message:delete', { messageId: other.id })).ok).to.equal(true);
    const left = (await alice.get(`/api/channels/${channel.id}/messages`)).body.messages;
    expect(left).to.deep.equal([]);
  });

  it('leaves a log that nobody had in memory', async () => {
    const { alice, channel } = here;
    const before = (await alice.get(`/api/channels/${channel.id}`)).body.lastSeq;
    const sent = await alice.say(channel.id, secret);
    await alice.delete(`/api/messages/${sent.id}`);
    expect(await everything(before)).to.not.include(secret);
  });

  it('leaves with its thread, and with all that was said in it', async () => {
    const { alice, bob, channel } = here;
    const ear = await bob.listen(channel.id);
    const parent = await alice.say(channel.id, 'parent');
    const thread = (await alice.post(`/api/messages/${parent.id}/thread`, { name: 'side' })).body;
    const inside = (await bob.post(`/api/threads/${thread.id}/messages`, { content: secret })).body;
    await alice.say(channel.id, 'a quote', { replyToId: inside.id });
    expect(await everything()).to.include(secret);
    await alice.delete(`/api/threads/${thread.id}`);
    await ear.next('thread:deleted');
    expect(await everything()).to.not.include(secret);
    expect((await bob.get(`/api/messages/${inside.id}`)).status).to.equal(404);
    expect((await bob.get('/api/search/messages?query=find')).body).to.deep.equal([]);
    expect((await bob.get(`/api/channels/${channel.id}/messages?include=threads`)).body.messages).to.have.length(2);
  });

  it('leaves the name of its thread where nobody gave it one, and follows an edit there', async () => {
    const { alice, bob, channel } = here;
    const ears = [await alice.listen(channel.id), await bob.listen(channel.id)];
    const parent = await alice.say(channel.id, `${secret} one`);
    const thread = (await bob.post(`/api/messages/${parent.id}/thread`)).body;
    const named = async () => (await alice.get(`/api/threads/${thread.id}`)).body.name;
    await alice.patch(`/api/messages/${parent.id}`, { content: `${secret} two` });
    expect(await named()).to.equal(`${secret} two`);
    for (const ear of ears) {
      await ear.next('thread:updated', ({ name }) => name === `${secret} two`);
      await ear.next('message:updated', (message) => message.thread.name === `${secret} two`);
    }
    await alice.delete(`/api/messages/${parent.id}`);
    for (const ear of ears) await ear.next('thread:updated', ({ name }) => name === 'Thread');
    expect(await named()).to.equal('Thread');
    expect(await everything()).to.not.include(secret);
  });

  it('leaves the name of a thread that is gone already', async () => {
    const { alice, channel } = here;
    const parent = await alice.say(channel.id, secret);
    const thread = (await alice.post(`/api/messages/${parent.id}/thread`)).body;
    await alice.put(`/api/channels/${channel.id}/pins/${parent.id}`);
    await alice.delete(`/api/threads/${thread.id}`);
    await alice.delete(`/api/messages/${parent.id}`);
    expect(await everything()).to.not.include(secret);
  });

  it('leaves a name that someone gave its thread', async () => {
    const { alice, channel } = here;
    const parents = [await alice.say(channel.id, `${secret} a`), await alice.say(channel.id, `${secret} b`)];
    const [given, renamed] = parents;
    await alice.post(`/api/messages/${given?.id}/thread`, { name: 'given' });
    const { id } = (await alice.post(`/api/messages/${renamed?.id}/thread`)).body;
    await alice.patch(`/api/threads/${id}`, { name: 'renamed' });
    for (const parent of parents) await alice.patch(`/api/messages/${parent.id}`, { content: `${secret} c` });
    for (const parent of parents) await alice.delete(`/api/messages/${parent.id}`);
    const { body } = await alice.get(`/api/channels/${channel.id}/threads`);
    expect(body.map(({ name }: Loose) => name)).to.deep.equal(['renamed', 'given']);
    // What it was called before is in no log either.
    expect(await everything()).to.not.include(secret);
  });

  it('takes its reactions and pins along', async () => {
    const { alice, bob, channel } = here;
    const sent = await alice.say(channel.id, 'x');
    await bob.post(`/api/messages/${sent.id}/reactions`, { emoji: '👍' });
    await alice.put(`/api/channels/${channel.id}/pins/${sent.id}`);
    await alice.delete(`/api/messages/${sent.id}`);
    expect((await bob.get(`/api/channels/${channel.id}/pins`)).body).to.deep.equal([]);
    expect((await bob.get(`/api/messages/${sent.id}/reactions`)).status).to.equal(404);
    expect((await bob.post(`/api/messages/${sent.id}/reactions`, { emoji: '👍' })).status).to.equal(404);
  });
});
