import { expect } from 'chai';
import { type Bot, botIn } from '../world/bot.ts';
import { ownRole } from '../world/own-roles.ts';
import type { Loose, Person } from '../world/person.ts';
import { register, type World, world } from '../world/world.ts';

/** On several nodes those who are kept out are on another node than who decides. */
describe('who may use commands of bots', () => {
  let here: World;
  const bots: Bot[] = [];
  const people: Person[] = [];
  before(async () => {
    here = await world();
  });
  after(() => {
    for (const one of [...bots, ...people]) one.hangUp();
    here.close();
  });

  async function robot(): Promise<Bot> {
    const made = await botIn(here.server, here.alice);
    bots.push(made);
    const commands = [
      { name: 'Ban', aliases: ['b'], options: [] },
      { name: 'ping', options: [] },
    ];
    await here.alice.put(`/api/agents/${made.agentId}/slash-commands`, { commands });
    return made;
  }
  async function member(): Promise<Person> {
    const made = await register(here.bob.node);
    people.push(made);
    await made.post(`/api/servers/${here.server.id}/join`, { inviteCode: here.server.inviteCode });
    return made;
  }
  const pathOf = ({ agentId }: Bot) => `/api/servers/${here.server.id}/agents/${agentId}/commands`;
  const rule = (made: Bot, command: string, body: object = {}) =>
    here.alice.put(`${pathOf(made)}/${command}/rule`, body);
  const may = async (who: Person, { agentId }: Bot, command: string): Promise<boolean> => {
    const { status, body } = await who.post(`/api/channels/${here.channel.id}/commands`, { agentId, command });
    if (status !== 201) expect(body.code).to.equal('COMMAND_NOT_ALLOWED');
    return status === 201;
  };
  const listed = async (who: Person, { agentId }: Bot): Promise<string[]> => {
    const { commands } = (await who.get(`/api/channels/${here.channel.id}/slash-commands`)).body;
    return commands.filter((one: Loose) => one.agentId === agentId).map(({ name }: Loose) => name);
  };

  it('is everyone until the server says otherwise: then only moderators, roles and people named, and admins', async () => {
    const { alice, bob } = here;
    const made = await robot();
    const [moderator, holder, named] = [await member(), await member(), await member()];
    await alice.patch(`/api/servers/${here.server.id}/members/${moderator.id}`, { role: 'moderator' });
    const roleId = await ownRole(here, [holder]);
    const everyone = [alice, bob, moderator, holder, named];
    const allowed = async () => Promise.all(everyone.map((who) => may(who, made, 'ban')));
    expect(await allowed()).to.deep.equal([true, true, true, true, true]);
    await rule(made, 'ban');
    expect(await allowed()).to.deep.equal([true, false, false, false, false]);
    await rule(made, 'ban', { moderators: true });
    expect(await allowed()).to.deep.equal([true, false, true, false, false]);
    await rule(made, 'ban', { roleIds: [roleId], userIds: [named.id] });
    expect(await allowed()).to.deep.equal([true, false, false, true, true]);
    expect(await may(bob, made, 'B')).to.equal(false);
    expect(await may(bob, made, 'ping')).to.equal(true);
    expect(await listed(bob, made)).to.deep.equal(['ping']);
    expect(await listed(named, made)).to.deep.equal(['Ban', 'ping']);
    await alice.delete(`${pathOf(made)}/ban/rule`);
    expect(await allowed()).to.deep.equal([true, true, true, true, true]);
  });

  it('is said for all commands by `*`, which rules of their own go before', async () => {
    const { alice, bob } = here;
    const made = await robot();
    await rule(made, '*');
    expect([await may(bob, made, 'ban'), await may(bob, made, 'ping')]).to.deep.equal([false, false]);
    await rule(made, 'ping', { userIds: [bob.id] });
    expect([await may(bob, made, 'ban'), await may(bob, made, 'ping')]).to.deep.equal([false, true]);
    // What is declared later is for nobody else either.
    const commands = [
      { name: 'new', options: [] },
      { name: 'ping', options: [] },
    ];
    await alice.put(`/api/agents/${made.agentId}/slash-commands`, { commands });
    expect([await may(bob, made, 'new'), await may(bob, made, 'ping')]).to.deep.equal([false, true]);
    const { body } = await alice.get(pathOf(made));
    const none = { moderators: false, roleIds: [], userIds: [] };
    expect(body.rule).to.deep.equal(none);
    expect(body.commands.map(({ name, rule: own }: Loose) => [name, own])).to.deep.equal([
      ['new', null],
      ['ping', { ...none, userIds: [bob.id] }],
    ]);
  });

  it('holds for the text form too, which is then no command', async () => {
    const { alice, bob, channel } = here;
    const made = await robot();
    await alice.put(`/api/channels/${channel.id}/agents/${made.agentId}/policy`, { mode: 'mentionOnly' });
    const ear = await made.listen(channel.id);
    await rule(made, 'ban');
    await bob.say(channel.id, '/ban everyone');
    await bob.say(channel.id, '/b everyone');
    await alice.say(channel.id, '/ban nobody');
    await bob.say(channel.id, '/ping');
    await ear.next('message:new', ({ content }) => content === '/ping');
    expect(ear.all('message:new').map(({ content }) => content)).to.deep.equal(['/ban nobody', '/ping']);
  });

  it('is decided by those who set policies of bots, of what there is in the server', async () => {
    const { alice, bob, carol } = here;
    const made = await robot();
    const path = `${pathOf(made)}/ban/rule`;
    expect((await bob.get(pathOf(made))).body.code).to.equal('ROLE_REQUIRED');
    expect((await bob.put(path, {})).body.code).to.equal('ROLE_REQUIRED');
    expect((await bob.delete(path)).body.code).to.equal('ROLE_REQUIRED');
    expect((await carol.put(path, {})).status).to.equal(404);
    expect((await rule(made, 'nothing')).body.code).to.equal('COMMAND_NOT_FOUND');
    expect((await rule(made, 'ban', { userIds: [carol.id] })).body.code).to.equal('NOT_IN_SERVER');
    expect((await rule(made, 'ban', { roleIds: [carol.id] })).body.code).to.equal('ROLE_NOT_FOUND');
    expect((await alice.get(pathOf(made))).body.commands[0].rule).to.equal(null);
  });

  it('is told to those in its channels when it changes, and not when nothing does', async () => {
    const { alice, bob, channel } = here;
    const made = await robot();
    const ear = await bob.listen(channel.id);
    const told = () =>
      ear.all('channel:slash-commands-updated').filter(({ agentId }) => agentId === made.agentId).length;
    await rule(made, 'ban', { userIds: [bob.id] });
    await rule(made, 'ban', { userIds: [bob.id] });
    await alice.delete(`${pathOf(made)}/ban/rule`);
    await alice.delete(`${pathOf(made)}/ban/rule`);
    await alice.say(channel.id, 'that is all');
    await ear.next('message:new', ({ content }) => content === 'that is all');
    expect(told()).to.equal(2);
  });
});
