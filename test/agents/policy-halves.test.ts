import { expect } from 'chai';
import { migratingOrm } from '../../src/database/migrating.ts';
import { migrate } from '../../src/database/up-to-date.ts';
import { createLog } from '../../src/infrastructure/log.ts';
import { createDatabase } from '../rig/postgres.ts';
import { type Bot, botIn } from '../world/bot.ts';
import type { Answer, Loose, Person } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

/** On several nodes the bot's owner and the server's admin are on different ones. */
describe("what a bot's owner sets and what the server's admins set", () => {
  let here: World;
  const bots: Bot[] = [];
  before(async () => {
    here = await world();
  });
  after(() => {
    for (const robot of bots) robot.hangUp();
    here.close();
  });

  async function robot(owner: Person = here.bob): Promise<Bot> {
    const made = await botIn(here.server, owner);
    bots.push(made);
    return made;
  }
  const inChannel = (made: Bot) => `/api/channels/${here.channel.id}/agents/${made.agentId}/policy`;
  const inServer = (made: Bot) => `/api/servers/${here.server.id}/agents/${made.agentId}/policy`;
  const say = (made: Bot, node = here.alice.node) =>
    made.on(node).post(`/api/channels/${here.channel.id}/messages`, { content: 'may I?' });
  const code = ({ status, body }: Answer) => [status, body.code];
  const open = { mode: 'replyAll', reply: true, mentionOnly: false, listen: true, config: {} };

  it('is stored apart: the stricter holds, and each sees both', async () => {
    const { alice, bob } = here;
    const made = await robot();
    await bob.put(inChannel(made), { mode: 'mentionOnly', config: { tone: 'dry', owner: 1 } });
    const { body } = await alice.put(inChannel(made), { mode: 'custom', listen: true, config: { tone: 'kind' } });
    expect(body).to.include({ mode: 'mentionOnly', mentionOnly: true, reply: true, listen: true });
    expect(body.config).to.deep.equal({ tone: 'kind', owner: 1 });
    expect(body.owner).to.include({ mode: 'mentionOnly', mentionOnly: true });
    expect(body.server).to.include({ mode: 'custom', mentionOnly: false });
    await alice.put(inChannel(made), { mode: 'disabled' });
    for (const who of [alice, bob, made]) {
      const seen = (await who.get(inChannel(made))).body;
      expect(seen).to.include({ mode: 'disabled', reply: false, mentionOnly: true, listen: true });
      expect([seen.owner.mode, seen.server.mode]).to.deep.equal(['mentionOnly', 'disabled']);
    }
    const [record] = (await bob.get(`/api/agents/${made.agentId}/policies`)).body;
    expect([record.mode, record.owner.mode, record.server.mode]).to.deep.equal(['disabled', 'mentionOnly', 'disabled']);
  });

  it('an owner undoes nothing that admins have set, in whatever way, not even after coming back', async () => {
    const { alice, bob, server, channel } = here;
    const made = await robot();
    const ear = await made.listen(channel.id);
    await alice.put(inChannel(made), { mode: 'disabled', listen: false });
    const list = `/api/agents/${made.agentId}/policies`;
    await bob.put(inChannel(made), { mode: 'replyAll' });
    await bob.put(list, { channelId: channel.id, mode: 'replyAll', listen: true });
    await bob.put(list, { serverId: server.id, mode: 'replyAll' });
    const set = (await bob.get(list)).body.find(({ channelId }: Loose) => channelId === channel.id);
    expect(set).to.include({ mode: 'disabled', listen: false });
    expect((await bob.delete(`${list}/${set.id}`)).status).to.equal(200);
    expect(code(await bob.delete(`${list}/${set.id}`))).to.deep.equal([403, 'FORBIDDEN']);
    expect(code(await bob.put(inChannel(made), { mode: 'replyAll', setBy: 'server' }))).to.deep.equal([
      403,
      'ROLE_REQUIRED',
    ]);
    await alice.delete(`/api/servers/${server.id}/members/${bob.id}`);
    expect(code(await bob.put(inChannel(made), { mode: 'replyAll' }))).to.deep.equal([404, 'CHANNEL_NOT_FOUND']);
    expect(code(await bob.put(list, { serverId: server.id, mode: 'replyAll' }))).to.deep.equal([
      404,
      'SERVER_NOT_FOUND',
    ]);
    const { inviteCode } = (await alice.get(`/api/servers/${server.id}`)).body;
    await bob.post('/api/servers/_/join', { inviteCode });
    await bob.post(`/api/servers/${server.id}/agents`, { agentIds: [made.agentId] });
    for (const node of here.cluster.nodes) expect((await say(made, node)).status).to.equal(403);
    await alice.say(channel.id, 'not for it');
    expect(ear.all('message:new')).to.deep.equal([]);
    await alice.put(inChannel(made), { mode: 'replyAll' });
    for (const node of here.cluster.nodes) expect((await say(made, node)).status).to.equal(201);
  });

  it("the server's default restricts every channel; the owner's policy of a channel does not lift it", async () => {
    const { alice, bob } = here;
    const made = await robot();
    await bob.put(inChannel(made), { mode: 'replyAll' });
    expect(code(await bob.put(inServer(made), { mode: 'replyAll' }))).to.deep.equal([403, 'ROLE_REQUIRED']);
    const { body } = await alice.put(inServer(made), { mode: 'disabled' });
    expect(body).to.deep.include({ ...open, mode: 'disabled', reply: false, owner: null });
    expect(code(await say(made))).to.deep.equal([403, 'FORBIDDEN']);
    await bob.put(inChannel(made), { mode: 'replyAll' });
    expect(code(await say(made))).to.deep.equal([403, 'FORBIDDEN']);
    expect((await bob.get(inServer(made))).body.server.mode).to.equal('disabled');
    // Admins make an exception for one channel.
    await alice.put(inChannel(made), { mode: 'replyAll' });
    expect((await say(made)).status).to.equal(201);
    await alice.put(inServer(made), { mode: 'replyAll' });
    expect((await say(made)).status).to.equal(201);
  });

  it('an admin who owns the bot sets the own half, or the other if that is said', async () => {
    const { alice } = here;
    const made = await robot(alice);
    await alice.put(inChannel(made), { mode: 'mentionOnly' });
    const { body } = await alice.put(inChannel(made), { mode: 'disabled', setBy: 'server' });
    expect([body.owner.mode, body.server.mode]).to.deep.equal(['mentionOnly', 'disabled']);
  });

  it('bots decide nothing about bots, be they admins', async () => {
    const { alice, server } = here;
    const made = await robot();
    await alice.patch(`/api/servers/${server.id}/members/${made.id}`, { role: 'admin' });
    await alice.put(inServer(made), { mode: 'mentionOnly' });
    const seat = `/api/servers/${server.id}/agents/${made.agentId}`;
    for (const answer of [
      await made.put(inServer(made), { mode: 'replyAll' }),
      await made.put(inChannel(made), { mode: 'replyAll' }),
      await made.put(`${seat}/keep`),
      await made.put(`${seat}/rights`, { workspaceWrite: true }),
    ]) {
      expect(code(answer)).to.deep.equal([403, 'ROLE_REQUIRED']);
    }
  });

  it('what an older node writes beside this one is split: it lifts nothing, and what it restricts holds for both', async () => {
    const { alice, bob, channel, server, cluster } = here;
    const [made, other] = [await robot(), await robot()];
    const write = (id: string, reply: boolean, listen: boolean) =>
      query(
        cluster.databaseUrl,
        `INSERT INTO agent_policies (id, agent_id, server_id, channel_id, mode, mention_only, reply, listen, config,
           created_at, updated_at) VALUES (gen_random_uuid(), '${id}', '${server.id}', '${channel.id}',
           '${reply ? 'replyAll' : 'disabled'}', false, ${reply}, ${listen}, '{}', now(), now())
         ON CONFLICT (agent_id, channel_id) WHERE channel_id IS NOT NULL DO UPDATE SET mode = excluded.mode,
           reply = excluded.reply, listen = excluded.listen`,
      );
    await alice.put(inChannel(made), { mode: 'disabled', listen: false });
    await write(made.agentId, true, true);
    await alice.put(inServer(other), { mode: 'disabled' });
    await write(other.agentId, true, true);
    for (const one of [made, other]) {
      const [row] = await query<Loose>(
        cluster.databaseUrl,
        `SELECT reply, owner_half ->> 'mode' AS owner FROM agent_policies
         WHERE agent_id = '${one.agentId}' AND channel_id IS NOT NULL`,
      );
      expect(row).to.deep.equal({ reply: false, owner: 'replyAll' });
    }
    await alice.put(inServer(other), { mode: 'replyAll' });
    await write(other.agentId, false, true);
    await bob.put(inChannel(other), { mode: 'replyAll' });
    expect((await bob.get(inChannel(other))).body).to.include({ mode: 'disabled', reply: false });
  });
});

describe('policies of before', () => {
  it("are the owner's, and the server's too where they restrict a bot in a channel", async () => {
    const database = await createDatabase();
    const orm = await migratingOrm(database.url);
    await orm.migrator.up({ to: '0074-bans' });
    await orm.close(true);
    const user = (n: number) => `00000000-0000-4000-8000-00000000000${n}`;
    const agent = (n: number) => `00000000-0000-4000-8000-00000000001${n}`;
    const [server, channel] = ['00000000-0000-4000-8000-000000000020', '00000000-0000-4000-8000-000000000021'];
    const person = (n: number, isBot: boolean) =>
      `INSERT INTO users (id, username, username_key, display_name, is_bot, tier, created_at, updated_at)
       VALUES ('${user(n)}', 'user-${n}', 'user-${n}', 'User', ${isBot}, 'member', now(), now())`;
    const policy = (n: number, of: string | null, mode: string, listen: boolean) =>
      `INSERT INTO agent_policies (id, agent_id, server_id, channel_id, mode, mention_only, reply, listen, config, created_at,
         updated_at) VALUES (gen_random_uuid(), '${agent(n)}', '${server}', ${of && `'${of}'`}, '${mode}', false,
         ${mode !== 'disabled'}, ${listen}, '{"a": 1}', now(), now())`;
    for (const text of [
      ...[person(1, false), person(2, false), person(3, true), person(4, true)],
      `INSERT INTO servers (id, name, owner_id, invite_code, created_at, updated_at)
       VALUES ('${server}', 'Old', '${user(1)}', 'code', now(), now())`,
      `INSERT INTO server_members (server_id, user_id, role, joined_at) VALUES
       ('${server}', '${user(1)}', 'owner', now()), ('${server}', '${user(2)}', 'member', now())`,
      `INSERT INTO channels (id, server_id, kind, name, type, position, created_at, updated_at)
       VALUES ('${channel}', '${server}', 'server', 'general', 'text', 0, now(), now())`,
      ...[3, 4].map(
        (n) => `INSERT INTO agents (id, user_id, owner_id, status, config, created_at, updated_at)
          VALUES ('${agent(n)}', '${user(n)}', '${user(n - 2)}', 'running', '{}', now(), now())`,
      ),
      policy(3, channel, 'disabled', false),
      policy(4, channel, 'disabled', false),
      policy(4, null, 'disabled', true),
    ]) {
      await query(database.url, text);
    }
    await migrate(database.url, createLog('silent'));
    const rows = await query<Loose>(
      database.url,
      `SELECT agent_id, channel_id IS NULL AS standard, mode, listen, config, owner_half ->> 'mode' AS owner,
         server_half ->> 'listen' AS server FROM agent_policies ORDER BY 1, 2`,
    );
    const config = { a: 1 };
    expect(rows).to.deep.equal([
      { agent_id: agent(3), standard: false, mode: 'disabled', listen: false, config, owner: 'disabled', server: null },
      {
        agent_id: agent(4),
        standard: false,
        mode: 'disabled',
        listen: false,
        config,
        owner: 'disabled',
        server: 'false',
      },
      { agent_id: agent(4), standard: true, mode: 'disabled', listen: true, config, owner: 'disabled', server: null },
    ]);
    await database.drop();
  });
});
