// nodes: own

import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { botIn } from '../world/bot.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { Person, request } from '../world/person.ts';
import { query, withRows } from '../world/sql.ts';
import { register, type World, world } from '../world/world.ts';

/** All changes here are plain SQL: no node is told of any, and what it knows would be trusted for a minute. */
describe('what nobody tells a node of', () => {
  let cluster: Cluster;
  let here: World;
  before(async () => {
    cluster = await startCluster({
      nodes: 1,
      settings: { modelUpstream: { url: 'http://127.0.0.1:9', key: 'the-key', models: ['small'] } },
    });
  });
  after(() => cluster.stop());
  beforeEach(async () => {
    here = await world(cluster);
  });
  afterEach(() => here.close());

  const sql = (text: string, ...values: unknown[]) => query(cluster.databaseUrl, text, values);
  const sending = (person: Person) => () =>
    person.post(`/api/channels/${here.channel.id}/messages`, { content: 'so?' });

  /** What is asked for is answered by `code`, or well where it is null, once the node has found out about a change. */
  async function turns(
    ask: () => Promise<{ status: number; body: { code?: string } }>,
    code: string | null,
    change: () => Promise<unknown>,
  ) {
    const codeOf = async () => {
      const { status, body } = await ask();
      return status < 300 ? null : (body.code ?? status);
    };
    expect(await codeOf(), 'before').to.not.equal(code);
    await change();
    await until(async () => (await codeOf()) === code, { message: `It was not answered by ${code}` });
  }

  it('is that somebody has another name, or is gone', async () => {
    const { alice, bob, channel } = here;
    const listener = await alice.listen(channel.id);
    await sending(bob)();
    await sql("UPDATE users SET display_name = 'Robert' WHERE id = $1", bob.id);
    await until(async () => (await sending(bob)()).body.author.displayName === 'Robert');
    await listener.next('message:new', ({ author }) => author.displayName === 'Robert');
    await turns(sending(bob), 'ACCESS_TOKEN_INVALID', () =>
      sql('UPDATE users SET deleted_at = now() WHERE id = $1', bob.id),
    );
  });

  it('is that a session has ended, whose sockets end with it', async () => {
    const { bob } = here;
    const socket = await bob.connect();
    await turns(sending(bob), 'SESSION_REVOKED', () =>
      sql('UPDATE sessions SET revoked_at = now() WHERE user_id = $1', bob.id),
    );
    await until(() => socket.socket.disconnected);
    expect(socket.all('auth:session-revoked')).to.have.lengthOf(1);
  });

  it('is that a session, a personal token or a token for models is no more', async () => {
    const { alice, bob } = here;
    await turns(sending(bob), 'ACCESS_TOKEN_INVALID', () => sql('DELETE FROM sessions WHERE user_id = $1', bob.id));
    const { token } = (await alice.post('/api/tokens', { name: 'script', scope: 'user:write' })).body;
    const script = new Person(alice.node, { ...alice, token });
    await turns(sending(script), 'INSUFFICIENT_PAT_SCOPE', () =>
      sql("UPDATE personal_tokens SET scope = 'user:read' WHERE user_id = $1", alice.id),
    );
    await turns(sending(script), 'PAT_TOKEN_INVALID', () =>
      sql('UPDATE personal_tokens SET revoked_at = now() WHERE user_id = $1', alice.id),
    );
    const minted = (await alice.post('/api/ai/tokens', { runtimeId: 'runtime' })).body;
    const models = async () => {
      const answer = await request(alice.node, 'GET', '/api/ai/v1/models', undefined, {
        authorization: `Bearer ${minted.token}`,
      });
      return { status: answer.status, body: answer.status === 200 ? {} : answer.body.error };
    };
    await turns(models, 'ACCESS_TOKEN_INVALID', () => sql('DELETE FROM model_tokens WHERE user_id = $1', alice.id));
  });

  it('is that a bot is stopped, may not reply, or has no token any more', async () => {
    const { alice, server, channel } = here;
    const bot = await botIn(server, alice);
    await turns(sending(bot), 'AGENT_STOPPED', () =>
      sql("UPDATE agents SET status = 'stopped' WHERE id = $1", bot.agentId),
    );
    await turns(sending(bot), null, () => sql("UPDATE agents SET status = 'running' WHERE id = $1", bot.agentId));
    await alice.put(`/api/agents/${bot.agentId}/policies`, { channelId: channel.id, reply: true });
    await turns(sending(bot), 'FORBIDDEN', () =>
      sql('UPDATE agent_policies SET reply = false WHERE agent_id = $1', bot.agentId),
    );
    await turns(sending(bot), null, () => sql('DELETE FROM agent_policies WHERE agent_id = $1', bot.agentId));
    await turns(sending(bot), 'ACCESS_TOKEN_INVALID', () =>
      sql('DELETE FROM agent_tokens WHERE agent_id = $1', bot.agentId),
    );
  });

  it('is that a channel is another one, or that its server is not for everyone', async () => {
    const { bob, carol, server, channel } = here;
    await turns(sending(bob), 'ROLE_REQUIRED', () =>
      sql("UPDATE channels SET type = 'announcement' WHERE id = $1", channel.id),
    );
    await turns(sending(bob), 'CHANNEL_ARCHIVED', () =>
      sql('UPDATE channels SET is_archived = true WHERE id = $1', channel.id),
    );
    const look = () => carol.get(`/api/channels/${channel.id}`);
    await turns(look, null, () => sql('UPDATE servers SET is_public = true WHERE id = $1', server.id));
    await turns(look, 'CHANNEL_NOT_FOUND', () => sql('UPDATE servers SET is_public = false WHERE id = $1', server.id));
  });

  it('is that somebody has another role, or is no longer there', async () => {
    const { bob, server, channel } = here;
    const rename = () => bob.patch(`/api/channels/${channel.id}`, { name: 'renamed' });
    await turns(rename, null, () =>
      sql("UPDATE server_members SET role = 'admin' WHERE server_id = $1 AND user_id = $2", server.id, bob.id),
    );
    await turns(sending(bob), 'NOT_A_MEMBER', () =>
      sql(
        'INSERT INTO channel_members (channel_id, user_id, joined_at, excluded) VALUES ($1, $2, now(), true)',
        channel.id,
        bob.id,
      ),
    );
    await turns(sending(bob), null, () =>
      sql('UPDATE channel_members SET excluded = false WHERE channel_id = $1 AND user_id = $2', channel.id, bob.id),
    );
    await turns(sending(bob), 'CHANNEL_NOT_FOUND', () =>
      sql('DELETE FROM server_members WHERE server_id = $1 AND user_id = $2', server.id, bob.id),
    );
  });

  it('is that a thread is archived, or that somebody has blocked somebody', async () => {
    const { alice, bob, channel } = here;
    const parent = await alice.say(channel.id, 'what do you think?');
    const thread = (await alice.post(`/api/messages/${parent.id}/thread`)).body;
    const reply = () => bob.post(`/api/threads/${thread.id}/messages`, { content: 'well' });
    await turns(reply, 'THREAD_ARCHIVED', () => sql('UPDATE threads SET is_archived = true WHERE id = $1', thread.id));
    const dm = (await alice.post('/api/dm/channels', { userId: bob.id })).body;
    const write = () => bob.post(`/api/channels/${dm.id}/messages`, { content: 'hello?' });
    await turns(write, 'BLOCKED', () => sql('INSERT INTO blocks VALUES ($1, $2, now())', alice.id, bob.id));
    await turns(write, null, () => sql('DELETE FROM blocks WHERE user_id = $1', alice.id));
    await turns(write, 'FORBIDDEN', () => sql('UPDATE users SET deleted_at = now() WHERE id = $1', alice.id));
  });

  it('is found also when it was made by somebody who looks for tables elsewhere', async () => {
    const { bob } = here;
    await turns(sending(bob), 'SESSION_REVOKED', () =>
      withRows(cluster.databaseUrl, async (rows) => {
        await rows("SET search_path = ''");
        await rows('UPDATE public.sessions SET revoked_at = now() WHERE user_id = $1', [bob.id]);
      }),
    );
  });

  it('is found also when it is committed long after it was made', async () => {
    const { bob, server } = here;
    const other = await register(bob.node);
    await sending(bob)();
    await withRows(cluster.databaseUrl, async (rows) => {
      await rows('BEGIN');
      await rows("UPDATE server_members SET role = 'owner' WHERE server_id = $1 AND user_id = $2", [server.id, bob.id]);
      // What was changed later, and committed before, has been found by then.
      await turns(
        () => other.get('/api/auth/me'),
        'SESSION_REVOKED',
        () => sql('UPDATE sessions SET revoked_at = now() WHERE user_id = $1', other.id),
      );
      const rename = () => bob.patch(`/api/channels/${here.channel.id}`, { name: 'renamed' });
      await turns(rename, null, () => rows('COMMIT'));
    });
  });
});
