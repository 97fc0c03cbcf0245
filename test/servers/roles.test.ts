import { expect } from 'chai';
import { type Role, roles } from '../../src/contract/roles.ts';
import type { Answer, Loose, Person } from '../world/person.ts';
import { register, type World, world } from '../world/world.ts';

/** A server with one of each role, a second member to act on, and things to act on. */
interface Scene extends World {
  people: Record<Role | 'stranger', Person>;
  victim: Person;
  hidden: { id: string };
}

async function scene(): Promise<Scene> {
  const here = await world();
  const nodes = here.cluster.nodes;
  const join = async (i: number) => {
    const person = await register(nodes[i % nodes.length] ?? here.alice.node);
    await person.post('/api/servers/_/join', { inviteCode: here.server.inviteCode });
    return person;
  };
  const [admin, moderator, victim] = [await join(0), await join(1), await join(1)];
  for (const [person, role] of [
    [admin, 'admin'],
    [moderator, 'moderator'],
  ] as const) {
    await here.alice.patch(`/api/servers/${here.server.id}/members/${person.id}`, { role });
  }
  const hidden = (await here.alice.post(`/api/servers/${here.server.id}/channels`, { name: 'h', isPrivate: true }))
    .body;
  const people = { owner: here.alice, admin, moderator, member: here.bob, stranger: here.carol };
  return { ...here, people, victim, hidden };
}

type Act = (who: Person, at: Scene) => Promise<Answer>;

/** Least role, what is done, and the answer for those who may. What is done is made anew for each role. */
const operations: [least: Role, name: string, act: Act][] = [
  ['member', 'see the server', (who, { server }) => who.get(`/api/servers/${server.id}`)],
  ['member', 'see the members', (who, { server }) => who.get(`/api/servers/${server.id}/members`)],
  ['member', 'see the channels', (who, { server }) => who.get(`/api/servers/${server.id}/channels`)],
  ['member', 'see archived channels', (who, { server }) => who.get(`/api/servers/${server.id}/channels/archived`)],
  ['member', 'open a channel', (who, { channel }) => who.get(`/api/channels/${channel.id}/bootstrap`)],
  ['member', 'read', (who, { channel }) => who.get(`/api/channels/${channel.id}/messages`)],
  ['member', 'read the log', (who, { channel }) => who.get(`/api/channels/${channel.id}/events?after=0`)],
  ['member', 'post', (who, { channel }) => who.post(`/api/channels/${channel.id}/messages`, { content: 'x' })],
  ['member', 'mark as read', (who, { channel }) => who.put(`/api/channels/${channel.id}/read`, { seq: 1 })],
  ['member', 'see pins', (who, { channel }) => who.get(`/api/channels/${channel.id}/pins`)],
  ['member', 'see threads', (who, { channel }) => who.get(`/api/channels/${channel.id}/threads`)],
  ['member', 'see channel members', (who, { channel }) => who.get(`/api/channels/${channel.id}/members`)],
  ['member', 'react', on((who, message) => who.post(`/api/messages/${message.id}/reactions`, { emoji: '👍' }))],
  ['member', 'start a thread', on((who, message) => who.post(`/api/messages/${message.id}/thread`))],
  [
    'member',
    'invite someone',
    async (who, { server }) =>
      who.post(`/api/servers/${server.id}/invite-member`, { userId: (await register(who.node)).id }),
  ],
  ['moderator', 'delete messages of others', on((who, message) => who.delete(`/api/messages/${message.id}`))],
  ['moderator', 'pin', on((who, message) => who.put(`/api/channels/${message.channelId}/pins/${message.id}`))],
  ['moderator', 'unpin', on((who, message) => who.delete(`/api/messages/${message.id}/pin`))],
  ['moderator', 'rename threads of others', inThread((who, id) => who.patch(`/api/threads/${id}`, { name: 'n' }))],
  ['moderator', 'delete threads of others', inThread((who, id) => who.delete(`/api/threads/${id}`))],
  ['moderator', 'kick', (who, { server, victim }) => who.delete(`/api/servers/${server.id}/members/${victim.id}`)],
  [
    'moderator',
    'take someone out of a channel',
    (who, { channel, victim }) => who.delete(`/api/channels/${channel.id}/members/${victim.id}`),
  ],
  ['admin', 'change the server', (who, { server }) => who.patch(`/api/servers/${server.id}`, { description: 'd' })],
  ['admin', 'make a new invite code', (who, { server }) => who.post(`/api/servers/${server.id}/invite/regenerate`)],
  [
    'moderator',
    'see who is held by raid mode',
    (who, { server }) => who.get(`/api/servers/${server.id}/join-requests`),
  ],
  ['moderator', 'switch raid mode', (who, { server }) => who.post(`/api/servers/${server.id}/raid`, { on: false })],
  [
    'admin',
    'set when raid mode turns on',
    (who, { server }) => who.patch(`/api/servers/${server.id}`, { raid: { joins: 9 } }),
  ],
  ['admin', 'make a channel', (who, { server }) => who.post(`/api/servers/${server.id}/channels`, { name: 'n' })],
  ['admin', 'change a channel', (who, { channel }) => who.patch(`/api/channels/${channel.id}`, { name: 'n' })],
  ['admin', 'archive a channel', (who, { channel }) => who.post(`/api/channels/${channel.id}/archive`)],
  ['admin', 'bring a channel back', (who, { channel }) => who.post(`/api/channels/${channel.id}/unarchive`)],
  ['admin', 'delete a channel', (who, { channel }) => who.delete(`/api/channels/${channel.id}`)],
  [
    'admin',
    'put channels in order',
    (who, { server, channel }) =>
      who.patch(`/api/servers/${server.id}/channels/positions`, { channelIds: [channel.id] }),
  ],
  ['admin', 'see a private channel', (who, { hidden }) => who.get(`/api/channels/${hidden.id}`)],
  [
    'admin',
    'let someone into a private channel',
    (who, { hidden, victim }) => who.post(`/api/channels/${hidden.id}/members`, { userId: victim.id }),
  ],
  [
    'admin',
    'enter a private channel',
    (who, { hidden }) => who.post(`/api/channels/${hidden.id}/members`, { userId: who.id }),
  ],
  [
    'admin',
    'make someone a moderator',
    (who, { server, victim }) => who.patch(`/api/servers/${server.id}/members/${victim.id}`, { role: 'moderator' }),
  ],
  [
    'owner',
    'make someone an admin',
    (who, { server, victim }) => who.patch(`/api/servers/${server.id}/members/${victim.id}`, { role: 'admin' }),
  ],
  [
    'owner',
    'hand the server over',
    (who, { server, victim }) => who.patch(`/api/servers/${server.id}/members/${victim.id}`, { role: 'owner' }),
  ],
  ['owner', 'delete the server', (who, { server }) => who.delete(`/api/servers/${server.id}`)],
];

/** On a message of somebody else. */
function on(act: (who: Person, message: Loose) => Promise<Answer>): Act {
  return async (who, { victim, channel }) => act(who, await victim.say(channel.id, 'to act on'));
}

function inThread(act: (who: Person, threadId: string) => Promise<Answer>): Act {
  return async (who, { victim, channel }) => {
    const message = await victim.say(channel.id, 'to talk about');
    return act(who, (await victim.post(`/api/messages/${message.id}/thread`)).body.id);
  };
}

const mayAct = (role: Role, least: Role) => roles.indexOf(role) <= roles.indexOf(least);

describe('roles', () => {
  for (const [least, name, act] of operations) {
    it(`${name}: ${least} and above`, async () => {
      const at = await scene();
      // From the weakest up, so that those who may do it have still something to do it to.
      expect((await act(at.people.stranger, at)).status, 'a stranger').to.equal(404);
      const weaker = [...roles].reverse().filter((role) => !mayAct(role, least));
      for (const role of weaker) {
        expect((await act(at.people[role], at)).status, role).to.be.oneOf([403, 404]);
      }
      const answer = await act(at.people[least], at);
      expect(answer.status, `${least}: ${JSON.stringify(answer.body)}`).to.be.oneOf([200, 201]);
      at.close();
    });
  }

  it('let nobody act on an equal or higher role', async () => {
    const { server, people, victim, close } = await scene();
    const seat = (who: Person) => `/api/servers/${server.id}/members/${who.id}`;
    const { owner, admin, moderator, member } = people;
    for (const [actor, target] of [
      [admin, owner],
      [moderator, owner],
      [moderator, admin],
      [member, victim],
      [member, moderator],
    ] as const) {
      expect((await actor.delete(seat(target))).body.code).to.equal('ROLE_REQUIRED');
      expect((await actor.patch(seat(target), { role: 'member' })).body.code).to.equal('ROLE_REQUIRED');
    }
    const other = await register(owner.node);
    await other.post('/api/servers/_/join', { inviteCode: server.inviteCode });
    await owner.patch(seat(other), { role: 'admin' });
    expect((await admin.delete(seat(other))).body.code).to.equal('ROLE_REQUIRED');
    expect((await admin.patch(seat(victim), { role: 'admin' })).body.code).to.equal('ROLE_REQUIRED');
    expect((await owner.delete(seat(people.stranger))).body.code).to.equal('MEMBER_NOT_FOUND');
    expect((await owner.patch(seat(admin), { role: 'king' })).status).to.equal(400);
    close();
  });

  it('take hold at once, on every node', async () => {
    const { cluster, server, channel, people, close } = await scene();
    const { owner, member } = people;
    const seat = `/api/servers/${server.id}/members/${member.id}`;
    const elsewhere = cluster.nodes.map((node) => member.on(node));
    const ear = await owner.listen(channel.id);
    for (const role of ['admin', 'member', 'admin', 'moderator'] as const) {
      expect((await owner.patch(seat, { role })).body.role).to.equal(role);
      for (const one of elsewhere) {
        const { status } = await one.patch(`/api/channels/${channel.id}`, { description: role });
        expect(status, role).to.equal(role === 'admin' ? 200 : 403);
      }
      await ear.next('member:updated', (event) => event.userId === member.id && event.role === role);
    }
    close();
  });
});
