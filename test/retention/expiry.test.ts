import { expect } from 'chai';
import { expireUnattended } from '../../src/jobs/retention.jobs.ts';
import { expectError } from '../rest/verdict.ts';
import { until } from '../rig/until.ts';
import type { Loose } from '../world/person.ts';
import { query, withRows } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';
import { grow, keepFor, settled } from './aged.ts';

const secret = 'long-ago-and-away';

const fill = `WITH head AS (UPDATE streams SET last_seq = last_seq + $3 WHERE id = $1 RETURNING last_seq)
  INSERT INTO messages (id, channel_id, seq, author_id, content, created_at, updated_at)
  SELECT gen_random_uuid(), $1, last_seq - $3 + i, $2, 'one of many ' || i, now() - interval '50 days', now()
  FROM head, generate_series(1, $3::int) AS i`;

describe('messages that are older than they are kept', () => {
  let here: World;
  beforeEach(async () => {
    here = await world();
  });
  afterEach(() => here.close());

  const contents = async (channelId = here.channel.id): Promise<string[]> =>
    (await here.bob.get(`/api/channels/${channelId}/messages?include=threads&limit=100`)).body.messages.map(
      ({ content }: Loose) => content,
    );
  const sql = <R extends object>(text: string, values: unknown[] = []) =>
    query<R>(here.cluster.databaseUrl, text, values);

  it('go from wherever they were, with everything that belongs to them', async () => {
    const { alice, bob, channel, server } = here;
    const before = (await bob.get(`/api/channels/${channel.id}/events`)).body.seq;
    const own = (await bob.get('/api/events')).body.seq;
    const file = await alice.upload(`${secret}.txt`, Buffer.from(`${secret} ${channel.id}`));
    const sent = await alice.say(channel.id, `${secret} @${bob.username}`, {
      attachments: [{ id: file.id }],
      metadata: { secret },
    });
    await until(async () => (await bob.get('/api/notifications')).body.length === 1, { message: 'not notified' });
    await bob.post(`/api/messages/${sent.id}/reactions`, { emoji: '👍' });
    await alice.put(`/api/channels/${channel.id}/pins/${sent.id}`);
    await alice.patch(`/api/messages/${sent.id}`, { content: `${secret} @${bob.username}!` });
    const reply = await bob.say(channel.id, 'an answer', { replyToId: sent.id });
    const { url } = (await bob.get(`/api/attachments/${file.id}/media-url`)).body;
    const ears = [await alice.listen(channel.id), await bob.listen(channel.id)];
    await grow(here, channel.id, 31, [sent.id]);
    await keepFor(here, 30);
    for (const ear of ears) {
      const gone = await ear.next('messages:expired');
      expect(gone).to.deep.include({ channelId: channel.id, beforeSeq: sent.seq + 1, threadIds: [] });
      expect(ear.all('message:deleted')).to.deep.equal([]);
    }
    await until(async () => (await bob.get('/api/notifications')).body.length === 0, { message: 'still notified' });

    const [shown] = (await bob.get(`/api/channels/${channel.id}/messages`)).body.messages;
    expect(shown.replyTo).to.deep.equal({ id: sent.id, authorId: alice.id, content: '', deleted: true });
    expect((await bob.get(`/api/messages/${sent.id}`)).status).to.equal(404);
    expect((await bob.get(`/api/messages/${sent.id}/reactions`)).status).to.equal(404);
    expect((await bob.get(`/api/channels/${channel.id}/pins`)).body).to.deep.equal([]);
    expect((await bob.get('/api/search/messages?query=away')).body).to.deep.equal([]);
    expect((await bob.get(`/api/media/${file.id}`)).status).to.equal(404);
    expect((await bob.get(url)).status).to.equal(404);
    const joined = await bob.connect();
    const everything = [
      (await bob.get(`/api/channels/${channel.id}/events?after=${before}&limit=500`)).body,
      (await alice.get(`/api/channels/${channel.id}/events?after=${before}&wait=1`)).body,
      (await bob.get(`/api/events?after=${own}&limit=500`)).body,
      (await bob.get(`/api/servers/${server.id}/channels`)).body,
      await joined.emit('channel:join', { channelId: channel.id, after: before }),
    ];
    for (const part of everything) expect(JSON.stringify(part)).to.not.include(secret);
    const entry = everything[0].events.find(({ seq }: Loose) => seq === sent.seq);
    expect(entry.data).to.deep.include({ id: sent.id, content: '', attachments: [], metadata: null, isDeleted: true });
    expect(await contents()).to.deep.equal([reply.content]);
    // The row that is quoted goes with the last that quotes it.
    const rows = () => sql('SELECT id FROM messages WHERE channel_id = $1', [channel.id]);
    expect(await rows()).to.have.length(2);
    await grow(here, channel.id, 31, [reply.id]);
    await keepFor(here, 29);
    expect(await rows()).to.deep.equal([]);
  });

  it('leave no bytes of their files', async () => {
    const { alice, channel } = here;
    const name = `kept-until-${channel.id}`;
    const file = await alice.upload(`${name}.txt`, Buffer.from(name));
    await alice.say(channel.id, 'a file', { attachments: [{ id: file.id }] });
    const blob = 'SELECT b.id FROM attachments a JOIN blobs b ON b.id = a.blob_id WHERE a.id = $1';
    const [stored] = await sql<{ id: string }>(blob, [file.id]);
    expect(stored).to.not.equal(undefined);
    await grow(here, channel.id, 8);
    await keepFor(here, 7);
    expect(await sql(blob, [file.id])).to.deep.equal([]);
    expect(await sql('SELECT FROM attachments WHERE blob_id = $1', [stored?.id])).to.deep.equal([]);
  });

  it('go in steps, oldest first, while people go on writing', async () => {
    const { alice, bob, channel, cluster } = here;
    const many = 930;
    await sql(fill, [channel.id, alice.id, many]);
    const ears = [await alice.listen(channel.id), await bob.listen(channel.id)];
    const said: string[] = [];
    let expiring = true;
    const talk = async (person: typeof alice) => {
      for (let i = 0; expiring || i < 10; i++) {
        const content = `${person.username} ${i}`;
        await person.say(channel.id, content);
        said.push(content);
      }
    };
    const talking = [talk(alice), talk(bob)];
    await keepFor(here, 30);
    expiring = false;
    await Promise.all(talking);
    const steps = Math.ceil(many / 200);
    for (const ear of ears) {
      await until(() => ear.all('messages:expired').length === steps, { message: 'not told of every step' });
      await until(() => ear.all('message:new').length === said.length, { message: 'not all messages came' });
      const heads = ear.all('messages:expired').map(({ beforeSeq }) => beforeSeq);
      expect(heads).to.deep.equal([...heads].sort((a, b) => a - b));
    }
    const left = await sql<{ content: string }>('SELECT content FROM messages WHERE channel_id = $1', [channel.id]);
    expect(left.map(({ content }) => content).sort()).to.deep.equal(said.sort());
    // Each step was done once, whichever node did it.
    const [{ seq } = { seq: 0 }] = await sql<{ seq: number }>('SELECT expired_seq AS seq FROM channels WHERE id = $1', [
      channel.id,
    ]);
    expect(Number(seq) + 1).to.equal(ears[0]?.all('messages:expired').at(-1)?.beforeSeq);
    expect(cluster.nodes.length).to.be.greaterThan(0);
  });

  it('go although whoever removes them dies in the middle', async () => {
    const { alice, bob, channel } = here;
    await sql(fill, [channel.id, alice.id, 450]);
    const ear = await bob.listen(channel.id);
    await withRows(here.cluster.databaseUrl, async (rows) => {
      await rows('BEGIN');
      await rows('SELECT FROM channels WHERE id = $1 FOR UPDATE', [channel.id]);
      await alice.patch(`/api/servers/${here.server.id}`, { keepMessagesDays: 30 });
      const waiting = `SELECT pg_terminate_backend(pid) AS ended FROM pg_locks
        WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))`;
      await until(async () => (await rows(waiting)).length > 0, { message: 'no step waits' });
      await rows('COMMIT');
    });
    await until(() => ear.all('messages:expired').length === 3, { message: 'not all went' });
    await settled(here, channel.id);
    expect(await sql('SELECT FROM messages WHERE channel_id = $1', [channel.id])).to.deep.equal([]);
  });

  it('are those of the server, unless a channel has its own number', async () => {
    const { alice, bob, channel, server } = here;
    const [forever, short] = [await here.newChannel('forever'), await here.newChannel('short')];
    const set = (id: string, keepMessagesDays: number | null) =>
      alice.patch(`/api/channels/${id}`, { keepMessagesDays });
    expect((await set(forever, 0)).body.keepMessagesDays).to.equal(0);
    expect((await set(short, 3)).body.keepMessagesDays).to.equal(3);
    const dm = (await alice.post('/api/dm/channels', { userId: bob.id })).body;
    for (const id of [channel.id, forever, short, dm.id]) {
      await alice.say(id, 'old');
      await grow(here, id, 20);
      await alice.say(id, 'middle');
      await grow(here, id, 5);
      await alice.say(id, 'new');
    }
    await keepFor(here, 10);
    await set(short, 2);
    await settled(here, short);
    expect(await contents()).to.deep.equal(['new', 'middle']);
    expect(await contents(forever)).to.deep.equal(['new', 'middle', 'old']);
    expect(await contents(short)).to.deep.equal(['new']);
    expect(await contents(dm.id)).to.deep.equal(['new', 'middle', 'old']);
    expectError(await set(dm.id, 5), 'FORBIDDEN');
    // More days bring nothing back, and let nothing more go.
    await keepFor(here, null);
    await grow(here, channel.id, 100);
    await settled(here, channel.id);
    expect(await contents()).to.deep.equal(['new', 'middle']);
    const { body } = await bob.get(`/api/servers/${server.id}`);
    expect(body).to.include({ keepMessagesDays: null, keepEditHistory: false });
    const channels = (await bob.get(`/api/servers/${server.id}/channels`)).body;
    expect(channels.map(({ keepMessagesDays }: Loose) => keepMessagesDays)).to.deep.equal([null, 0, 2]);
    expect((await bob.get(`/api/channels/${dm.id}`)).body.keepMessagesDays).to.equal(null);
  });

  it('go from a channel that is archived, and from one that was made later', async () => {
    const { alice } = here;
    const archived = await here.newChannel('archived');
    await alice.say(archived, 'old');
    await grow(here, archived, 2);
    await alice.post(`/api/channels/${archived}/archive`);
    await keepFor(here, 1, archived);
    expect(await contents(archived)).to.deep.equal([]);
    const later = await here.newChannel('later');
    const waits = await until(
      async () => {
        const jobs = await sql<{ days: number }>(
          `SELECT extract(epoch FROM run_at - now()) / 86400 AS days FROM jobs
           WHERE kind = 'message-expiry' AND key = $1 AND run_at > now()`,
          [later],
        );
        return jobs[0];
      },
      { message: 'nothing looks after the new channel' },
    );
    // Nothing of it can expire before.
    expect(Number(waits.days)).to.be.within(0.9, 1);
    // Nodes of earlier versions make channels without a job; it is added as a node of this one starts.
    await sql("DELETE FROM jobs WHERE kind = 'message-expiry' AND key = $1", [later]);
    await alice.say(later, 'old');
    await grow(here, later, 2);
    await withRows(here.cluster.databaseUrl, expireUnattended);
    await until(async () => (await contents(later)).length === 0, { message: 'nothing looks after it' });
  });

  it('are counted no more as unread, and nobody has read less than before', async () => {
    const { alice, bob, channel } = here;
    const first = await alice.say(channel.id, 'read');
    await bob.put(`/api/channels/${channel.id}/read`, { seq: first.seq });
    for (const content of ['a', 'b', 'c']) await alice.say(channel.id, content);
    await grow(here, channel.id, 9);
    await alice.say(channel.id, 'd');
    const unread = async () => (await bob.get(`/api/channels/${channel.id}`)).body;
    expect((await unread()).unreadCount).to.equal(4);
    await keepFor(here, 8);
    expect(await unread()).to.include({ unreadCount: 1, lastReadSeq: first.seq });
  });

  it('leave threads what is younger, and take along those that are empty', async () => {
    const { alice, bob, channel } = here;
    const begin = async (name?: string) => {
      const parent = await alice.say(channel.id, `${secret} ${name}`);
      const thread = (await alice.post(`/api/messages/${parent.id}/thread`, name ? { name } : {})).body;
      const inside = (await bob.post(`/api/threads/${thread.id}/messages`, { content: `${secret} inside` })).body;
      return { parent, thread, inside };
    };
    const [named, untitled, ending] = [await begin('named'), await begin(), await begin('ending')];
    await grow(here, channel.id, 40);
    for (const { thread } of [named, untitled])
      await bob.post(`/api/threads/${thread.id}/messages`, { content: 'fresh' });
    const ear = await bob.listen(channel.id);
    await keepFor(here, 30);
    expect((await ear.next('messages:expired')).threadIds).to.deep.equal([ending.thread.id]);
    const threads = (await bob.get(`/api/channels/${channel.id}/threads`)).body;
    expect(threads.map(({ name, messageCount }: Loose) => [name, messageCount])).to.deep.equal([
      ['Thread', 1],
      ['named', 1],
    ]);
    expect((await bob.get(`/api/threads/${ending.thread.id}`)).status).to.equal(404);
    const inside = (await bob.get(`/api/threads/${named.thread.id}/messages`)).body;
    expect(inside.map(({ content }: Loose) => content)).to.deep.equal(['fresh']);
    expect(JSON.stringify((await bob.get(`/api/channels/${channel.id}/events?after=0&limit=500`)).body)).to.not.include(
      secret,
    );
    // They end with their last message.
    await grow(here, channel.id, 40);
    await keepFor(here, 29);
    expect((await ear.next('messages:expired', ({ threadIds }) => threadIds.length === 2)).threadIds).to.have.members([
      named.thread.id,
      untitled.thread.id,
    ]);
    expect(await sql('SELECT FROM messages WHERE channel_id = $1', [channel.id])).to.deep.equal([]);
    expect(await sql('SELECT FROM threads WHERE channel_id = $1', [channel.id])).to.deep.equal([]);
  });

  it('wait behind one that is younger, as a clock had it', async () => {
    const { alice, channel } = here;
    const [old, young, other] = [
      await alice.say(channel.id, '1'),
      await alice.say(channel.id, '2'),
      await alice.say(channel.id, '3'),
    ];
    await grow(here, channel.id, 31, [old.id, other.id]);
    await keepFor(here, 30);
    expect(await contents()).to.deep.equal(['3', '2']);
    await grow(here, channel.id, 31, [young.id]);
    await keepFor(here, 29);
    expect(await contents()).to.deep.equal([]);
  });

  it('are decided on by those who may, and counted for them', async () => {
    const { alice, bob, channel, server } = here;
    const [ofServer, ofChannel] = [`/api/servers/${server.id}`, `/api/channels/${channel.id}`];
    for (const path of [ofServer, ofChannel]) {
      const refused = await bob.patch(path, { keepMessagesDays: 5 });
      expectError(refused, 'ROLE_REQUIRED');
      expect(refused.body.requiredPermission).to.equal('retention:set');
      for (const days of [-1, 3651, 1.5, '5']) {
        expectError(await alice.patch(path, { keepMessagesDays: days }), 'VALIDATION_FAILED');
      }
      expectError(await bob.get(`${path}/expiring-messages?days=30`), 'ROLE_REQUIRED');
      expectError(await alice.get(`${path}/expiring-messages?days=0`), 'VALIDATION_FAILED');
    }
    expectError(await alice.patch(ofServer, { keepMessagesDays: 0 }), 'VALIDATION_FAILED');
    await sql(fill, [channel.id, alice.id, 300]);
    await alice.say(channel.id, 'new');
    const count = async (path: string, days: number) =>
      (await alice.get(`${path}/expiring-messages?days=${days}`)).body;
    expect(await count(ofChannel, 30)).to.deep.equal({ messages: 300, isMore: false });
    expect(await count(ofServer, 30)).to.deep.equal({ messages: 250, isMore: true });
    expect(await count(ofServer, 60)).to.deep.equal({ messages: 0, isMore: false });
  });

  it('are published to all when that is decided, and only then', async () => {
    const { alice, bob, channel, server } = here;
    const ear = await bob.listen(channel.id);
    await alice.patch(`/api/servers/${server.id}`, { keepMessagesDays: 90, keepEditHistory: true });
    const told = await ear.next('server:updated');
    expect(told.server).to.include({ keepMessagesDays: 90, keepEditHistory: true });
    await alice.patch(`/api/channels/${channel.id}`, { keepMessagesDays: 9 });
    expect((await ear.next('channel:updated')).channel.keepMessagesDays).to.equal(9);
    await alice.patch(`/api/channels/${channel.id}`, { keepMessagesDays: 9 });
    await alice.patch(`/api/channels/${channel.id}`, { keepMessagesDays: null });
    await ear.next('channel:updated', (event) => event.channel.keepMessagesDays === null);
    expect(ear.all('channel:updated')).to.have.length(2);
  });
});
