// nodes: one and two

import { expect } from 'chai';
import { deleteUnsent } from '../../src/features/messages/attachment.table.ts';
import { forgetOldHeld } from '../../src/features/messages/holding.ts';
import { type Bot, botIn } from '../world/bot.ts';
import type { Answer, Loose, Person } from '../world/person.ts';
import { query, withRows } from '../world/sql.ts';
import { register, type World, world } from '../world/world.ts';

const codeOf = ({ status, body }: Answer) => [status, body.code];

/** On several nodes alice, who owns the server, and bob, a member, are on different ones. */
describe('messages that filters hold', () => {
  let here: World;
  let robot: Bot;
  let others: Person[] = [];
  const path = () => `/api/channels/${here.channel.id}/messages`;
  const queue = async () => (await here.alice.get(`/api/servers/${here.server.id}/held`)).body;
  const own = async (who: Person) => (await who.get(`/api/channels/${here.channel.id}/held`)).body;
  const send = (who: Person, content: string, more: object = {}) => who.post(path(), { content, ...more });
  const approve = (who: Person, held: Loose) => who.post(`/api/held/${held.heldId}/approve`);
  const reject = (who: Person, held: Loose) => who.post(`/api/held/${held.heldId}/reject`);
  const withdraw = (who: Person, held: Loose) => who.delete(`/api/held/${held.heldId}`);

  /** Has a message of someone held. */
  async function hold(who: Person, content: string, more: object = {}): Promise<Loose> {
    const answer = await send(who, content, more);
    expect(codeOf(answer)).to.deep.equal([202, 'MESSAGE_HELD']);
    return answer.body.held;
  }

  async function member(): Promise<Person> {
    const made = await register(here.bob.node);
    const { body } = await here.alice.get(`/api/servers/${here.server.id}`);
    expect((await made.post('/api/servers/_/join', { inviteCode: body.inviteCode })).status).to.equal(200);
    others.push(made);
    return made;
  }

  beforeEach(async () => {
    here = await world();
    robot = await botIn(here.server, here.alice);
    others = [robot];
    const path = `/api/servers/${here.server.id}/filters`;
    const body = { kind: 'word', action: 'hold', patterns: ['hold*'] };
    expect((await here.alice.post(path, body)).status).to.equal(201);
  });
  afterEach(() => {
    for (const other of others) other.hangUp();
    here.close();
  });

  it('are answered by what no client takes for a message, and seen by nobody but author and moderators', async () => {
    const { alice, bob, channel, server } = here;
    const [mod, author, ear] = [await alice.connect(), await bob.connect(), await (await member()).listen(channel.id)];
    const answer = await send(bob, 'on hold', { nonce: 'n1', metadata: { a: 1 } });
    expect(codeOf(answer)).to.deep.equal([202, 'MESSAGE_HELD']);
    expect(answer.body).to.include({ ok: false, heldId: answer.body.held.heldId });
    expect(answer.body).to.not.have.any.keys('id', 'seq', 'content');
    const { held } = answer.body;
    expect(held).to.include({ kind: 'message', content: 'on hold', nonce: 'n1', status: 'waiting', reason: 'filter' });
    expect(held).to.not.have.any.keys('id', 'seq', 'pattern');
    const told = await mod.next('held:created');
    expect(told.held).to.include({ heldId: held.heldId, content: 'on hold', pattern: 'hold*' });
    expect(told.held).to.not.have.property('nonce');
    expect((await author.next('held:created')).held).to.deep.equal(held);
    expect(await queue()).to.deep.equal([{ ...told.held, isOwn: false }]);
    expect(await own(bob)).to.deep.equal([held]);
    await alice.say(channel.id, 'after it');
    await ear.next('message:new', ({ content }) => content === 'after it');
    expect(ear.all('message:new').map(({ content }) => content)).to.deep.equal(['after it']);
    expect(ear.all('held:created')).to.deep.equal([]);
    expect((await alice.get(`/api/search/messages?q=hold&serverId=${server.id}`)).body).to.not.deep.include({
      content: 'on hold',
    });
  });

  it('are held once for a nonce, a key, or both, over REST and sockets, whatever else is asked', async () => {
    const { bob, channel } = here;
    const first = await hold(bob, 'hold', { nonce: 'n1' });
    const socket = await bob.connect();
    const ack = await socket.emit('message:send', { channelId: channel.id, content: 'holding', nonce: 'n1' });
    expect(ack).to.include({ ok: false, code: 'MESSAGE_HELD', heldId: first.heldId });
    const keyed = { 'Idempotency-Key': 'k1' };
    const ids = new Set<string>();
    for (let i = 0; i < 2; i++) ids.add((await bob.post(path(), { content: 'hold it' }, keyed)).body.heldId);
    const twice = await Promise.all([hold(bob, 'hold both', { nonce: 'n2' }), hold(bob, 'hold both', { nonce: 'n2' })]);
    expect([ids.size, new Set(twice.map(({ heldId }) => heldId)).size]).to.deep.equal([1, 1]);
    expect(await queue()).to.have.length(3);
  });

  it('are published as by their author when they are approved, in a new place, with all they had', async () => {
    const { alice, bob, channel } = here;
    const reply = await alice.say(channel.id, 'question');
    const file = await bob.upload('a.txt', new Uint8Array([97]));
    const more = { nonce: 'n1', replyToId: reply.id, metadata: { a: 1 }, attachments: [{ id: file.id }] };
    const held = await hold(bob, `hold on @${alice.username}`, more);
    expect(held.attachments[0]).to.include({ id: file.id, filename: 'a.txt' });
    expect((await alice.get(`/api/media/${file.id}`)).status).to.equal(200);
    expect((await here.carol.get(`/api/media/${file.id}`)).status).to.equal(404);
    expect(codeOf(await send(bob, 'again', { attachments: [{ id: file.id }] }))).to.deep.equal([
      400,
      'ATTACHMENT_INVALID',
    ]);
    const later = await alice.say(channel.id, 'later');
    const [ear, author] = [await alice.listen(channel.id), await bob.connect()];
    const approved = await approve(alice, held);
    expect(approved.status).to.equal(200);
    expect(approved.body).to.include({ status: 'approved', messageId: approved.body.message.id, content: '' });
    const shown = await ear.next('message:new');
    expect(shown).to.deep.include({ content: held.content, authorId: bob.id, replyToId: reply.id, metadata: { a: 1 } });
    expect(shown.seq).to.be.above(later.seq);
    expect([shown.attachments[0].id, shown.mentions[0].targetId]).to.deep.equal([file.id, alice.id]);
    expect((await author.next('held:decided')).held).to.include({
      heldId: held.heldId,
      status: 'approved',
      nonce: 'n1',
    });
    const notice = await author.next('notification:new', ({ kind }) => kind === 'message.held_approved');
    expect(notice).to.include({ channelId: channel.id, senderId: null, referenceId: shown.id });
    expect([await queue(), await own(bob)]).to.deep.equal([[], []]);
    const again = await send(bob, held.content, { nonce: 'n1' });
    expect([again.status, again.body.id]).to.deep.equal([200, shown.id]);
  });

  it('are told to be rejected, stay readable for their author, and are then forgotten', async () => {
    const { alice, bob } = here;
    const [author, mod] = [await bob.connect(), await alice.connect()];
    const held = await hold(bob, 'hold this', { nonce: 'n1' });
    expect((await reject(alice, held)).body).to.include({ status: 'rejected', content: 'hold this' });
    await author.next('held:decided', ({ held }) => held.status === 'rejected');
    await author.next('notification:new', ({ kind }) => kind === 'message.held_rejected');
    await mod.next('held:decided');
    expect(await queue()).to.deep.equal([]);
    expect((await own(bob))[0]).to.include({ status: 'rejected', content: 'hold this' });
    const again = await send(bob, 'hold this', { nonce: 'n1' });
    expect([...codeOf(again), again.body.held.status]).to.deep.equal([202, 'MESSAGE_HELD', 'rejected']);
    expect((await withdraw(bob, held)).status).to.equal(200);
    expect(await own(bob)).to.deep.equal([]);
    expect(codeOf(await approve(alice, held))).to.deep.equal([409, 'HELD_DECIDED']);
  });

  it('are decided once, however many decide at the same time on whichever nodes', async () => {
    const { alice, bob, channel, cluster } = here;
    for (let round = 0; round < 4; round++) {
      const held = await hold(bob, `hold ${round}`);
      const decisions = cluster.nodes.flatMap((node) => [
        () => approve(alice.on(node), held),
        () => reject(alice.on(node), held),
        () => withdraw(bob.on(node), held),
      ]);
      const answers = await Promise.all(decisions.map((decide) => decide()));
      // What was rejected may be forgotten after that.
      const isRejected = answers.some(({ body }) => body.status === 'rejected');
      const done = answers.filter(({ status, body }) => status === 200 && !(isRejected && body.success));
      expect(done, JSON.stringify(answers.map(codeOf))).to.have.length(1);
      const others = answers.filter(({ status }) => status !== 200);
      for (const answer of others) expect(codeOf(answer)).to.deep.equal([409, 'HELD_DECIDED']);
      const isPublished = done[0]?.body.status === 'approved';
      const { messages } = (await alice.get(`/api/channels/${channel.id}/messages`)).body;
      const shown = messages.filter(({ content }: Loose) => content === `hold ${round}`);
      expect(shown).to.have.length(isPublished ? 1 : 0);
    }
    expect(await queue()).to.deep.equal([]);
  });

  it('are not published where their author may not post any more: they wait on', async () => {
    const { alice, bob, server, channel } = here;
    const held = await hold(bob, 'hold it');
    await alice.post(`/api/channels/${channel.id}/archive`);
    const refused = await approve(alice, held);
    expect([...codeOf(refused), refused.body.reason]).to.deep.equal([409, 'HELD_NOT_POSTABLE', 'CHANNEL_ARCHIVED']);
    await alice.post(`/api/channels/${channel.id}/unarchive`);
    await alice.delete(`/api/servers/${server.id}/members/${bob.id}`);
    expect(codeOf(await approve(alice, held))).to.deep.equal([409, 'HELD_NOT_POSTABLE']);
    expect(await queue()).to.have.length(1);
    expect((await reject(alice, held)).status).to.equal(200);
  });

  it('are decided again after a node died while it published one, if nothing came of it', async () => {
    const { alice, bob, channel } = here;
    const [left, sent] = [await hold(bob, 'hold a'), await hold(bob, 'hold b')];
    const busy = (what: Loose, until: string) =>
      query(here.cluster.databaseUrl, 'UPDATE held_messages SET busy_until = now() + $2::interval WHERE id = $1', [
        what.heldId,
        until,
      ]);
    const message = await bob.say(channel.id, 'published');
    const key = 'UPDATE messages SET sent_key = $2 WHERE id = $1';
    await query(here.cluster.databaseUrl, key, [message.id, `held ${sent.heldId}`]);
    for (const one of [left, sent]) {
      await busy(one, '1 minute');
      for (const decision of [approve(alice, one), reject(alice, one), withdraw(bob, one)])
        expect(codeOf(await decision)).to.deep.equal([409, 'HELD_DECIDED']);
      await busy(one, '-1 second');
    }
    expect((await reject(alice, left)).status).to.equal(200);
    expect(codeOf(await reject(alice, sent))).to.deep.equal([409, 'HELD_DECIDED']);
    expect((await approve(alice, sent)).body.message.id).to.equal(message.id);
  });

  it('are of moderators who may know of the channel, never one’s own, and nobody else’s', async () => {
    const { alice, bob, carol, server } = here;
    const [mod, other] = [await member(), await member()];
    await alice.patch(`/api/servers/${server.id}/members/${mod.id}`, { role: 'moderator' });
    const secret = (await alice.post(`/api/servers/${server.id}/channels`, { name: 'secret', isPrivate: true })).body;
    await alice.post(`/api/channels/${secret.id}/members`, { userId: bob.id });
    const inSecret = (await bob.post(`/api/channels/${secret.id}/messages`, { content: 'hold' })).body.held;
    const open = await hold(bob, 'hold');
    const seen = (await mod.get(`/api/servers/${server.id}/held`)).body.map(({ heldId }: Loose) => heldId);
    expect(seen).to.deep.equal([open.heldId]);
    expect(await queue()).to.have.length(2);
    for (const decide of [approve, reject]) {
      expect(codeOf(await decide(mod, inSecret))).to.deep.equal([404, 'HELD_NOT_FOUND']);
      expect(codeOf(await decide(other, open))).to.deep.equal([403, 'ROLE_REQUIRED']);
      expect(codeOf(await decide(carol, open))).to.deep.equal([404, 'HELD_NOT_FOUND']);
      expect(codeOf(await decide(bob, inSecret))).to.deep.equal([403, 'ROLE_REQUIRED']);
    }
    expect(codeOf(await withdraw(other, open))).to.deep.equal([404, 'HELD_NOT_FOUND']);
    expect(codeOf(await other.get(`/api/servers/${server.id}/held`))).to.deep.equal([403, 'ROLE_REQUIRED']);
    await alice.patch(`/api/servers/${server.id}/members/${bob.id}`, { role: 'moderator' });
    expect(codeOf(await approve(bob, open))).to.deep.equal([403, 'FORBIDDEN']);
    expect((await approve(mod, open)).status).to.equal(200);
  });

  it('are at most twenty of a person', async () => {
    const { bob } = here;
    for (let i = 0; i < 19; i++) await hold(bob, `hold ${i}`);
    const more = await Promise.all(Array.from({ length: 4 }, (_, i) => send(bob, `hold more ${i}`)));
    expect(more.map(codeOf).sort()).to.deep.equal([
      ...[
        [202, 'MESSAGE_HELD'],
        [429, 'HELD_LIMIT'],
        [429, 'HELD_LIMIT'],
        [429, 'HELD_LIMIT'],
      ],
    ]);
    const [first] = await own(bob);
    await withdraw(bob, first);
    await hold(bob, 'hold one more');
  });

  it('may be edits: the text stays until one is approved, the last one counts, and none undoes another', async () => {
    const { alice, bob, channel } = here;
    const message = await bob.say(channel.id, 'fine');
    const edit = (content: string) => bob.patch(`/api/messages/${message.id}`, { content });
    const text = async () => (await alice.get(`/api/messages/${message.id}`)).body.content;
    const first = await edit('hold a');
    expect(codeOf(first)).to.deep.equal([202, 'MESSAGE_HELD']);
    expect(first.body.held).to.include({ kind: 'edit', messageId: message.id, previousContent: 'fine' });
    expect((await edit('hold a')).body.heldId).to.equal(first.body.heldId);
    const second = (await edit('hold b')).body.held;
    expect(codeOf(await approve(alice, first.body.held))).to.deep.equal([409, 'HELD_DECIDED']);
    expect(await text()).to.equal('fine');
    expect((await approve(alice, second)).body.message).to.include({ content: 'hold b', isEdited: true });
    expect(await text()).to.equal('hold b');
    const third = (await edit('hold c')).body.held;
    expect((await edit('better')).status).to.equal(200);
    const late = await approve(alice, third);
    expect(codeOf(late)).to.deep.equal([409, 'HELD_NOT_POSTABLE']);
    expect(await text()).to.equal('better');
    const socket = await bob.connect();
    expect(await socket.emit('message:edit', { messageId: message.id, content: 'hold d' })).to.include({
      code: 'MESSAGE_HELD',
    });
  });

  it('are of bots and in threads too', async () => {
    const { alice, channel } = here;
    const parent = await alice.say(channel.id, 'topic');
    const thread = (await alice.post(`/api/messages/${parent.id}/thread`, { name: 'talk' })).body;
    const answer = await robot.post(`/api/threads/${thread.id}/messages`, { content: 'hold' });
    expect(codeOf(answer)).to.deep.equal([202, 'MESSAGE_HELD']);
    const mouth = await robot.listen(channel.id);
    const stream = { channelId: channel.id, streamId: 's', threadId: thread.id };
    expect(await mouth.emit('message:stream', { ...stream, delta: 'on hold', done: true })).to.include({
      code: 'MESSAGE_HELD',
    });
    const waiting = await queue();
    expect(waiting.map(({ threadId, authorId }: Loose) => [threadId, authorId])).to.deep.equal([
      ...[
        [thread.id, robot.id],
        [thread.id, robot.id],
      ],
    ]);
    const mod = await member();
    await alice.patch(`/api/servers/${here.server.id}/members/${mod.id}`, { role: 'moderator' });
    for (const held of waiting) {
      expect((await queue()).find((item: Loose) => item.heldId === held.heldId)).to.include({ isOwn: true });
      expect((await mod.get(`/api/servers/${here.server.id}/held`)).body[0]).to.include({ isOwn: false });
      expect((await approve(mod, held)).body.message).to.include({ threadId: thread.id, authorId: robot.id });
    }
  });

  it('are answers of bots too, which keep what they were made from, and are not published late', async () => {
    const { alice, bob, channel, server } = here;
    const mod = await member();
    await alice.patch(`/api/servers/${server.id}/members/${mod.id}`, { role: 'moderator' });
    const { seq } = await bob.say(channel.id, 'a question');
    const answer = await hold(robot, 'hold it', { answersTo: seq, ifHead: seq });
    await alice.put(`/api/channels/${channel.id}/agents/${robot.agentId}/policy`, { mode: 'mentionOnly' });
    const { message } = (await approve(mod, answer)).body;
    expect(message).to.include({ content: 'hold it', answersTo: seq });
    const had = (await alice.get(`/api/agents/${robot.agentId}/answers/${message.id}/context`)).body;
    expect(had).to.include({ answersTo: seq, hearing: 'all' });
    const more = { ifHead: message.seq, nonce: 'n1' };
    const late = await hold(robot, 'hold on', more);
    await bob.say(channel.id, 'never mind');
    const refused = await approve(mod, late);
    expect([...codeOf(refused), refused.body.reason]).to.deep.equal([409, 'HELD_NOT_POSTABLE', 'HEAD_MOVED']);
    expect((await hold(robot, 'hold on', more)).heldId).to.equal(late.heldId);
    expect(codeOf(await send(robot, 'hold on', { ...more, nonce: 'n2' }))).to.deep.equal([409, 'HEAD_MOVED']);
  });

  it('are links of those who are new, as long as the server says so, but for allowed hosts', async () => {
    const { alice, bob, server, cluster } = here;
    const link = 'see https://example.com/x';
    expect((await send(bob, link)).status).to.equal(201);
    const set = (hours: number) => alice.patch(`/api/servers/${server.id}`, { holdNewMemberLinksHours: hours });
    expect((await set(24)).body.holdNewMemberLinksHours).to.equal(24);
    expect(codeOf(await set(721))).to.deep.equal([400, 'VALIDATION_FAILED']);
    const held = await hold(bob, link);
    expect(held.reason).to.equal('new-member-link');
    expect(codeOf(await send(robot, link))).to.deep.equal([202, 'MESSAGE_HELD']);
    expect((await send(bob, 'no link')).status).to.equal(201);
    await alice.post(`/api/servers/${server.id}/filters`, { kind: 'link', action: 'allow', patterns: ['example.com'] });
    expect((await send(bob, link)).status).to.equal(201);
    expect(codeOf(await send(bob, 'https://other.com'))).to.deep.equal([202, 'MESSAGE_HELD']);
    const earlier = `UPDATE server_members SET joined_at = now() - interval '25 hours' WHERE user_id = '${bob.id}'`;
    await query(cluster.databaseUrl, earlier);
    expect((await send(bob, 'https://other.com')).status).to.equal(201);
    expect((await set(0)).status).to.equal(200);
    expect((await send(robot, 'https://other.com')).status).to.equal(201);
  });

  it('keep their files until they are decided, and are forgotten after two weeks', async () => {
    const { bob, cluster, alice } = here;
    const file = await bob.upload('a.txt', new Uint8Array([97]));
    const held = await hold(bob, 'hold', { attachments: [{ id: file.id }] });
    const age = (table: string, interval: string, id: string) =>
      query(cluster.databaseUrl, `UPDATE ${table} SET created_at = now() - interval '${interval}' WHERE id = '${id}'`);
    const there = async (table: string, id: string) =>
      (await query(cluster.databaseUrl, `SELECT FROM ${table} WHERE id = '${id}'`)).length > 0;
    const other = await bob.upload('b.txt', new Uint8Array([98]));
    for (const { id } of [file, other]) await age('attachments', '2 days', id);
    await withRows(cluster.databaseUrl, deleteUnsent);
    expect([await there('attachments', file.id), await there('attachments', other.id)]).to.deep.equal([true, false]);
    await age('held_messages', '15 days', held.heldId);
    await withRows(cluster.databaseUrl, forgetOldHeld.step);
    expect(await there('held_messages', held.heldId)).to.equal(false);
    expect(codeOf(await approve(alice, held))).to.deep.equal([404, 'HELD_NOT_FOUND']);
  });
});
