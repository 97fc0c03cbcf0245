import { expect } from 'chai';
import { until } from '../rig/until.ts';
import type { Loose, Person } from '../world/person.ts';
import { withRows } from '../world/sql.ts';
import { register, type World, world } from '../world/world.ts';

const list = async (person: Person): Promise<Loose[]> => (await person.get('/api/notifications')).body;
const unread = async (person: Person): Promise<number> =>
  (await person.get('/api/notifications/unread-count')).body.count;

describe('notifications of what was taken back', () => {
  let here: World;
  beforeEach(async () => {
    here = await world();
  });
  afterEach(() => here.close());

  const told = (person: Person, fits: (entry: Loose) => boolean) =>
    until(async () => (await list(person)).find(fits), { message: 'not notified' });
  const gone = (person: Person) =>
    until(async () => (await list(person)).length === 0, { message: 'the notification stayed' });

  /** Each way to be notified of a message of alice. @returns the path that deletes it */
  const kinds: Record<string, () => Promise<string>> = {
    async 'message.mention'() {
      const { alice, bob, channel } = here;
      return `/api/messages/${(await alice.say(channel.id, `@${bob.username}`)).id}`;
    },
    async 'message.reply'() {
      const { alice, bob, channel } = here;
      const { id: replyToId } = await bob.say(channel.id, 'a question');
      return `/api/messages/${(await alice.say(channel.id, 'an answer', { replyToId })).id}`;
    },
    async 'thread.reply'() {
      const { alice, bob, channel } = here;
      const parent = await bob.say(channel.id, 'parent');
      const thread = (await alice.post(`/api/messages/${parent.id}/thread`)).body;
      return `/api/messages/${(await alice.post(`/api/threads/${thread.id}/messages`, { content: 'x' })).body.id}`;
    },
    async 'dm.message'() {
      const { alice, bob } = here;
      const dm = (await alice.post('/api/dm/channels', { userId: bob.id })).body;
      return `/api/messages/${(await alice.say(dm.id, 'hello')).id}`;
    },
    async 'thread.reply with its thread'() {
      const { alice, bob, channel } = here;
      const parent = await bob.say(channel.id, 'parent');
      const thread = (await alice.post(`/api/messages/${parent.id}/thread`)).body;
      await alice.post(`/api/threads/${thread.id}/messages`, { content: 'x' });
      return `/api/threads/${thread.id}`;
    },
  };
  for (const [kind, make] of Object.entries(kinds)) {
    it(`go with it: ${kind}`, async () => {
      const { alice, bob } = here;
      const ear = await bob.connect();
      const path = await make();
      const { id } = await told(bob, (entry) => kind.startsWith(entry.kind));
      expect((await alice.delete(path)).status).to.equal(200);
      expect(await ear.next('notification:deleted')).to.deep.include({ ids: [id], unreadCount: 0 });
      expect([await list(bob), await unread(bob)]).to.deep.equal([[], 0]);
      const scoped = (await bob.get('/api/notifications/scoped-unread')).body;
      expect(scoped).to.deep.equal({ servers: [], channelUnread: {}, serverUnread: {}, dmUnread: {} });
    });
  }

  it('fall back to what is left of several', async () => {
    const { alice, bob, channel, server, carol } = here;
    await carol.post(`/api/servers/${server.id}/join`, { inviteCode: server.inviteCode });
    const ear = await bob.connect();
    const [first, second, third] = [
      await alice.say(channel.id, `@${bob.username} one`),
      await carol.say(channel.id, `@${bob.username} two`),
      await alice.say(channel.id, `@${bob.username} three`),
    ];
    const { id } = await told(bob, (entry) => entry.aggregatedCount === 3);
    const shown = async () =>
      (await list(bob)).map(({ referenceId, body, aggregatedCount, senderId }) => ({
        referenceId,
        body,
        aggregatedCount,
        senderId,
      }));
    await alice.delete(`/api/messages/${third.id}`);
    const left = { referenceId: second.id, body: second.content, aggregatedCount: 2, senderId: carol.id };
    await told(bob, (entry) => entry.aggregatedCount === 2);
    expect(await shown()).to.deep.equal([left]);
    const last = () => ear.all('notification:updated').at(-1);
    await until(() => last()?.body === second.content);
    expect(last()).to.include(left);
    // One that is not shown is not counted either.
    await alice.delete(`/api/messages/${first.id}`);
    await told(bob, (entry) => entry.aggregatedCount === 1);
    expect(await shown()).to.deep.equal([{ ...left, aggregatedCount: 1 }]);
    expect(await unread(bob)).to.equal(1);
    await carol.patch(`/api/messages/${second.id}`, { content: 'nobody' });
    expect(await ear.next('notification:deleted')).to.deep.include({ ids: [id], unreadCount: 0 });
    expect(await unread(bob)).to.equal(0);
  });

  it('are made once for a mention that is taken out and put in again', async () => {
    const { alice, bob, channel } = here;
    const ear = await bob.connect();
    const sent = await alice.say(channel.id, `@${bob.username}`);
    const { id } = await told(bob, ({ referenceId }) => referenceId === sent.id);
    const edit = (content: string) => alice.patch(`/api/messages/${sent.id}`, { content });
    for (let round = 0; round < 3; round++) {
      await edit('nobody');
      await gone(bob);
      expect(await unread(bob)).to.equal(0);
      await edit(`@${bob.username} again ${round}`);
      const again = await told(bob, ({ referenceId }) => referenceId === sent.id);
      expect(again).to.include({ aggregatedCount: 1, isRead: false });
      expect(await unread(bob)).to.equal(1);
    }
    expect(ear.all('notification:new').map((entry) => entry.id)).to.deep.equal([id]);
    await bob.post('/api/notifications/read-all');
    await edit('nobody');
    await gone(bob);
    await edit(`@${bob.username} once more`);
    const last = await alice.say(channel.id, `@${bob.username} another`);
    // Of what was read nothing comes back.
    expect(await told(bob, () => true)).to.include({ referenceId: last.id, aggregatedCount: 1 });
  });

  it('are not made for what was deleted, or mentions one no more, before they are made', async () => {
    const { alice, bob, channel, cluster } = here;
    await withRows(cluster.databaseUrl, async (rows) => {
      await rows('BEGIN');
      await rows('SELECT FROM streams WHERE id = $1 FOR UPDATE', [bob.id]);
      const [one, other] = [
        await alice.say(channel.id, `@${bob.username} 1`),
        await alice.say(channel.id, `@${bob.username} 2`),
      ];
      await alice.delete(`/api/messages/${one.id}`);
      await alice.patch(`/api/messages/${other.id}`, { content: 'nobody' });
      await rows('COMMIT');
      await until(async () => (await rows('SELECT FROM notification_jobs LIMIT 1')).length === 0);
    });
    const last = await alice.say(channel.id, `@${bob.username} 3`);
    expect(await told(bob, ({ referenceId }) => referenceId === last.id)).to.include({ aggregatedCount: 1 });
    expect(await list(bob)).to.have.length(1);
  });

  it('from before there were sources lead to their channel', async () => {
    const { alice, bob, channel, cluster } = here;
    for (const text of ['one', 'two']) await alice.say(channel.id, `@${bob.username} ${text}`);
    const { referenceId } = await told(bob, (entry) => entry.aggregatedCount === 2);
    await withRows(cluster.databaseUrl, (rows) =>
      rows('DELETE FROM notification_sources WHERE user_id = $1', [bob.id]),
    );
    await alice.delete(`/api/messages/${referenceId}`);
    const left = await told(bob, (entry) => entry.aggregatedCount === 1);
    expect(left).to.include({ body: '', referenceType: 'channel', referenceId: channel.id });
    expect(await unread(bob)).to.equal(1);
  });
});

describe('whom one has blocked', () => {
  it('notifies one of nothing, nor does a bot of theirs', async () => {
    const here = await world();
    const { alice, bob, channel, server } = here;
    await bob.put(`/api/friends/blocks/${alice.id}`);
    const hidden = (await alice.post(`/api/servers/${server.id}/channels`, { name: 'hidden', isPrivate: true })).body;
    for (let round = 0; round < 3; round++) {
      await alice.post(`/api/channels/${hidden.id}/members`, { userId: bob.id });
      await alice.delete(`/api/channels/${hidden.id}/members/${bob.id}`);
    }
    const question = await bob.say(channel.id, 'anyone?');
    await alice.say(channel.id, `@${bob.username}`);
    await alice.say(channel.id, '@everyone');
    await alice.say(channel.id, 'me', { replyToId: question.id });
    const thread = (await alice.post(`/api/messages/${question.id}/thread`)).body;
    await alice.post(`/api/threads/${thread.id}/messages`, { content: 'here' });
    await alice.post(`/api/servers/${server.id}/invite-member`, { userId: bob.id });
    const agent = (await alice.post('/api/agents', { name: `b-${Date.now()}` })).body;
    await alice.post(`/api/servers/${server.id}/agents`, { agentIds: [agent.id] });
    const said = await fetch(`${alice.node.url}/api/channels/${channel.id}/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${agent.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ content: `@${bob.username}` }),
    });
    expect(said.status).to.equal(201);
    const dora = await register(bob.node);
    await dora.post(`/api/servers/${server.id}/join`, { inviteCode: server.inviteCode });
    await dora.say(channel.id, `@${bob.username} the last one`);
    await until(async () => (await list(bob)).some(({ senderId }) => senderId === dora.id));
    expect((await list(bob)).map(({ senderId }) => senderId)).to.deep.equal([dora.id]);
    // What they say stays where it is.
    const page = (await bob.get(`/api/channels/${channel.id}/messages`)).body.messages;
    expect(page.some(({ authorId }: Loose) => authorId === alice.id)).to.equal(true);
    dora.hangUp();
    here.close();
  });
});

describe('adding and removing someone again and again', () => {
  it('notifies them once', async () => {
    const here = await world();
    const { alice, bob, server, channel } = here;
    const hidden = (await alice.post(`/api/servers/${server.id}/channels`, { name: 'hidden', isPrivate: true })).body;
    const add = () => alice.post(`/api/channels/${hidden.id}/members`, { userId: bob.id });
    const added = async () => (await list(bob)).filter(({ kind }) => kind === 'channel.member_added');
    await add();
    await until(async () => (await added()).length === 1);
    for (let round = 0; round < 3; round++) {
      await alice.delete(`/api/channels/${hidden.id}/members/${bob.id}`);
      await add();
    }
    await alice.say(channel.id, `@${bob.username}`);
    await until(async () => (await list(bob)).some(({ kind }) => kind === 'message.mention'));
    const all = await added();
    expect(all.map(({ aggregatedCount }) => aggregatedCount)).to.deep.equal([1]);
    here.close();
  });
});
