import { expect } from 'chai';
import { type Bot, botIn } from '../world/bot.ts';
import type { Answer, Loose, Person } from '../world/person.ts';
import { type World, world } from '../world/world.ts';

/** What someone does to it, on another node where there is one. */
interface Doing {
  owner: Person;
  guest: Person;
  server: Loose;
  robot: Bot;
}

const doings: Record<string, (doing: Doing) => Promise<Answer>> = {
  'its workspace is opened': ({ owner, server }) => owner.get(`/api/servers/${server.id}/workspace`),
  'a folder is made in it': ({ owner, server }) =>
    owner.post(`/api/servers/${server.id}/workspace/folders`, { name: 'new' }),
  'an app is made in it': ({ owner, server }) =>
    owner.post(`/api/servers/${server.id}/apps`, { name: 'new', type: 'html', htmlContent: 'x' }),
  'someone joins': ({ guest, server }) =>
    guest.post(`/api/servers/${server.id}/join`, { inviteCode: server.inviteCode }),
  'someone asks to join': ({ guest, server }) => guest.post(`/api/servers/${server.id}/join-requests`),
  'a bot gets a policy there': ({ owner, server, robot }) =>
    owner.put(`/api/agents/${robot.agentId}/policies`, { serverId: server.id, reply: false }),
  'a bot gets a policy in its channel': ({ owner, server, robot }) =>
    owner.put(`/api/channels/${server.general}/agents/${robot.agentId}/policy`, { mode: 'disabled' }),
  'a bot in it is deleted': ({ owner, robot }) => owner.delete(`/api/agents/${robot.agentId}`),
};

describe('a server that is deleted in the moment in which', () => {
  let here: World;
  before(async () => {
    here = await world();
  });
  after(() => here.close());

  async function fresh(): Promise<Doing> {
    const { alice, bob } = here;
    const server = (await alice.post('/api/servers', { name: 'For a moment' })).body;
    const [{ id: general }] = (await alice.get(`/api/servers/${server.id}/channels`)).body;
    const robot = await botIn(server, alice);
    return { owner: alice.on(bob.node), guest: bob, server: { ...server, general }, robot };
  }

  for (const [what, done] of Object.entries(doings)) {
    it(`${what}: that comes first, or there is no such server`, async () => {
      for (let round = 0; round < 4; round++) {
        const doing = await fresh();
        const removed = here.alice.delete(`/api/servers/${doing.server.id}`);
        const answers = await Promise.all([done(doing), done(doing)]);
        expect((await removed).status).to.equal(200);
        for (const { status, body } of answers) expect(status, JSON.stringify(body)).to.be.below(500);
      }
    });
  }

  it('a bot is added: that one only fails', async () => {
    for (let round = 0; round < 4; round++) {
      const { owner, server } = await fresh();
      const robot = (await owner.post('/api/agents', { name: `bot-${crypto.randomUUID().slice(0, 20)}` })).body;
      const [added, removed] = await Promise.all([
        owner.post(`/api/servers/${server.id}/agents`, { agentIds: [robot.id] }),
        here.alice.delete(`/api/servers/${server.id}`),
      ]);
      expect(removed.status).to.equal(200);
      expect(added.status, JSON.stringify(added.body)).to.be.below(500);
    }
  });
});
