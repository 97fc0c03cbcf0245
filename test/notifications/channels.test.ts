import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { crowd } from '../world/crowd.ts';
import type { Loose, Person } from '../world/person.ts';
import { query, withRows } from '../world/sql.ts';
import { register, type World, world } from '../world/world.ts';

const list = async (person: Person) => (await person.get('/api/notifications')).body;
const kinds = async (person: Person) => (await list(person)).map(({ kind }: Loose) => kind);
const told = (person: Person, kind: string, fits: (notification: Loose) => boolean = () => true): Promise<Loose> =>
  until(async () => (await list(person)).find((each: Loose) => each.kind === kind && fits(each)), {
    message: `not told of ${kind}`,
  });

describe('notifications of channels', () => {
  let here: World;
  let dora: Person;
  beforeEach(async () => {
    here = await world();
    // Else that of bob may come after all others were read.
    await told(here.alice, 'server.member_joined', (each) => each.senderId === here.bob.id);
    dora = await register(here.alice.node);
    await dora.post(`/api/servers/${here.server.id}/join`, { inviteCode: here.server.inviteCode });
    await told(here.alice, 'server.member_joined', (each) => each.senderId === dora.id);
    await here.alice.post('/api/notifications/read-all');
  });
  afterEach(() => {
    here.close();
    dora.hangUp();
  });

  it('come to those who are mentioned, and to nobody else', async () => {
    const { alice, bob, channel, server } = here;
    const ear = await bob.connect();
    const sent = await alice.say(channel.id, `look, @${bob.username}!`);
    const event = await ear.next('notification:new');
    expect(event).to.include({ type: 'mention', kind: 'message.mention', referenceId: sent.id, senderId: alice.id });
    expect(event).to.include({ serverId: server.id, channelId: channel.id });
    expect(event.body).to.equal(`look, @${bob.username}!`);
    await alice.say(channel.id, 'nothing in particular');
    await dora.say(channel.id, `@${dora.username} talks to herself`);
    await alice.say(channel.id, `@${bob.username} again`);
    await told(bob, 'message.mention', (each) => each.aggregatedCount === 2);
    expect(await kinds(dora)).to.deep.equal([]);
    const scoped = (await bob.get('/api/notifications/scoped-unread')).body;
    expect(scoped).to.deep.equal({
      servers: [{ serverId: server.id, count: 1, channels: [{ channelId: channel.id, count: 1 }] }],
      channelUnread: { [channel.id]: 1 },
      serverUnread: { [server.id]: 1 },
      dmUnread: {},
    });
  });

  it('come to those who are named by an edit, once', async () => {
    const { alice, bob, channel } = here;
    const sent = await alice.say(channel.id, `@${bob.username} and @dor`);
    await told(bob, 'message.mention');
    const edit = (content: string) => alice.patch(`/api/messages/${sent.id}`, { content });
    await edit(`@${bob.username} and @${dora.username}`);
    const notification = await told(dora, 'message.mention');
    expect(notification).to.include({ referenceId: sent.id, senderId: alice.id, channelId: channel.id });
    expect(notification.body).to.equal(`@${bob.username} and @${dora.username}`);
    expect(Date.parse(notification.createdAt)).to.be.greaterThan(Date.parse(sent.createdAt));
    await edit('nobody');
    await edit(`@${dora.username} and @${bob.username} and @everyone`);
    await edit(`@${dora.username}, @${bob.username}, @${alice.username}`);
    const last = await alice.say(channel.id, `@${dora.username} @${bob.username}`);
    // Two nodes may run the jobs of the edits and that of the last message in any order.
    const left = 'SELECT FROM notification_jobs';
    await until(async () => (await query(here.cluster.databaseUrl, left)).length === 0, { message: 'jobs are left' });
    for (const person of [dora, bob]) {
      const [only, ...others] = await until(async () => {
        const all = await list(person);
        return all.some((each: Loose) => each.referenceId === last.id) ? all : null;
      });
      expect([only.aggregatedCount, others.length]).to.deep.equal([2, 0]);
    }
    expect(await kinds(alice)).to.not.include('message.mention');
  });

  it('come to those who are answered', async () => {
    const { alice, bob, channel } = here;
    const question = await bob.say(channel.id, 'anyone?');
    const answer = await alice.say(channel.id, 'me', { replyToId: question.id });
    const notification = await told(bob, 'message.reply');
    expect(notification).to.include({ type: 'reply', referenceId: answer.id, senderId: alice.id });
    const both = await alice.say(channel.id, `@${bob.username} and once more`, { replyToId: question.id });
    expect(await told(bob, 'message.mention')).to.include({ referenceId: both.id });
    expect(await kinds(bob)).to.have.members(['message.mention', 'message.reply']);
  });

  it('of a thread come to its parent’s author, and to those who wrote in it as far as they want all', async () => {
    const { alice, bob, channel } = here;
    const parent = await bob.say(channel.id, 'a long story');
    const thread = (await alice.post(`/api/channels/${channel.id}/threads`, { name: 'it', parentMessageId: parent.id }))
      .body;
    const write = (person: Person, content: string) => person.post(`/api/threads/${thread.id}/messages`, { content });
    await write(dora, 'first');
    await told(bob, 'thread.reply', (each) => each.body === 'first');
    await write(alice, 'second');
    expect(await told(dora, 'thread.reply')).to.include({ type: 'reply', body: 'second', channelId: channel.id });
    await dora.patch('/api/notifications/preferences', { strategy: 'mention_only' });
    await bob.patch('/api/notifications/preferences', { strategy: 'mention_only' });
    await write(alice, 'third');
    await told(bob, 'thread.reply', (each) => each.body === 'third');
    expect((await told(dora, 'thread.reply')).body).to.equal('second');
  });

  it('for everyone or for those who are here need a moderator', async () => {
    const { alice, bob, channel } = here;
    const ear = await bob.connect();
    await alice.connect();
    await bob.say(channel.id, '@everyone mind me');
    await until(async () =>
      (await dora.get(`/api/servers/${here.server.id}/members`)).body.some(
        (member: Loose) => member.userId === bob.id && member.user.status === 'online',
      ),
    );
    const here1 = await alice.say(channel.id, '@here now');
    expect(await ear.next('notification:new')).to.include({ kind: 'message.mention', referenceId: here1.id });
    const all = await alice.say(channel.id, '@everyone now');
    expect(await told(dora, 'message.mention')).to.include({ referenceId: all.id, aggregatedCount: 1 });
    await told(bob, 'message.mention', (each) => each.referenceId === all.id && each.aggregatedCount === 2);
    expect(await kinds(alice)).not.to.include('message.mention');
  });

  it('are for those who may see the channel', async () => {
    const { alice, bob, carol, server } = here;
    const hidden = { name: 'hidden', isPrivate: true };
    const secret = (await alice.post(`/api/servers/${server.id}/channels`, hidden)).body;
    await alice.post(`/api/channels/${secret.id}/members`, { userId: dora.id });
    expect(await told(dora, 'channel.member_added')).to.include({ type: 'system', channelId: secret.id });
    await alice.say(secret.id, `@${bob.username} <@${bob.id}> <@${carol.id}> and @${dora.username}: hush`);
    await alice.say(secret.id, '@everyone hush');
    await told(dora, 'message.mention', (each) => each.aggregatedCount === 2);
    expect(await kinds(bob)).to.deep.equal([]);
    expect(await kinds(carol)).to.deep.equal([]);
  });

  it('for everyone in a private channel come to its people, however many others the server has', async () => {
    const { alice, cluster, server } = here;
    const { databaseUrl } = cluster;
    const others = { databaseUrl, secret: 'unused-'.repeat(10), serverId: server.id, at: () => alice.node };
    const ids = (await crowd(5200, others)).map(({ id }) => id);
    const id = ids.sort().at(-1);
    const channel = await alice.post(`/api/servers/${server.id}/channels`, { name: 'few', isPrivate: true });
    expect((await alice.post(`/api/channels/${channel.body.id}/members`, { userId: id })).status).to.equal(201);
    await alice.say(channel.body.id, '@everyone');
    await withRows(databaseUrl, async (rows) => {
      const mentions = "SELECT FROM notifications WHERE user_id = $1 AND kind = 'message.mention'";
      await until(async () => (await rows(mentions, [id])).length === 1, { timeout: 60_000 });
    });
  });

  it('of a newcomer come to those who decide, but not to whoever let it in', async () => {
    const { alice, server } = here;
    await alice.patch(`/api/servers/${server.id}/members/${dora.id}`, { role: 'admin' });
    const agent = (await alice.post('/api/agents', { name: `helper-${Date.now()}` })).body;
    await alice.post(`/api/servers/${server.id}/agents`, { agentIds: [agent.id] });
    await told(dora, 'server.member_joined', (each) => each.senderId === agent.userId);
    const erin = await register(alice.node);
    const { requestId } = (await erin.post(`/api/servers/${server.id}/join-requests`, {})).body;
    await alice.patch(`/api/servers/join-requests/${requestId}`, { status: 'approved' });
    await told(dora, 'server.member_joined', (each) => each.senderId === erin.id);
    const joined = (await list(alice)).filter(({ kind }: Loose) => kind === 'server.member_joined');
    expect(joined.map(({ senderId }: Loose) => senderId)).to.deep.equal([dora.id]);
    erin.hangUp();
  });

  it('of a muted server stay away, and system ones come', async () => {
    const { alice, bob, server, channel } = here;
    await bob.patch('/api/notifications/preferences', { mutedServerIds: [server.id] });
    await alice.say(channel.id, `@${bob.username}`);
    await alice.say(channel.id, '@everyone');
    await told(dora, 'message.mention');
    await alice.delete(`/api/servers/${server.id}/members/${bob.id}`);
    await told(bob, 'server.kicked');
    expect(await kinds(bob)).to.deep.equal(['server.kicked']);
  });

  it('are gone at once with what was deleted, without waiting for the next look for jobs', async () => {
    const { alice, bob, channel } = here;
    let [saying, deleting] = [0, 0];
    for (let i = 0; i < 8; i++) {
      const begun = performance.now();
      const mention = await alice.say(channel.id, `@${bob.username} ${i}`);
      await told(bob, 'message.mention', (each) => each.referenceId === mention.id && each.body !== '');
      const said = performance.now();
      await alice.delete(`/api/messages/${mention.id}`);
      await until(async () => (await list(bob)).length === 0);
      saying += said - begun;
      deleting += performance.now() - said;
    }
    // As soon as a mention is told, however busy the machine is; looks would take 4 s more.
    expect(deleting).to.be.below(saying + 1500);
  });

  it('are gone with a deleted message, and what it said', async () => {
    const { alice, bob, channel } = here;
    const ear = await bob.connect();
    const sent = await alice.say(channel.id, `@${bob.username} my secret`);
    const { id } = await told(bob, 'message.mention');
    await alice.delete(`/api/messages/${sent.id}`);
    expect(await ear.next('notification:deleted')).to.deep.include({ ids: [id], unreadCount: 0 });
    expect(await list(bob)).to.deep.equal([]);
    expect(JSON.stringify((await bob.get('/api/events?after=0&limit=500')).body)).not.to.include('my secret');
  });

  it('are not told again with what a deleted message said, also where they quote a later one by now', async () => {
    const { alice, bob, channel } = here;
    const ear = await bob.connect();
    const first = await alice.say(channel.id, `@${bob.username} my secret`);
    await ear.next('notification:new');
    const second = await alice.say(channel.id, `@${bob.username} once more`);
    await ear.next('notification:updated');
    await alice.delete(`/api/messages/${first.id}`);
    await until(() => ear.all('notification:updated').length === 2, { message: 'not told' });
    const both = { referenceId: second.id, body: second.content, aggregatedCount: 1, isRead: false };
    expect(ear.all('notification:updated')[1]).to.include(both);
    expect(await told(bob, 'message.mention')).to.include(both);
    expect(JSON.stringify((await bob.get('/api/events?after=0&limit=500')).body)).not.to.include('my secret');
  });

  it('do not quote what was deleted while they were made, on whichever node that was', async () => {
    const { alice, bob, channel, cluster } = here;
    await withRows(cluster.databaseUrl, async (rows) => {
      const jobs = async (kind: string) =>
        (await rows("SELECT FROM notification_jobs WHERE data ->> 'job' = $1", [kind])).length;
      await rows('BEGIN');
      await rows('SELECT FROM streams WHERE id = $1 FOR UPDATE', [bob.id]);
      const sent = await alice.say(channel.id, `@${bob.username} my secret`);
      const waiting = `SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%FROM streams%'`;
      await until(async () => (await query(cluster.databaseUrl, waiting)).length > 0, { message: 'nothing is made' });
      await alice.delete(`/api/messages/${sent.id}`);
      // One node alone has to make the notification first.
      if (cluster.nodes.length > 1) await until(async () => (await jobs('erasure')) === 0);
      await rows('COMMIT');
      await until(async () => (await jobs('message')) + (await jobs('erasure')) === 0);
    });
    expect(JSON.stringify([await list(bob), (await bob.get('/api/events?after=0')).body])).not.to.include('my secret');
  });

  it('say what a message says since it was edited, and no longer what it said', async () => {
    const { alice, bob, channel } = here;
    const ear = await bob.connect();
    const sent = await alice.say(channel.id, `@${bob.username} my secret`);
    await told(bob, 'message.mention');
    const edit = async (content: string) => {
      await alice.patch(`/api/messages/${sent.id}`, { content });
      expect(await ear.next('notification:updated', ({ body }) => body === content)).to.include({ isRead: false });
    };
    await edit(`@${bob.username} nothing of note`);
    expect(JSON.stringify((await bob.get('/api/events?after=0&limit=500')).body)).not.to.include('my secret');
    await edit(`@${bob.username} my other secret`);
    await edit(`@${bob.username} nothing at all`);
    expect(await list(bob)).to.have.length(1);
    const body = `@${bob.username} nothing at all`;
    expect((await list(bob))[0]).to.include({ referenceId: sent.id, body, aggregatedCount: 1 });
    expect(JSON.stringify((await bob.get('/api/events?after=0&limit=500')).body)).not.to.include('secret');
  });

  for (const place of ['channel', 'server'] as const) {
    it(`do not say what a message says since it was edited to whoever is out of its ${place}`, async () => {
      const { alice, bob, channel, server } = here;
      const ear = await bob.connect();
      const sent = await alice.say(channel.id, `@${bob.username} and @${dora.username} may hear this`);
      for (const person of [bob, dora]) await told(person, 'message.mention');
      const out = place === 'channel' ? `/api/channels/${channel.id}` : `/api/servers/${server.id}`;
      expect((await alice.delete(`${out}/members/${bob.id}`)).status).to.equal(200);
      const content = `@${bob.username} and @${dora.username}: a secret among us`;
      await alice.patch(`/api/messages/${sent.id}`, { content });
      await told(dora, 'message.mention', ({ body }) => body === content);
      expect(await ear.next('notification:updated')).to.include({ referenceId: sent.id, body: '' });
      expect(await told(bob, 'message.mention')).to.include({ referenceId: sent.id, body: '' });
      const log = JSON.stringify((await bob.get('/api/events?after=0&limit=500')).body);
      expect(log).not.to.match(/a secret among us|may hear this/);
    });
  }

  it('do not come from those whom one blocked', async () => {
    const { alice, bob, channel } = here;
    await bob.put(`/api/friends/blocks/${dora.id}`);
    await dora.say(channel.id, `@${bob.username} hey`);
    await alice.say(channel.id, `@${bob.username} hello`);
    expect(await told(bob, 'message.mention')).to.include({ senderId: alice.id, aggregatedCount: 1 });
  });
});
