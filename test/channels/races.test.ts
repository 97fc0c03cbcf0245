import { expect } from 'chai';
import pg from 'pg';
import { until } from '../rig/until.ts';
import { botIn } from '../world/bot.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import type { Answer } from '../world/person.ts';
import { type World, world } from '../world/world.ts';

/** How many wait for a lock. To be looked at from outside: within a transaction it would stay as it was at the first look. */
const waiting = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
/** Those alone that wait for a log: whatever else waits just then is not of the test. */
const waitingForLog = `${waiting} AND query LIKE '%streams%'`;

describe('at the same moment', () => {
  let cluster: Cluster;
  let here: World;
  let client: pg.Client;
  let onlooker: pg.Client;
  before(async () => {
    // Who waits for a log that is locked starts over after two thirds of this, behind the others: not on a busy machine.
    cluster = await startCluster({ settings: { database: { idleTransactionMs: 60_000 } } });
  });
  after(() => cluster.stop());
  beforeEach(async () => {
    here = await world(cluster);
    client = new pg.Client(here.cluster.databaseUrl);
    onlooker = new pg.Client(here.cluster.databaseUrl);
    await Promise.all([client.connect(), onlooker.connect()]);
  });
  afterEach(async () => {
    await Promise.all([client.end(), onlooker.end()]);
    here.close();
  });

  /** Acts while a transaction that did `sql` is under way; that is committed when it is waited for. */
  async function during(sql: string, values: string[], act: () => Promise<Answer>): Promise<Answer> {
    let isAnswered = false;
    await client.query('BEGIN');
    await client.query(sql, values);
    const acting = act().finally(() => {
      isAnswered = true;
    });
    await until(async () => isAnswered || ((await onlooker.query(waiting)).rowCount ?? 0) > 0);
    await client.query('COMMIT');
    return acting;
  }

  describe('a channel that is made while something else happens to its server', () => {
    const createDuring = (sql: string, values: string[]) =>
      during(sql, values, () => here.alice.post(`/api/servers/${here.server.id}/channels`, { name: 'novelty' }));

    it('is told to those who join, unless they find it', async () => {
      const { carol, server } = here;
      const join = `WITH joined AS (INSERT INTO server_members (server_id, user_id, role, joined_at) VALUES ($1, $2, 'member', now()))
      UPDATE servers SET member_count = member_count + 1 WHERE id = $1`;
      expect((await createDuring(join, [server.id, carol.id])).status).to.equal(201);
      const told = (await carol.get('/api/events?after=0')).body.events;
      expect(told.map(({ event }: { event: string }) => event)).to.include('channel:created');
    });

    it('is not made in one that is deleted', async () => {
      const { status, body } = await createDuring('DELETE FROM servers WHERE id = $1', [here.server.id]);
      expect([status, body.code]).to.deep.equal([404, 'SERVER_NOT_FOUND']);
    });
  });

  describe('what is to belong to something that is being deleted', () => {
    const acts: Record<string, (world: World, agentId: string) => Promise<Answer>> = {
      member: ({ carol, server }) => carol.post('/api/servers/_/join', { inviteCode: server.inviteCode }),
      'join request': ({ carol, server }) => carol.post(`/api/servers/${server.id}/join-requests`),
      app: ({ alice, server }) =>
        alice.post(`/api/servers/${server.id}/apps`, { name: 'App', slug: 'app', type: 'html', htmlContent: '<p>' }),
      policy: ({ alice, server }, agentId) =>
        alice.put(`/api/agents/${agentId}/policies`, { serverId: server.id, mode: 'disabled' }),
      token: ({ alice }, agentId) => alice.post(`/api/agents/${agentId}/token`),
      webhook: ({ alice }, agentId) =>
        alice.put(`/api/agents/${agentId}/webhook`, { url: 'https://bot.example.com/hook' }),
    };
    const losers = { servers: ['member', 'join request', 'app', 'policy'], agents: ['policy', 'token', 'webhook'] };

    for (const [table, names] of Object.entries(losers)) {
      for (const name of names) {
        it(`does not find it: ${name} of ${table}`, async () => {
          const { agentId } = await botIn(here.server, here.alice);
          const id = table === 'servers' ? here.server.id : agentId;
          const act = acts[name];
          const answer = await during(`DELETE FROM ${table} WHERE id = $1`, [id], async () =>
            act ? act(here, agentId) : expect.fail(name),
          );
          const code = table === 'servers' ? 'SERVER_NOT_FOUND' : 'AGENT_NOT_FOUND';
          expect([answer.status, answer.body.code]).to.deep.equal([404, code]);
        });
      }
    }
  });

  describe('what is done to a message in a channel that is being archived', () => {
    const acts: Record<string, (alice: World['alice'], messageId: string) => Promise<Answer>> = {
      edit: (alice, id) => alice.patch(`/api/messages/${id}`, { content: 'anew' }),
      reaction: (alice, id) => alice.post(`/api/messages/${id}/reactions`, { emoji: '👍' }),
      pin: (alice, id) => alice.post(`/api/messages/${id}/pin`),
      thread: (alice, id) => alice.post(`/api/messages/${id}/thread`),
    };
    for (const [name, act] of Object.entries(acts)) {
      it(`is refused, as it is right after: ${name}`, async () => {
        const { alice, channel } = here;
        const { id } = await alice.say(channel.id, 'hello');
        const close = 'UPDATE streams SET is_closed = true WHERE id = $1';
        const { status, body } = await during(close, [channel.id], () => act(alice, id));
        expect([status, body.code]).to.deep.equal([409, 'CHANNEL_ARCHIVED']);
      });
    }
  });

  describe('whoever comes in while asking to be let in', () => {
    /** Asks while the request is held back, and comes in before it is made or after that. @returns what is left to decide */
    async function askAnd(asks: string, channelId: string | null, comeIn: () => Promise<Answer>, who: World['alice']) {
      const { alice, server } = here;
      const count = async () => (await onlooker.query(waiting)).rowCount ?? 0;
      await client.query('BEGIN');
      await client.query(
        `INSERT INTO join_requests (id, server_id, channel_id, user_id, status, created_at, updated_at)
         VALUES (gen_random_uuid(), $1, $2, $3, 'pending', now(), now())`,
        [server.id, channelId, who.id],
      );
      const asking = who.post(asks);
      await until(async () => (await count()) > 0);
      let isIn = false;
      const coming = comeIn().finally(() => {
        isIn = true;
      });
      await until(async () => isIn || (await count()) > 1);
      await client.query('ROLLBACK');
      await asking;
      expect((await coming).status).to.be.oneOf([200, 201]);
      return (await alice.get(`/api/servers/${server.id}/join-requests`)).body;
    }

    it('has nothing left to ask for in a server', async () => {
      const { carol, server } = here;
      const join = () => carol.post('/api/servers/_/join', { inviteCode: server.inviteCode });
      expect(await askAnd(`/api/servers/${server.id}/join-requests`, null, join, carol)).to.deep.equal([]);
    });

    it('has nothing left to ask for in a channel', async () => {
      const { alice, bob, server } = here;
      const { id } = (await alice.post(`/api/servers/${server.id}/channels`, { name: 'h', isPrivate: true })).body;
      const add = () => alice.post(`/api/channels/${id}/members`, { userId: bob.id });
      expect(await askAnd(`/api/channels/${id}/join-requests`, id, add, bob)).to.deep.equal([]);
    });
  });

  describe('what several do', () => {
    /**
     * Does it three times: none can end before each has come as far as it gets. @param most how many of them wait in the
     * database; the others wait for their turn in the node
     */
    async function thrice(held: string, act: () => Promise<Answer>, most = 3): Promise<number[]> {
      await client.query('BEGIN');
      await client.query('SELECT FROM streams WHERE id = $1 FOR UPDATE', [held]);
      const acts = [act(), act(), act()];
      await until(async () => ((await onlooker.query(waiting)).rowCount ?? 0) >= most);
      await client.query('COMMIT');
      return (await Promise.all(acts)).map(({ status }) => status).sort();
    }

    it('lets someone into a channel once and out of it once, and says so once', async () => {
      const { alice, bob, server } = here;
      const ear = await bob.connect();
      const hidden = (await alice.post(`/api/servers/${server.id}/channels`, { name: 'h', isPrivate: true })).body;
      const members = `/api/channels/${hidden.id}/members`;
      const added = await thrice(hidden.id, () => alice.post(members, { userId: bob.id }));
      expect(added).to.deep.equal([200, 200, 201]);
      const removed = await thrice(hidden.id, () => alice.delete(`${members}/${bob.id}`));
      expect(removed).to.deep.equal([200, 404, 404]);
      await alice.post(members, { userId: bob.id });
      await until(() => ear.all('channel:member-added').length > 1);
      const told = (await bob.get('/api/events?after=0')).body.events.map(({ event }: { event: string }) => event);
      expect(told.filter((event: string) => event.startsWith('channel:member-'))).to.deep.equal([
        'channel:member-added',
        'channel:member-removed',
        'channel:member-added',
      ]);
    });

    it('ends a bot once', async () => {
      const { alice, server, channel } = here;
      const { agentId } = await botIn(server, alice);
      const ended = await thrice(channel.id, () => alice.delete(`/api/agents/${agentId}`));
      expect(ended).to.deep.equal([200, 404, 404]);
      expect((await alice.delete(`/api/agents/${agentId}`)).body.code).to.equal('AGENT_NOT_FOUND');
    });

    it('is not sent to a channel any more behind the word that it is archived', async () => {
      const { alice, bob, channel } = here;
      const before = await alice.say(channel.id, 'before');
      const waitFor = (count: number) =>
        until(async () => ((await onlooker.query(waitingForLog)).rowCount ?? 0) >= count);
      const messages = `/api/channels/${channel.id}/messages`;
      for (const body of [{ content: 'plain' }, { content: 'a reply', replyToId: before.id }]) {
        await client.query('BEGIN');
        await client.query('SELECT FROM streams WHERE id = $1 FOR UPDATE', [channel.id]);
        const archiving = alice.post(`/api/channels/${channel.id}/archive`);
        await waitFor(1);
        // Let in, since the channel is not archived yet.
        const sending = bob.post(messages, body);
        await waitFor(2);
        await client.query('COMMIT');
        expect((await archiving).body.isArchived).to.equal(true);
        expect((await sending).body.code).to.equal('CHANNEL_ARCHIVED');
        const { events } = (await bob.get(`/api/channels/${channel.id}/events?after=0`)).body;
        expect(events.at(-1).event).to.equal('channel:updated');
        await alice.post(`/api/channels/${channel.id}/unarchive`);
        expect((await bob.post(messages, { content: 'after' })).status).to.equal(201);
      }
    });

    for (const kind of ['channels', 'servers'] as const) {
      it(`is not sent any more behind the word that it is gone: ${kind}`, async () => {
        const { alice, bob, channel, server } = here;
        const waitFor = (count: number) =>
          until(async () => ((await onlooker.query(waitingForLog)).rowCount ?? 0) >= count);
        await client.query('BEGIN');
        await client.query('SELECT FROM streams WHERE id = $1 FOR UPDATE', [channel.id]);
        const deleting = alice.delete(`/api/${kind}/${kind === 'channels' ? channel.id : server.id}`);
        await waitFor(1);
        const sending = bob.post(`/api/channels/${channel.id}/messages`, { content: 'too late' });
        await waitFor(2);
        await client.query('COMMIT');
        expect((await deleting).status).to.equal(200);
        expect((await sending).body.code).to.equal('CHANNEL_NOT_FOUND');
      });
    }

    it('is left by each once', async () => {
      const { alice, bob, server, channel } = here;
      // Who asks after all is over can still see it.
      await alice.patch(`/api/servers/${server.id}`, { isPublic: true });
      const left = await thrice(channel.id, () => bob.post(`/api/servers/${server.id}/leave`), 2);
      expect(left).to.deep.equal([200, 403, 403]);
    });
  });
});
