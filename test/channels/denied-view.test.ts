import { expect } from 'chai';
import { botIn } from '../world/bot.ts';
import type { Loose, Person } from '../world/person.ts';
import { register, type World, world } from '../world/world.ts';

describe('whoever may no longer view a channel', () => {
  let here: World;
  let channelId: string;
  let roleId: string;

  beforeEach(async () => {
    here = await world();
    channelId = await here.newChannel('orchard');
    await here.alice.say(channelId, 'ripe apples');
    roleId = await newRole();
  });
  afterEach(() => here.close());

  const base = () => `/api/servers/${here.server.id}`;
  const members = () => `/api/channels/${channelId}/members`;
  const enter = async (person: Person) => (await person.post(members(), { userId: person.id })).status;
  const letIn = async (userId: string) => (await here.alice.post(members(), { userId })).status;
  const override = async (whom: string, lists: object) => {
    const { status, body } = await here.alice.put(`/api/channels/${channelId}/overrides/${whom}`, lists);
    expect(status, JSON.stringify(body)).to.equal(200);
  };
  const close = () => override('roles/member', { deny: ['view'] });
  const denySelf = () => override(`users/${here.bob.id}`, { deny: ['view'] });
  const denyRole = () => override(`roles/${roleId}`, { deny: ['view'] });
  const reads = async (person: Person) => (await person.get(`/api/channels/${channelId}/messages`)).status;
  const setRole = async (person: Person, role: string) =>
    expect((await here.alice.patch(`${base()}/members/${person.id}`, { role })).status).to.equal(200);

  async function newRole(permissions: string[] = []): Promise<string> {
    const { body } = await here.alice.post(`${base()}/roles`, { name: 'Pickers', permissions });
    await here.alice.put(`${base()}/members/${here.bob.id}/roles/${body.id}`, {});
    return body.id;
  }

  /** Nothing of the channel reaches bob on any node, on any way, once `denied` is answered. */
  async function expectOut(denied: () => Promise<unknown>): Promise<void> {
    const { alice, bob, cluster } = here;
    const everywhere = cluster.nodes.map((node) => bob.on(node));
    for (const one of everywhere) expect(await reads(one)).to.equal(200);
    const ears = await Promise.all(everywhere.map((one) => one.listen(channelId)));
    await denied();
    for (const one of everywhere) {
      expect(await reads(one)).to.equal(404);
      expect((await one.get(`/api/channels/${channelId}/events?after=0`)).status).to.equal(404);
      expect((await one.get('/api/search/messages?query=apples')).body).to.deep.equal([]);
      const listed: Loose[] = (await one.get(`${base()}/channels`)).body;
      expect(listed.map(({ id }) => id)).not.to.include(channelId);
      expect(await enter(one)).to.equal(404);
    }
    const listed: Loose[] = (await alice.get(members())).body;
    expect(listed.map(({ userId }) => userId)).not.to.include(bob.id);
    await alice.say(channelId, 'without bob');
    for (const ear of ears) {
      await ear.next('channel:member-removed', (event) => event.channelId === channelId);
      expect((await ear.emit('message:send', { channelId, content: 'x' })).code).to.equal('CHANNEL_NOT_FOUND');
      expect((await ear.emit('channel:join', { channelId })).code).to.equal('CHANNEL_NOT_FOUND');
      expect(ear.all('message:new')).to.deep.equal([]);
      ear.close();
    }
  }

  const comingIn: Record<string, () => Promise<unknown>> = {
    'is in it like everyone': async () => expect(await enter(here.bob)).to.equal(200),
    'left it and entered it again': async () => {
      expect((await here.bob.delete(`${members()}/${here.bob.id}`)).status).to.equal(200);
      expect([await enter(here.bob), await enter(here.bob)]).to.deep.equal([201, 200]);
    },
  };
  const denials = { 'it is closed': () => close(), 'a role of theirs is denied it': () => denyRole() };
  for (const [how, come] of Object.entries(comingIn)) {
    for (const [what, deny] of Object.entries({ ...denials, 'they are denied it': denySelf })) {
      it(`is out of an open one when ${what}, if who ${how}`, async () => {
        await come();
        await expectOut(deny);
      });
    }
  }

  it('is out when they themselves are denied it, whoever let them in, and open or closed', async () => {
    expect(await letIn(here.bob.id)).to.equal(201);
    await expectOut(denySelf);
    expect(await letIn(here.bob.id)).to.equal(201);
    await close();
    await expectOut(denySelf);
    await override('roles/member', { allow: ['view'] });
    expect(await reads(here.bob)).to.equal(404);
    await override(`users/${here.bob.id}`, {});
    expect(await reads(here.bob)).to.equal(200);
    await close();
    expect(await reads(here.bob)).to.equal(404);
  });

  it('stays in it where others let them in, when it is closed or denied to a role', async () => {
    expect(await letIn(here.bob.id)).to.equal(201);
    for (const deny of Object.values(denials)) {
      await deny();
      expect(await reads(here.bob)).to.equal(200);
    }
  });

  it('is out with the role that let them in, although they entered by themselves', async () => {
    await close();
    await override('roles/moderator', { allow: ['view'] });
    await setRole(here.bob, 'moderator');
    expect(await enter(here.bob)).to.equal(200);
    await expectOut(() => setRole(here.bob, 'member'));
  });

  it('does not see it as someone who sees private channels, when they are denied it', async () => {
    await newRole(['channel:see-private', 'channel:add-member', 'join-request:decide']);
    await close();
    const stranger = await register(here.bob.node);
    await stranger.post('/api/servers/_/join', { inviteCode: here.server.inviteCode });
    expect((await here.bob.get(`/api/channels/${channelId}`)).status).to.equal(200);
    await denySelf();
    const ear = await here.bob.connect();
    expect((await stranger.post(`/api/channels/${channelId}/join-requests`)).status).to.equal(202);
    await here.alice.patch(`/api/channels/${channelId}`, { topic: 'hidden' });
    await here.alice.say(here.channel.id, 'afterwards');
    for (const path of ['', '/members', '/access', '/overrides']) {
      expect((await here.bob.get(`/api/channels/${channelId}${path}`)).status, path).to.equal(404);
    }
    expect(await enter(here.bob)).to.equal(404);
    const listed: Loose[] = (await here.bob.get(`${base()}/channels`)).body;
    expect(listed.map(({ id }) => id)).not.to.include(channelId);
    expect((await here.bob.get(`${base()}/join-requests`)).body).to.deep.equal([]);
    expect(ear.received.filter(({ data }: Loose) => JSON.stringify(data).includes(channelId))).to.deep.equal([]);
  });

  it('cannot ask to be let in', async () => {
    const ask = async () => (await here.bob.post(`/api/channels/${channelId}/join-requests`)).status;
    await close();
    expect(await ask()).to.equal(202);
    await denySelf();
    expect(await ask()).to.equal(404);
    expect((await here.bob.get(`/api/channels/${channelId}/access`)).status).to.equal(404);
  });

  describe('has no bot there', () => {
    for (const [what, deny] of Object.entries({ 'a role is denied it': () => denyRole(), 'they are': denySelf })) {
      it(`when ${what}, open as it is`, async () => {
        const { alice, bob, server } = here;
        const robot = await botIn(server, bob);
        const kept = await botIn(server, bob);
        for (const { id } of [robot, kept]) expect(await letIn(id)).to.equal(201);
        expect((await alice.put(`${base()}/agents/${kept.agentId}/keep`, {})).status).to.equal(200);
        const ear = await robot.listen(channelId);
        await deny();
        expect([await reads(bob), await reads(robot), await reads(kept)]).to.deep.equal([404, 404, 200]);
        await ear.next('channel:member-removed', (event) => event.channelId === channelId);
        await alice.say(channelId, 'without robots');
        expect((await ear.emit('message:send', { channelId, content: 'x' })).ok).not.to.equal(true);
        expect(ear.all('message:new')).to.deep.equal([]);
        for (const by of [alice, bob]) {
          expect((await by.post(members(), { userId: robot.id })).status).to.equal(by === alice ? 403 : 404);
        }
        // What ends with keeping it is what its owner may not have.
        expect((await alice.delete(`${base()}/agents/${kept.agentId}/keep`)).status).to.equal(200);
        expect(await reads(kept)).to.equal(404);
        for (const one of [robot, kept]) one.hangUp();
      });
    }

    it('also of those that come to the server from then on', async () => {
      channelId = here.channel.id;
      await denySelf();
      const robot = await botIn(here.server, here.bob);
      expect(await reads(robot)).to.equal(404);
    });

    it('but has them where they left by themselves, and may enter again', async () => {
      const robot = await botIn(here.server, here.bob);
      expect(await letIn(robot.id)).to.equal(201);
      expect((await here.bob.delete(`${members()}/${here.bob.id}`)).status).to.equal(200);
      expect(await reads(robot)).to.equal(200);
    });
  });
});
