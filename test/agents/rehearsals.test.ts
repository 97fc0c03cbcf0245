import { expect } from 'chai';
import { maxCapturedBytes } from '../../src/contract/rehearsal.ts';
import { Bot, botIn } from '../world/bot.ts';
import type { Loose } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

/** A new version of a bot is tried on what was. On several nodes it talks to another node than its owner. */
describe('a rehearsal', () => {
  let here: World;
  before(async () => {
    here = await world();
  });
  after(() => here.close());

  const path = (robot: Bot) => `/api/agents/${robot.agentId}/rehearsals`;

  /** A bot that has answered, and a rehearsal of it. */
  async function begun() {
    const { alice, bob, server } = here;
    const robot = await botIn(server, alice);
    const channelId = await here.newChannel('stage');
    for (const { id } of [robot, bob]) await alice.post(`/api/channels/${channelId}/members`, { userId: id });
    const asked: Loose[] = [];
    for (const content of ['one?', 'two?', 'three?']) asked.push(await alice.say(channelId, content));
    await robot.say(channelId, '1', { answersTo: asked[0].seq });
    await robot.say(channelId, '2', { replyToId: asked[1].id });
    const { status, body } = await alice.post(path(robot), { name: 'next' });
    expect(status).to.equal(201);
    const { token, agentId } = body;
    const actor = new Bot(bob.node, { id: robot.id, username: robot.username, token, agentId });
    return { robot, actor, channelId, asked, rehearsal: body };
  }

  /** Polls a log to its end. @returns the events, and the positions that it was told */
  async function polled(actor: Bot, channelId: string) {
    let after = (await actor.get(`/api/channels/${channelId}`)).body.lastSeq;
    const events: Loose[] = [];
    for (let times = 0; times < 50; times++) {
      const { body } = await actor.get(`/api/channels/${channelId}/events?after=${after}&limit=2`);
      events.push(...body.events);
      after = body.seq;
      if (!body.hasMore) return { events, after };
    }
    throw new Error('The log does not end.');
  }

  it('plays the log again up to where it began, and publishes nothing', async () => {
    const { alice } = here;
    const { actor, channelId, asked } = await begun();
    await alice.say(channelId, 'after it began');
    const ear = await alice.listen(channelId);
    const { events, after } = await polled(actor, channelId);
    const heard = events.filter(({ event }) => event === 'message:new').map(({ data }) => data.content);
    expect(heard).to.deep.equal(['one?', 'two?', 'three?', '1', '2']);
    const end = (await actor.get(`/api/channels/${channelId}/events?after=${after}`)).body;
    expect(end).to.deep.equal({ events: [], seq: after, recovered: true, hasMore: false });
    const said = await actor.post(`/api/channels/${channelId}/messages`, { content: 'eins', answersTo: asked[0].seq });
    expect(said.status).to.equal(201);
    expect(said.body).to.include({ content: 'eins', channelId, authorId: actor.id, answersTo: asked[0].seq });
    const mark = await alice.say(channelId, 'a mark');
    await ear.next('message:new', ({ id }) => id === mark.id);
    expect(ear.all('message:new').map(({ content }) => content)).to.not.include('eins');
    expect((await alice.get(`/api/messages/${said.body.id}`)).status).to.equal(404);
    ear.close();
  });

  it('shows what the new version would have said otherwise', async () => {
    const { alice } = here;
    const { robot, actor, channelId, asked, rehearsal } = await begun();
    await polled(actor, channelId);
    const say = (body: object) => actor.post(`/api/channels/${channelId}/messages`, body);
    await say({ content: '1', replyToId: asked[0].id, nonce: 'once' });
    const again = await say({ content: '1', replyToId: asked[0].id, nonce: 'once' });
    expect(again.status).to.equal(200);
    await say({ content: 'zwei', answersTo: asked[1].seq });
    await say({ content: '3', answersTo: asked[2].seq });
    const found = (await alice.get(`${path(robot)}/${rehearsal.id}/differences`)).body;
    expect(found.counts).to.deep.equal({ same: 1, changed: 1, missing: 0, added: 1 });
    const shown = found.differences.map(({ kind, answersTo, before, after }: Loose) => [
      ...[kind, answersTo, before?.content, after?.content],
    ]);
    expect(shown).to.deep.equal([
      ['same', asked[0].seq, '1', '1'],
      ['changed', asked[1].seq, '2', 'zwei'],
      ['added', asked[2].seq, undefined, '3'],
    ]);
    const other = (await alice.get(`${path(robot)}/${rehearsal.id}/differences?only=different&limit=1`)).body;
    expect([other.differences.length, other.differences[0].kind, other.hasMore]).to.deep.equal([1, 'changed', true]);
    const [listed] = (await alice.get(path(robot))).body;
    expect(listed).to.include({ id: rehearsal.id, state: 'running', captured: 3, name: 'next' });
    expect(listed.playedRooms).to.be.at.least(1);
  });

  it('keeps so much text and no more', async () => {
    const { actor, channelId, rehearsal } = await begun();
    const say = (content: string) => actor.post(`/api/channels/${channelId}/messages`, { content });
    const full = 'UPDATE rehearsals SET captured_bytes = $2 WHERE id = $1';
    await query(here.cluster.databaseUrl, full, [rehearsal.id, maxCapturedBytes - 4]);
    expect((await say('12345')).body.code).to.equal('REHEARSAL_FULL');
    expect((await say('éé')).status).to.equal(201);
    expect((await say('1')).body.code).to.equal('REHEARSAL_FULL');
  });

  it('changes nothing else, and has no sockets', async () => {
    const { channelId, actor, asked } = await begun();
    const tried = await Promise.all([
      actor.post(`/api/messages/${asked[0].id}/reactions`, { emoji: '👍' }),
      actor.post(`/api/messages/${asked[0].id}/thread`, { name: 'a thread' }),
      actor.post(`/api/channels/${channelId}/scheduled-messages`, { content: 'x', sendAt: '2099-01-01T00:00:00.000Z' }),
      actor.post(`/api/agents/${actor.agentId}/heartbeat`),
      actor.put(`/api/agents/${actor.agentId}/slash-commands`, { commands: [] }),
    ]);
    expect(tried.map(({ body }) => body.code)).to.deep.equal(Array(tried.length).fill('INSUFFICIENT_PAT_SCOPE'));
    const ear = actor.dial({ reconnection: false });
    const refused = await new Promise<Error>((resolve) => ear.socket.once('connect_error', resolve));
    expect(Reflect.get(refused, 'data')).to.include({ code: 'FORBIDDEN' });
    ear.close();
  });

  it('runs once at a time, is its owner’s, and ends on all nodes', async () => {
    const { alice, bob } = here;
    const { robot, actor, channelId, rehearsal } = await begun();
    expect((await alice.post(path(robot))).body.code).to.equal('REHEARSAL_RUNNING');
    expect((await bob.get(path(robot))).body.code).to.equal('AGENT_NOT_FOUND');
    for (const who of [robot, actor]) expect((await who.get(path(robot))).body.code).to.equal('FORBIDDEN');
    const ended = await alice.post(`${path(robot)}/${rehearsal.id}/end`);
    expect(ended.body).to.include({ state: 'ended' });
    expect((await actor.get(`/api/channels/${channelId}`)).body.code).to.equal('ACCESS_TOKEN_INVALID');
    expect((await robot.get(`/api/channels/${channelId}`)).status).to.equal(200);
    expect((await alice.get(`${path(robot)}/${rehearsal.id}/differences`)).status).to.equal(200);
    expect((await alice.get(`${path(robot)}/${robot.id}/differences`)).body.code).to.equal('REHEARSAL_NOT_FOUND');
    expect((await alice.post(path(robot), { days: 1 })).status).to.equal(201);
  });
});
