import { expect } from 'chai';
import { copiedColumns } from '../../src/features/messages/forward.table.ts';
import { forgetOldHeld } from '../../src/features/messages/holding.ts';
import { until } from '../rig/until.ts';
import { botIn } from '../world/bot.ts';
import { withRows } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

const bytes = (text: string) => Uint8Array.from(Buffer.from(text));

/** What a file has of the place where it is: a copy has its own. */
const ofPlace = [
  ...['id', 'uploader_id', 'message_id', 'held_id', 'scheduled_id', 'place', 'created_at'],
  // The database says these of each row itself.
  ...['server_id', 'is_counted'],
];

describe('forwarding', () => {
  let here: World;
  let other: string;
  let secret: string;
  before(async () => {
    here = await world();
    other = await here.newChannel();
    const made = await here.alice.post(`/api/servers/${here.server.id}/channels`, { name: 'secret', isPrivate: true });
    secret = made.body.id;
  });
  after(() => here.close());

  const forward = (id: string, to = other, more: object = {}) => here.alice.say(to, '', { forwardId: id, ...more });

  it('passes on text, author, time and files, in the answer, the event, the list and the log', async () => {
    const { alice, bob, channel } = here;
    const listener = await bob.listen(other);
    const file = await bob.upload('notes.txt', bytes('hello'));
    const source = await bob.say(channel.id, 'Look, ||hidden|| @everyone', { attachments: [{ id: file.id }] });
    const sent = await alice.say(other, 'For all of you', { forwardId: source.id });
    expect(sent.content).to.equal('For all of you');
    expect(sent.attachments).to.deep.equal([]);
    const { attachments, ...said } = sent.forwarded;
    expect(said).to.deep.include({ messageId: source.id, content: source.content, createdAt: source.createdAt });
    expect(said.author.id).to.equal(bob.id);
    expect(said).to.not.have.any.keys('channelId', 'channelName', 'serverId');
    expect(attachments).to.have.length(1);
    expect(attachments[0]).to.deep.include({ filename: 'notes.txt', size: 5 });
    expect(attachments[0].id).to.not.equal(file.id);
    const told = await listener.next('message:new', ({ id }) => id === sent.id);
    expect(told.forwarded).to.deep.equal(sent.forwarded);
    const [listed] = (await bob.get(`/api/channels/${other}/messages?limit=1`)).body.messages;
    expect(listed.forwarded).to.deep.equal(sent.forwarded);
    const { events } = (await bob.get(`/api/channels/${other}/events?after=${sent.seq - 1}`)).body;
    expect(events[0].data.forwarded).to.deep.equal(sent.forwarded);
    const read = await bob.get(attachments[0].url);
    expect(read.body).to.equal('hello');
  });

  it('gives the copy of a file all that the file has', async () => {
    const columns = await withRows(here.cluster.databaseUrl, (rows) =>
      rows<{ name: string }>(
        `SELECT column_name AS name FROM information_schema.columns WHERE table_name = 'attachments'`,
      ),
    );
    const names = columns.map(({ name }) => name).filter((name) => !ofPlace.includes(name));
    expect(names.sort()).to.deep.equal([...copiedColumns].sort());
  });

  it('is for those who may read the message, and says to others that there is none', async () => {
    const { alice, bob, carol } = here;
    const hidden = await alice.say(secret, 'for few');
    const refused = await bob.post(`/api/channels/${other}/messages`, { forwardId: hidden.id });
    expect(refused.status).to.equal(404);
    expect(refused.body.code).to.equal('MESSAGE_NOT_FOUND');
    const dm = (await carol.post('/api/dm/channels', { userId: alice.id })).body;
    const outside = await carol.post(`/api/dm/channels/${dm.id}/messages`, { content: 'see', forwardId: hidden.id });
    expect(outside.body.code).to.equal('MESSAGE_NOT_FOUND');
  });

  it('shows what is forwarded, and not its place, to those who may not read that', async () => {
    const { alice, bob } = here;
    const file = await alice.upload('plan.txt', bytes('the plan'));
    const hidden = await alice.say(secret, `for few <#${secret}>`, { attachments: [{ id: file.id }] });
    const sent = await forward(hidden.id);
    const seen = (await bob.get(`/api/messages/${sent.id}`)).body;
    expect(seen.forwarded.content).to.equal(hidden.content);
    expect(seen.forwarded.mentions).to.deep.equal([]);
    expect((await bob.get(seen.forwarded.attachments[0].url)).body).to.equal('the plan');
    expect((await bob.get(file.url)).status).to.equal(404);
    expect((await bob.get(`/api/message-previews?ids=${hidden.id}`)).body.messages).to.deep.equal([]);
    const [place] = (await alice.get(`/api/message-previews?ids=${hidden.id}`)).body.messages;
    expect(place).to.deep.include({ channelId: secret, channelName: 'secret' });
  });

  it('stays as it was when the source is edited, and when it is deleted', async () => {
    const { alice, channel } = here;
    const file = await alice.upload('kept.txt', bytes('kept'));
    const source = await alice.say(channel.id, 'first', { attachments: [{ id: file.id }] });
    const sent = await forward(source.id);
    await alice.patch(`/api/messages/${source.id}`, { content: 'second' });
    await alice.delete(`/api/messages/${source.id}`);
    const { forwarded } = (await alice.get(`/api/messages/${sent.id}`)).body;
    expect(forwarded).to.deep.equal(sent.forwarded);
    expect((await alice.get(forwarded.attachments[0].url)).body).to.equal('kept');
    const again = await alice.post(`/api/channels/${other}/messages`, { forwardId: source.id });
    expect(again.body.code).to.equal('MESSAGE_NOT_FOUND');
  });

  it('goes with the copy, whose files are gone then, too', async () => {
    const { alice, channel } = here;
    const file = await alice.upload('gone.txt', bytes('gone'));
    const source = await alice.say(channel.id, 'source', { attachments: [{ id: file.id }] });
    const sent = await forward(source.id);
    await alice.delete(`/api/messages/${sent.id}`);
    expect((await alice.get(sent.forwarded.attachments[0].url)).status).to.equal(404);
    expect((await alice.get(file.url)).body).to.equal('gone');
    const { events } = (await alice.get(`/api/channels/${other}/events?after=${sent.seq - 1}`)).body;
    expect(events[0].data).to.deep.include({ id: sent.id, isDeleted: true });
    expect(events[0].data.forwarded).to.equal(undefined);
  });

  it('keeps the original where a forwarded message is forwarded, and the comment where it is edited', async () => {
    const { alice, bob, channel } = here;
    const source = await bob.say(channel.id, 'the original');
    const first = await alice.say(other, 'a comment', { forwardId: source.id });
    const second = await forward(first.id, channel.id);
    expect(second.forwarded).to.deep.equal(first.forwarded);
    expect(second.content).to.equal('');
    await alice.patch(`/api/messages/${first.id}`, { content: '' });
    const edited = (await alice.get(`/api/messages/${first.id}`)).body;
    expect(edited).to.deep.include({ content: '', isEdited: true });
    const { events } = (await alice.get(`/api/channels/${other}/events?after=${first.seq - 1}`)).body;
    expect(events[0].data.forwarded).to.deep.equal(first.forwarded);
  });

  it('works in threads, direct messages and over sockets, once per nonce', async () => {
    const { alice, bob, channel } = here;
    const source = await alice.say(channel.id, 'anywhere');
    const parent = await alice.say(other, 'parent');
    const thread = (await alice.post(`/api/messages/${parent.id}/thread`)).body;
    const reply = await alice.post(`/api/threads/${thread.id}/messages`, { forwardId: source.id });
    expect(reply.body).to.deep.include({ threadId: thread.id, channelId: other });
    const dm = (await alice.post('/api/dm/channels', { userId: bob.id })).body;
    const socket = await alice.connect();
    const message = { channelId: dm.id, forwardId: source.id, nonce: 'once' };
    const [one, two] = [await socket.emit('message:send', message), await socket.emit('message:send', message)];
    expect(one.message.forwarded.content).to.equal('anywhere');
    expect(two.message.id).to.equal(one.message.id);
    expect(two.message.forwarded).to.deep.equal(one.message.forwarded);
    const [shown] = (await bob.get('/api/dm/channels')).body;
    expect(shown.lastMessagePreview).to.equal('anywhere');
    const notice = await until(async () =>
      (await bob.get('/api/notifications')).body.find(({ kind }: { kind: string }) => kind === 'dm.message'),
    );
    expect(notice.body).to.equal('anywhere');
  });

  it('notifies nobody whom the original names', async () => {
    const { alice, bob, channel } = here;
    const source = await alice.say(channel.id, `@${bob.username} hello`);
    const sent = await forward(source.id);
    expect(sent.mentions).to.deep.equal([]);
    expect(sent.forwarded.mentions).to.have.length(1);
    const asked = await forward(source.id, other, { content: `@${bob.username}` });
    await until(async () =>
      (await bob.get('/api/notifications')).body.some((one: { referenceId: string }) => one.referenceId === asked.id),
    );
    const all = (await bob.get('/api/notifications')).body;
    expect(all.map((one: { referenceId: string }) => one.referenceId)).to.not.include(sent.id);
  });

  it('is judged by filters with its text and files; what was held is published as it was seen', async () => {
    const { alice, bob, server, channel } = here;
    await alice.post(`/api/servers/${server.id}/filters`, { kind: 'word', action: 'refuse', patterns: ['forbidden'] });
    await alice.post(`/api/servers/${server.id}/filters`, { kind: 'word', action: 'hold', patterns: ['doubtful'] });
    const bad = await alice.say(channel.id, 'forbidden words');
    const refused = await bob.post(`/api/channels/${other}/messages`, { forwardId: bad.id });
    expect(refused.body.code).to.equal('MESSAGE_REFUSED');
    const file = await alice.upload('doubts.txt', bytes('doubts'));
    const source = await alice.say(channel.id, 'doubtful words', { attachments: [{ id: file.id }] });
    const held = await bob.post(`/api/channels/${other}/messages`, { content: 'see', forwardId: source.id });
    expect(held.body.code).to.equal('MESSAGE_HELD');
    expect(held.body.held.forwarded.content).to.equal('doubtful words');
    await alice.patch(`/api/messages/${source.id}`, { content: 'forbidden too' });
    const [waiting] = (await alice.get(`/api/servers/${server.id}/held`)).body;
    expect((await alice.get(waiting.forwarded.attachments[0].url)).body).to.equal('doubts');
    const approved = await alice.post(`/api/held/${waiting.heldId}/approve`);
    expect(approved.status).to.equal(200);
    const { message } = approved.body;
    expect(message).to.deep.include({ content: 'see', authorId: bob.id, attachments: [] });
    expect(message.forwarded).to.deep.include({ content: 'doubtful words', messageId: source.id });
    expect(message.forwarded.attachments).to.deep.equal(waiting.forwarded.attachments);
    expect((await bob.get(message.forwarded.attachments[0].url)).body).to.equal('doubts');
  });

  it('leaves whoever forwards no copies of files where nothing is published, and their own uploads', async () => {
    const { alice, bob, server, channel, cluster } = here;
    await alice.post(`/api/servers/${server.id}/filters`, { kind: 'word', action: 'hold', patterns: ['dubious'] });
    const file = await alice.upload('doubts.txt', bytes('doubts'));
    const source = await alice.say(channel.id, 'see', { attachments: [{ id: file.id }] });
    const age = `UPDATE held_messages SET created_at = now() - interval '15 days' WHERE id = $1`;
    const ends: Record<string, (id: string) => Promise<unknown>> = {
      rejected: (id) => alice.post(`/api/held/${id}/reject`),
      withdrawn: (id) => bob.delete(`/api/held/${id}`),
      forgotten: (id) =>
        withRows(cluster.databaseUrl, async (rows) => {
          await rows(age, [id]);
          await forgetOldHeld.step(rows);
        }),
    };
    for (const [name, end] of Object.entries(ends)) {
      const own = await bob.upload('own.txt', bytes('own'));
      const said = { content: `dubious ${name}`, forwardId: source.id, attachments: [{ id: own.id }] };
      const { held } = (await bob.post(`/api/channels/${other}/messages`, said)).body;
      const copy = held.forwarded.attachments[0];
      expect((await bob.get(copy.url)).body, name).to.equal('doubts');
      await end(held.heldId);
      expect((await bob.get(copy.url)).body.code, name).to.equal('ATTACHMENT_NOT_FOUND');
      expect((await bob.get(own.url)).body, name).to.equal('own');
    }
    expect((await bob.get(source.attachments[0].url)).body).to.equal('doubts');
  });

  it('waits in slow mode, and is refused where one may not write', async () => {
    const { alice, bob, channel, carol } = here;
    const slow = await here.newChannel('slow');
    await alice.patch(`/api/channels/${slow}`, { slowModeSeconds: 3600 });
    const source = await alice.say(channel.id, 'again');
    await bob.say(slow, '', { forwardId: source.id });
    const second = await bob.post(`/api/channels/${slow}/messages`, { forwardId: source.id });
    expect(second.body.code).to.equal('SLOW_MODE');
    const outside = await carol.post(`/api/channels/${slow}/messages`, { forwardId: source.id });
    expect(outside.status).to.be.oneOf([403, 404]);
    const nothing = await bob.post(`/api/channels/${slow}/messages`, { content: '' });
    expect(nothing.body.code).to.equal('VALIDATION_FAILED');
  });

  it('is found by search in the channel of the copy', async () => {
    const { alice, bob } = here;
    const source = await alice.say(secret, 'zanzibar awaits');
    const sent = await forward(source.id);
    const found = await bob.get('/api/search/messages?query=zanzibar');
    expect(found.body.map(({ id }: { id: string }) => id)).to.deep.equal([sent.id]);
    expect(found.body[0].excerpt.text).to.equal('zanzibar awaits');
  });

  it('lets a bot pass on what its policies let it read', async () => {
    const { alice, channel, server } = here;
    const bot = await botIn(server, alice);
    await alice.post(`/api/channels/${other}/members`, { userId: bot.id });
    await alice.put(`/api/channels/${channel.id}/agents/${bot.agentId}/policy`, { mode: 'mentionOnly' });
    const unheard = await alice.say(channel.id, 'not for it');
    const heard = await alice.say(channel.id, `<@${bot.id}> for it`);
    const refused = await bot.post(`/api/channels/${other}/messages`, { forwardId: unheard.id });
    expect(refused.status).to.equal(404);
    const passed = await bot.post(`/api/channels/${other}/messages`, { forwardId: heard.id });
    expect(passed.status).to.equal(201);
    const ids = [unheard.id, heard.id].join(',');
    const { messages } = (await bot.get(`/api/message-previews?ids=${ids}`)).body;
    expect(messages.map(({ id }: { id: string }) => id)).to.deep.equal([heard.id]);
  });
});
