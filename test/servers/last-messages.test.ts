import { expect } from 'chai';
import { expectError } from '../rest/verdict.ts';
import { until } from '../rig/until.ts';
import type { Loose, Person } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { register, type World, world } from '../world/world.ts';

/** On several nodes alice and bob are on different ones. */
describe("deleting someone's last messages", () => {
  let here: World;
  const others: Person[] = [];
  beforeEach(async () => {
    here = await world();
  });
  afterEach(() => {
    for (const other of others.splice(0)) other.hangUp();
    here.close();
  });

  async function guest(): Promise<Person> {
    const made = await register(here.bob.node);
    others.push(made);
    const { inviteCode } = (await here.alice.get(`/api/servers/${here.server.id}`)).body;
    expect((await made.post('/api/servers/_/join', { inviteCode })).status).to.equal(200);
    return made;
  }
  const erase = (userId: string, hours: number, who = here.alice) =>
    who.post(`/api/servers/${here.server.id}/members/${userId}/messages/delete`, { hours });
  /** Makes a message as old as that. */
  const age = (id: string, hours: number) =>
    query(
      here.cluster.databaseUrl,
      `UPDATE messages SET created_at = created_at - interval '${hours} hours' WHERE id = '${id}'`,
    );
  const contents = async (channelId: string, path = `/api/channels/${channelId}/messages`): Promise<string[]> => {
    const { body } = await here.alice.get(`${path}?limit=100`);
    return (body.messages ?? body).map(({ content }: Loose) => content);
  };
  const idle = () =>
    until(
      async () => {
        const waiting = await query(
          here.cluster.databaseUrl,
          `SELECT error FROM jobs WHERE kind = 'member-erasure' AND data ->> 'serverId' = '${here.server.id}'`,
        );
        expect(waiting.map(({ error }: Loose) => error).filter(Boolean)).to.deep.equal([]);
        return waiting.length === 0;
      },
      { message: 'the job did not end', timeout: 30_000 },
    );

  it('takes those of these hours in all channels and threads of the server, each with its event, and no others', async () => {
    const { alice, bob, channel, server } = here;
    const hidden = (await alice.post(`/api/servers/${server.id}/channels`, { name: 'h', isPrivate: true })).body;
    await alice.post(`/api/channels/${hidden.id}/members`, { userId: bob.id });
    const old = await bob.say(channel.id, 'old');
    await age(old.id, 5);
    const file = await bob.upload('x.txt', new Uint8Array([65]));
    const parent = await bob.say(channel.id, 'spam 1', { attachments: [{ id: file.id }] });
    const reply = await alice.say(channel.id, 'who is that?', { replyToId: parent.id });
    const thread = (await alice.post(`/api/messages/${reply.id}/thread`)).body;
    await bob.post(`/api/threads/${thread.id}/messages`, { content: 'spam 2' });
    await alice.post(`/api/threads/${thread.id}/messages`, { content: 'in the thread' });
    const inside = await bob.say(hidden.id, 'spam 3');
    for (let i = 0; i < 30; i++) await bob.say(channel.id, `more ${i}`);
    const dm = (await bob.post('/api/dm/channels', { userId: alice.id })).body;
    await bob.post(`/api/dm/channels/${dm.id}/messages`, { content: 'in private' });
    const there = (await alice.post('/api/servers', { name: 'Other' })).body;
    await bob.post('/api/servers/_/join', { inviteCode: there.inviteCode });
    const [general] = (await bob.get(`/api/servers/${there.id}/channels`)).body;
    await bob.say(general.id, 'elsewhere');
    const ear = await alice.listen(channel.id, hidden.id);
    const answer = await erase(bob.id, 2);
    expect([answer.status, answer.body]).to.deep.equal([202, { estimate: 33 }]);
    await idle();
    expect((await contents(channel.id)).sort()).to.deep.equal(['old', 'who is that?']);
    expect(await contents(hidden.id)).to.deep.equal([]);
    expect(await contents('', `/api/threads/${thread.id}/messages`)).to.deep.equal(['in the thread']);
    expect((await alice.get(`/api/threads/${thread.id}`)).body.messageCount).to.equal(1);
    expect((await alice.get(`/api/messages/${reply.id}`)).body.replyTo.deleted).to.equal(true);
    expect((await alice.get(`/api/media/${file.id}`)).status).to.equal(404);
    await ear.next('message:deleted', ({ id }) => id === parent.id);
    await ear.next('message:deleted', ({ id }) => id === inside.id);
    await until(() => ear.all('message:deleted').length === 33);
    expect(await contents('', `/api/dm/channels/${dm.id}/messages`)).to.deep.equal(['in private']);
    expect(await contents(general.id)).to.deep.equal(['elsewhere']);
  });

  it('leaves what they write meanwhile', async () => {
    const { bob, channel } = here;
    for (let i = 0; i < 25; i++) await bob.say(channel.id, `spam ${i}`);
    expect((await erase(bob.id, 1)).status).to.equal(202);
    await bob.say(channel.id, 'sorry');
    await idle();
    expect(await contents(channel.id)).to.deep.equal(['sorry']);
  });

  it('goes with a ban, also of someone who has left', async () => {
    const { alice, bob, channel, server } = here;
    const gone = await guest();
    await bob.say(channel.id, 'spam of bob');
    await gone.say(channel.id, 'spam of another');
    await gone.post(`/api/servers/${server.id}/leave`);
    for (const { id } of [bob, gone]) {
      const ban = { userId: id, deleteMessageHours: 24 };
      expect((await alice.post(`/api/servers/${server.id}/bans`, ban)).status).to.equal(201);
    }
    await idle();
    expect(await contents(channel.id)).to.deep.equal([]);
    expectError(
      await alice.post(`/api/servers/${server.id}/bans`, { userId: gone.id, deleteMessageHours: 0 }),
      'VALIDATION_FAILED',
    );
  });

  it('is for those who may delete them, of those whom they outrank and of those who are no members', async () => {
    const { alice, bob, carol, channel, server } = here;
    const [moderator, member] = [await guest(), await guest()];
    await alice.patch(`/api/servers/${server.id}/members/${moderator.id}`, { role: 'moderator' });
    await alice.patch(`/api/servers/${server.id}/members/${bob.id}`, { role: 'moderator' });
    expectError(await erase(bob.id, 1, member), 'ROLE_REQUIRED');
    for (const whom of [alice, bob]) expectError(await erase(whom.id, 1, moderator), 'ROLE_REQUIRED');
    expectError(await erase(bob.id, 1, carol), 'SERVER_NOT_FOUND');
    expectError(await erase(crypto.randomUUID(), 1), 'USER_NOT_FOUND');
    for (const hours of [0, 169, 1.5]) expectError(await erase(bob.id, hours), 'VALIDATION_FAILED');
    await member.say(channel.id, 'spam');
    await member.post(`/api/servers/${server.id}/leave`);
    expect((await erase(member.id, 1, moderator)).body).to.deep.equal({ estimate: 1 });
    await idle();
    expect(await contents(channel.id)).to.deep.equal([]);
  });

  it('looks through long channels piece by piece', async () => {
    const { alice, bob, channel, cluster } = here;
    const first = await bob.say(channel.id, 'spam');
    // Thousands of messages of others lie above it.
    await query(
      cluster.databaseUrl,
      `WITH head AS (UPDATE streams SET last_seq = last_seq + 2500 WHERE id = '${channel.id}' RETURNING last_seq - 2500 AS seq)
       INSERT INTO messages (id, channel_id, seq, author_id, content, created_at, updated_at)
       SELECT gen_random_uuid(), '${channel.id}', head.seq + n, '${alice.id}', 'talk', now(), now()
       FROM head, generate_series(1, 2500) AS n`,
    );
    expect((await erase(bob.id, 1)).body).to.deep.equal({ estimate: 0 });
    await idle();
    expect((await alice.get(`/api/messages/${first.id}`)).status).to.equal(404);
  });
});
