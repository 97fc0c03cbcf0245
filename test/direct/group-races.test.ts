// nodes: one and two

import { expect } from 'chai';
import { bot, botIn } from '../world/bot.ts';
import type { Answer, Loose, Person } from '../world/person.ts';
import { overtaken } from '../world/sql.ts';
import { register, type World, world } from '../world/world.ts';

const path = '/api/dm/channels';
const codeOf = ({ status, body }: Answer) => [status, body.code];

/** What people in a group, their bots and their devices do at the same moment. */
describe('groups of people, at the same time', () => {
  let here: World;
  beforeEach(async () => {
    here = await world();
    const { carol, server } = here;
    await carol.post(`/api/servers/${server.id}/join`, { inviteCode: server.inviteCode });
  });
  afterEach(() => here.close());

  const open = (from: Person, ...others: { id: string }[]) => from.post(path, { userIds: others.map(({ id }) => id) });
  const race = <T>(id: string, lock: string, change: string, begin: () => Promise<T>) =>
    overtaken(here.cluster.databaseUrl, { id, lock, change }, begin);

  it('are not opened with a bot that goes to someone else meanwhile', async () => {
    const { alice, bob, carol } = here;
    const own = await bot(alice);
    const opened = await race(
      own.agentId,
      'SELECT FROM agents WHERE id = $1 FOR UPDATE',
      `UPDATE agents SET owner_id = '${carol.id}' WHERE id = $1`,
      () => open(alice, bob, own),
    );
    expect(codeOf(opened)).to.deep.equal([403, 'FORBIDDEN']);
    expect((await bob.get(path)).body).to.deep.equal([]);
  });

  it('are not opened with someone whose account is deleted meanwhile', async () => {
    const { alice, bob } = here;
    const gone = await register(alice.node);
    const opened = await race(
      gone.id,
      'SELECT FROM users WHERE id = $1 FOR UPDATE',
      'UPDATE users SET deleted_at = now() WHERE id = $1',
      () => open(alice, bob, gone),
    );
    expect(codeOf(opened)).to.deep.equal([403, 'FORBIDDEN']);
    expect((await bob.get(path)).body).to.deep.equal([]);
  });

  it('are neither named nor made a channel by someone who leaves meanwhile', async () => {
    const { alice, bob, carol, server } = here;
    const [one, two] = [await open(alice, bob, carol), await open(alice, bob, carol, await register(bob.node))];
    const asLeaving = ({ body }: Answer, begin: () => Promise<Answer>) =>
      race(
        body.id,
        'SELECT FROM group_channels WHERE channel_id = $1 FOR UPDATE',
        `WITH member AS (DELETE FROM group_members WHERE channel_id = $1 AND user_id = '${alice.id}')
         DELETE FROM channel_members WHERE channel_id = $1 AND user_id = '${alice.id}'`,
        begin,
      );
    const turned = await asLeaving(one, () =>
      alice.post(`${path}/${one.body.id}/channel`, { serverId: server.id, name: 'x' }),
    );
    expect(codeOf(turned)).to.deep.equal([404, 'CHANNEL_NOT_FOUND']);
    const named = await asLeaving(two, () => alice.patch(`${path}/${two.body.id}`, { name: 'x' }));
    expect(codeOf(named)).to.deep.equal([404, 'CHANNEL_NOT_FOUND']);
    for (const { body } of [one, two]) {
      expect((await bob.get(`/api/channels/${body.id}`)).body).to.include({ kind: 'group', name: '' });
    }
  });

  it('are left once by someone who leaves on all devices at once', async () => {
    const { alice, bob, carol, cluster } = here;
    const group = (await open(alice, bob, carol)).body;
    const ear = await bob.connect();
    const answers = await Promise.all(
      Array.from({ length: 4 }, (_, at) =>
        alice.on(cluster.nodes[at % cluster.nodes.length] ?? alice.node).post(`${path}/${group.id}/leave`),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 404, 404, 404]);
    await bob.patch(`${path}/${group.id}`, { name: 'two' });
    await ear.next('channel:updated', ({ channel }) => channel.name === 'two');
    expect(ear.all('member:left')).to.have.length(1);
  });

  it('are the same on all devices of someone who leaves, and is in another one with them again', async () => {
    const { alice, bob, carol, cluster } = here;
    const devices = await Promise.all(cluster.nodes.map((node) => carol.on(node).connect()));
    const first = (await open(alice, bob, carol)).body;
    for (const device of devices) await device.next('dm:created', ({ id }) => id === first.id);
    await carol.post(`${path}/${first.id}/leave`);
    for (const device of devices)
      await device.next('channel:member-removed', ({ channelId }) => channelId === first.id);
    const second = await alice.post(`${path}/${first.id}/members`, { userIds: [carol.id] });
    expect(second.status).to.equal(201);
    for (const device of devices) await device.next('dm:created', ({ id }) => id === second.body.id);
    await alice.say(first.id, 'without her');
    const { id } = await bob.say(second.body.id, 'with her');
    for (const [at, device] of devices.entries()) {
      await device.next('message:new', (message) => message.id === id);
      expect(device.all('message:new').map(({ channelId }: Loose) => channelId)).to.deep.equal([second.body.id]);
      const listed = (await carol.on(cluster.nodes[at] ?? carol.node).get(path)).body;
      expect(listed.map((one: Loose) => one.id)).to.deep.equal([second.body.id]);
    }
  });

  it('leave nothing of what bots were allowed there, once they are a channel', async () => {
    const { alice, bob, carol, server } = here;
    const own = await botIn(server, alice);
    const group = (await open(alice, bob, carol, own)).body;
    await alice.put(`/api/channels/${group.id}/agents/${own.agentId}/policy`, { mode: 'disabled' });
    const say = () => own.post(`/api/channels/${group.id}/messages`, { content: 'hello' });
    expect((await say()).status).to.equal(403);
    expect((await alice.post(`${path}/${group.id}/channel`, { serverId: server.id, name: 'plans' })).status).to.equal(
      200,
    );
    expect((await say()).status).to.equal(404);
    expect((await alice.post(`/api/channels/${group.id}/members`, { userId: own.id })).status).to.equal(201);
    expect((await say()).status).to.equal(201);
  });
});
