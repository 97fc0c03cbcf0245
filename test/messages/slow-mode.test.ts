import { expect } from 'chai';
import { expectError } from '../rest/verdict.ts';
import { until } from '../rig/until.ts';
import { botIn } from '../world/bot.ts';
import type { Answer, Person } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

/** On several nodes alice and bob are on different ones. Alice owns the server, so slow mode does not hold her. */
describe('slow mode', () => {
  let here: World;
  beforeEach(async () => {
    here = await world();
  });
  afterEach(() => here.close());

  const slow = async (slowModeSeconds: number) => {
    const { alice, channel } = here;
    const answer = await alice.patch(`/api/channels/${channel.id}`, { slowModeSeconds });
    expect([answer.status, answer.body.slowModeSeconds]).to.deep.equal([200, slowModeSeconds]);
  };
  const write = (who: Person, more: object = {}, headers: Record<string, string> = {}) =>
    who.post(`/api/channels/${here.channel.id}/messages`, { content: 'x', ...more }, headers);
  /** Lets the time of a person's last turn pass. */
  const wait = (who: { id: string }, seconds: number) =>
    query(
      here.cluster.databaseUrl,
      `UPDATE slow_mode_turns SET sent_at = sent_at - interval '${seconds} seconds' WHERE user_id = '${who.id}'`,
    );
  const expectSlow = (answer: Answer, most: number) => {
    expectError(answer, 'SLOW_MODE');
    expect(answer.body.retryAfter).to.be.within(1, most).and.satisfy(Number.isInteger);
    expect(answer.headers.get('retry-after')).to.equal(String(answer.body.retryAfter));
  };

  it('is shown in the channel, told to those in it, and set by those who manage it', async () => {
    const { alice, bob, channel } = here;
    const ear = await bob.listen(channel.id);
    expect((await bob.get(`/api/channels/${channel.id}`)).body.slowModeSeconds).to.equal(0);
    await slow(30);
    await ear.next('channel:updated', (told) => told.channel.slowModeSeconds === 30);
    expect((await bob.get(`/api/channels/${channel.id}`)).body.slowModeSeconds).to.equal(30);
    expectError(await bob.patch(`/api/channels/${channel.id}`, { slowModeSeconds: 0 }), 'ROLE_REQUIRED');
    for (const slowModeSeconds of [-1, 21_601, 1.5]) {
      expectError(await alice.patch(`/api/channels/${channel.id}`, { slowModeSeconds }), 'VALIDATION_FAILED');
    }
  });

  it('lets someone write again when the time is over, by which node ever, in the channel and its threads', async () => {
    const { alice, bob, channel, cluster } = here;
    const parent = await alice.say(channel.id, 'parent');
    const thread = (await alice.post(`/api/messages/${parent.id}/thread`)).body;
    await slow(600);
    expect((await write(bob)).status).to.equal(201);
    for (const node of cluster.nodes) {
      expectSlow(await write(bob.on(node)), 600);
      expectSlow(await bob.on(node).post(`/api/threads/${thread.id}/messages`, { content: 'x' }), 600);
    }
    const mouth = await bob.listen(channel.id);
    const ack = await mouth.emit('message:send', { channelId: channel.id, content: 'x' });
    expect(ack).to.include({ ok: false, code: 'SLOW_MODE' });
    expect(ack.retryAfter).to.be.within(1, 600);
    await wait(bob, 600);
    expect((await bob.post(`/api/threads/${thread.id}/messages`, { content: 'x' })).status).to.equal(201);
    expectSlow(await write(bob), 600);
    // Less time, or none, counts from the same message.
    await wait(bob, 30);
    await slow(20);
    expect((await write(bob)).status).to.equal(201);
    await slow(0);
    for (let i = 0; i < 3; i++) expect((await write(bob)).status).to.equal(201);
  });

  it('does not hold moderators, and holds bots as people', async () => {
    const { alice, bob, channel, server } = here;
    const robot = await botIn(server, bob);
    await slow(600);
    for (let i = 0; i < 3; i++) expect((await write(alice)).status).to.equal(201);
    expect((await write(robot)).status).to.equal(201);
    expectSlow(await write(robot), 600);
    const mouth = await robot.listen(channel.id);
    const piece = { channelId: channel.id, streamId: 'reply', delta: 'x' };
    expect((await mouth.emit('message:stream', piece)).code).to.equal('SLOW_MODE');
    await alice.patch(`/api/servers/${server.id}/members/${bob.id}`, { role: 'moderator' });
    for (let i = 0; i < 2; i++) expect((await write(bob)).status).to.equal(201);
    robot.hangUp();
  });

  it('lets exactly one through of many that are sent at once over all nodes', async () => {
    const { alice, bob, channel, cluster } = here;
    await slow(600);
    for (let round = 0; round < 4; round++) {
      const sends = cluster.nodes.flatMap((node) => Array.from({ length: 6 }, () => write(bob.on(node))));
      // Others are not held up by them.
      const aside = alice.say(channel.id, 'aside');
      const answers = await Promise.all(sends);
      await aside;
      expect(answers.filter(({ status }) => status === 201)).to.have.length(1);
      for (const answer of answers.filter(({ status }) => status !== 201)) expectSlow(answer, 600);
      await wait(bob, 600);
    }
  });

  it('answers a repeat with its message, which uses no turn', async () => {
    const { bob, cluster } = here;
    await slow(600);
    const nonce = 'once';
    const first = await write(bob, { nonce });
    const key = { 'idempotency-key': 'k1' };
    for (const node of cluster.nodes) {
      const again = await write(bob.on(node), { nonce });
      expect(again.body.id).to.equal(first.body.id);
    }
    expectSlow(await write(bob, {}, key), 600);
    await wait(bob, 600);
    const keyed = await write(bob, {}, key);
    expect(keyed.status).to.equal(201);
    expect((await write(bob, {}, key)).body.id).to.equal(keyed.body.id);
    await wait(bob, 600);
    expect((await write(bob, { nonce })).body.id).to.equal(first.body.id);
    expect((await write(bob, { nonce: 'other' })).status).to.equal(201);
  });

  it('uses up no turn by what is refused', async () => {
    const { bob } = here;
    await slow(600);
    expectError(await write(bob, { replyToId: crypto.randomUUID() }), 'MESSAGE_NOT_FOUND');
    expectError(await write(bob, { content: '' }), 'VALIDATION_FAILED');
    expectError(await write(bob, { attachments: [{ id: crypto.randomUUID() }] }), 'ATTACHMENT_NOT_FOUND');
    expect((await write(bob)).status).to.equal(201);
    expectSlow(await write(bob), 600);
  });

  it('ends by itself', async () => {
    const { bob } = here;
    await slow(1);
    expect((await write(bob)).status).to.equal(201);
    await until(async () => (await write(bob)).status === 201, { message: 'it did not end' });
  });
});
