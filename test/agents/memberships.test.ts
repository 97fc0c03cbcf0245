import { expect } from 'chai';
import { type Bot, bot, botIn } from '../world/bot.ts';
import type { Loose, Person } from '../world/person.ts';
import { type World, world } from '../world/world.ts';

describe('bots among the members', () => {
  let here: World;

  before(async () => {
    here = await world();
  });
  after(() => here.close());

  it('are shown with the agent behind them, people without one', async () => {
    const { alice, bob, server, channel } = here;
    const bot = await botIn(server, bob);
    const beat = (await bot.post(`/api/agents/${bot.agentId}/heartbeat`)).body.lastHeartbeat;
    for (const path of [`/api/servers/${server.id}/members`, `/api/channels/${channel.id}/members`]) {
      const { body } = await alice.get(path);
      const agentOf = (userId: string) => body.find((member: Loose) => member.userId === userId).agent;
      const { lastHeartbeat, ...agent } = agentOf(bot.id);
      expect(agent).to.deep.equal({
        id: bot.agentId,
        ownerId: bob.id,
        status: 'running',
        kept: false,
        workspaceWrite: false,
      });
      expect(lastHeartbeat).to.satisfy((at: string | null) => at === null || at === beat);
      expect(agentOf(bob.id)).to.equal(null);
    }
    await bob.post(`/api/agents/${bot.agentId}/stop`);
    const { body } = await alice.get(`/api/servers/${server.id}/members`);
    expect(body.find((member: Loose) => member.userId === bot.id).agent.status).to.equal('stopped');
  });

  it('that are in a server already are said to be, and not their owner', async () => {
    const { bob, server } = here;
    const { agentId } = await botIn(server, bob);
    const again = await bob.post(`/api/servers/${server.id}/agents`, { agentIds: [agentId] });
    const failed = [{ agentId, error: 'This bot is a member already.', code: 'ALREADY_MEMBER' }];
    expect(again.body).to.deep.equal({ added: [], failed });
  });

  it('are let into channels and taken out by their owner, whatever its role, and by admins', async () => {
    const { alice, bob, server } = here;
    const bot = await botIn(server, bob);
    const theirs = await botIn(server, alice);
    const room = (await alice.post(`/api/servers/${server.id}/channels`, { name: 'lab' })).body;
    const members = `/api/channels/${room.id}/members`;
    expect((await bob.post(members, { userId: theirs.id })).body.code).to.equal('ROLE_REQUIRED');
    const added = await bob.post(members, { userId: bot.id });
    expect([added.status, added.body.agent.id]).to.deep.equal([201, bot.agentId]);
    expect((await bot.post(`/api/channels/${room.id}/messages`, { content: 'here' })).status).to.equal(201);
    expect((await bob.delete(`${members}/${bot.id}`)).status).to.equal(200);
    expect((await bot.post(`/api/channels/${room.id}/messages`, { content: 'gone' })).status).to.equal(404);
    expect((await alice.post(members, { userId: bot.id })).status).to.equal(201);
    expect((await bob.delete(`${members}/${theirs.id}`)).status).to.equal(404);
    expect((await alice.delete(`${members}/${bot.id}`)).status).to.equal(200);
  });

  it('that join by themselves are in "general" as well', async () => {
    const { alice, channel, server } = here;
    const robot = await bot(alice);
    const ear = await robot.connect();
    await robot.post(`/api/servers/${server.id}/join`, { inviteCode: server.inviteCode });
    await ear.next('channel:member-added', ({ channelId, existing }) => channelId === channel.id && !existing);
    const channels = (await robot.get(`/api/servers/${server.id}/channels`)).body;
    expect(channels.map(({ name, isMember }: Loose) => [name, isMember])).to.deep.equal([['general', true]]);
    expect((await robot.post(`/api/channels/${channel.id}/messages`, { content: 'here' })).status).to.equal(201);
    robot.hangUp();
  });

  it('begin where people do once there is no channel "general" any more', async () => {
    const { alice, bob } = here;
    const server = (await alice.post('/api/servers', { name: 'Renamed' })).body;
    const channels = `/api/servers/${server.id}/channels`;
    const [first] = (await alice.get(channels)).body;
    for (const more of [{ name: 'hidden', isPrivate: true }, { name: 'stage', type: 'voice' }, { name: 'lounge' }]) {
      await alice.post(channels, more);
    }
    await bob.post(`/api/servers/${server.id}/join`, { inviteCode: server.inviteCode });
    const placesOf = async (bot: Bot) => {
      const { body } = await bot.get(`/api/agents/${bot.agentId}/config`);
      return body.servers[0].channels.map(({ name }: Loose) => name);
    };
    await alice.patch(`/api/channels/${first.id}`, { name: 'welcome' });
    expect(await placesOf(await botIn(server, bob))).to.deep.equal(['welcome']);
    await alice.delete(`/api/channels/${first.id}`);
    expect(await placesOf(await botIn(server, bob))).to.deep.equal(['lounge']);
    await alice.post(channels, { name: 'general' });
    expect(await placesOf(await botIn(server, bob))).to.deep.equal(['general']);
  });

  it('are in the channels that they make as admins, with their owners, and are told so', async () => {
    const { alice, bob, server } = here;
    const bot = await botIn(server, bob);
    await alice.patch(`/api/servers/${server.id}/members/${bot.id}`, { role: 'admin' });
    const ear = await bot.connect();
    for (const isPrivate of [false, true]) {
      const made = await bot.post(`/api/servers/${server.id}/channels`, { name: 'reports', isPrivate });
      expect([made.status, made.body.isMember], JSON.stringify(made.body)).to.deep.equal([201, true]);
      await ear.next('channel:member-added', ({ channelId }) => channelId === made.body.id);
      expect((await bot.post(`/api/channels/${made.body.id}/messages`, { content: 'today' })).status).to.equal(201);
      expect((await bob.get(`/api/channels/${made.body.id}`)).body.isMember).to.equal(true);
    }
    bot.hangUp();
  });

  it('see no private channel that they are not in, also as admins', async () => {
    const { alice, bob, server } = here;
    const bot = await botIn(server, bob);
    await alice.patch(`/api/servers/${server.id}/members/${bot.id}`, { role: 'admin' });
    const hidden = (await alice.post(`/api/servers/${server.id}/channels`, { name: 'hidden', isPrivate: true })).body;
    expect((await bot.get(`/api/channels/${hidden.id}`)).status).to.equal(404);
    expect((await bot.post(`/api/channels/${hidden.id}/members`, { userId: bot.id })).status).to.equal(404);
  });

  it('are taken out of channels by admins whatever their role, people only by those above them', async () => {
    const { alice, bob, carol, server, channel } = await world();
    await carol.post('/api/servers/_/join', { inviteCode: server.inviteCode });
    const bot = await botIn(server, alice);
    for (const [{ id }, role] of [
      [bob, 'moderator'],
      [carol, 'admin'],
      [bot, 'admin'],
    ] as const) {
      await alice.patch(`/api/servers/${server.id}/members/${id}`, { role });
    }
    const takeOut = (who: Person, whom: Person) => who.delete(`/api/channels/${channel.id}/members/${whom.id}`);
    for (const [who, whom] of [
      [bob, carol],
      [bob, bot],
      [carol, alice],
    ] as const) {
      expect((await takeOut(who, whom)).body.code).to.equal('ROLE_REQUIRED');
    }
    expect((await takeOut(carol, bot)).status).to.equal(200);
    expect((await takeOut(carol, bob)).status).to.equal(200);
  });

  it('cannot be let into a private channel that their owner is not in', async () => {
    const { alice, bob, server } = here;
    const bot = await botIn(server, bob);
    const hidden = (await alice.post(`/api/servers/${server.id}/channels`, { name: 'hidden', isPrivate: true })).body;
    const { body } = await bob.post(`/api/channels/${hidden.id}/members`, { userId: bot.id });
    expect(body.code).to.equal('CHANNEL_NOT_FOUND');
  });
});
