// nodes: one and two

import { expect } from 'chai';
import type { Room } from '../../src/contract/rooms.ts';
import type { Node } from '../../src/node/node.ts';
import { until } from '../rig/until.ts';
import { botIn } from '../world/bot.ts';
import { Person, request } from '../world/person.ts';
import { type World, world } from '../world/world.ts';

describe('a long poll is refused at once, on any node, when', () => {
  let here: World;
  beforeEach(async () => {
    here = await world();
  });
  afterEach(() => here.close());

  /** Waits on every node with a person's token while something ends it. @returns the code that each poll was refused with */
  async function refusals(person: Person, end: () => Promise<{ status: number }>): Promise<string[]> {
    const { cluster, channel } = here;
    const rooms: [Room, string][] = [
      [`user:${person.id}`, '/api/events'],
      [`channel:${channel.id}`, `/api/channels/${channel.id}/events`],
    ];
    const waiting = (node: Node, room: Room) => until(() => node.delivery.peek(room)?.isWaitedFor);
    const polls = [];
    for (const one of cluster.nodes.map((node) => person.on(node))) {
      for (const [room, path] of rooms) {
        const { seq } = (await one.get(`${path}?after=999999`)).body;
        polls.push(one.get(`${path}?after=${seq}&wait=20`));
        await waiting(one.node, room);
      }
    }
    const begun = Date.now();
    expect((await end()).status).to.equal(200);
    const codes = (await Promise.all(polls)).map(({ body }) => body.code);
    expect(Date.now() - begun).to.be.below(15_000);
    return [...new Set(codes)];
  }

  /** Bob, signed in once more. */
  async function again(): Promise<Person> {
    const { bob } = here;
    const credentials = { email: bob.username, password: 'correct horse' };
    const { body } = await request(bob.node, 'POST', '/api/auth/login', credentials);
    return new Person(bob.node, { ...bob, token: body.accessToken });
  }

  it('its session logs out', async () => {
    const person = await again();
    expect(await refusals(person, () => person.post('/api/auth/logout'))).to.deep.equal(['SESSION_REVOKED']);
  });

  it('the password is changed elsewhere', async () => {
    const passwords = { oldPassword: 'correct horse', newPassword: 'battery staple' };
    const end = () => here.bob.put('/api/auth/password', passwords);
    expect(await refusals(await again(), end)).to.deep.equal(['SESSION_REVOKED']);
  });

  it('its personal access token is revoked', async () => {
    const { bob } = here;
    const { id, token } = (await bob.post('/api/tokens', { name: 'poller' })).body;
    const end = () => bob.delete(`/api/tokens/${id}`);
    expect(await refusals(new Person(bob.node, { ...bob, token }), end)).to.deep.equal(['PAT_TOKEN_INVALID']);
  });

  it('its user is put out of the server, also in a channel where nothing tells of that', async () => {
    const { alice, bob, server, channel } = here;
    await alice.post(`/api/channels/${channel.id}/archive`);
    const end = () => alice.delete(`/api/servers/${server.id}/members/${bob.id}`);
    expect(await refusals(bob, end)).to.include('CHANNEL_NOT_FOUND');
  });

  it('its bot is stopped', async () => {
    const { alice, server } = here;
    const bot = await botIn(server, alice);
    const end = () => alice.post(`/api/agents/${bot.agentId}/stop`);
    expect(await refusals(bot, end)).to.deep.equal(['AGENT_STOPPED']);
  });
});
