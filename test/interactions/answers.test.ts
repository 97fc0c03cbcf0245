// nodes: one and two

import { expect } from 'chai';
import { type Bot, botIn } from '../world/bot.ts';
import type { Answer, Loose, Person } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

const codeOf = ({ status, body }: Answer) => [status, body.code];
const button = { type: 'button', id: 'yes', label: 'Yes' };
const asked = { title: 'Why?', fields: [{ type: 'text', id: 'reason', label: 'Reason' }] };

/** On several nodes alice, who owns the bot, and bob, who uses what it offers, are on different ones. */
describe('answers of bots', () => {
  let here: World;
  let robot: Bot;
  let message: Loose;

  beforeEach(async () => {
    here = await world();
    robot = await botIn(here.server, here.alice);
    message = await robot.say(here.channel.id, 'Well?', { components: { items: [button] } });
  });
  afterEach(() => {
    robot.hangUp();
    here.close();
  });

  async function pressed(who: Person = here.bob, nonce?: string): Promise<string> {
    // What was pressed a moment ago is the same press.
    const text = `UPDATE interactions SET created_at = created_at - interval '1 minute' WHERE user_id = $1`;
    await query(here.cluster.databaseUrl, text, [who.id]);
    const { status, body } = await who.post(`/api/messages/${message.id}/uses`, { componentId: 'yes', nonce });
    expect(status).to.equal(201);
    return body.id;
  }
  const answer = (id: string, body: object, who: Person = robot) => who.post(`/api/interactions/${id}/answers`, body);
  const ephemeralsOf = async (who: Person): Promise<Loose[]> => (await who.get('/api/auth/me/ephemerals')).body;
  const told = (device: Awaited<ReturnType<Person['connect']>>, id: string) =>
    device
      .all('interaction:updated')
      .flatMap((use) => (use.id === id ? [[use.state, use.note, use.form !== null]] : []));

  it('change the message, reply to it, and say how far they are, on each device of the person', async () => {
    const { bob, channel } = here;
    const [device, other] = [await bob.connect(), await here.alice.listen(channel.id)];
    const id = await pressed();
    expect((await answer(id, { type: 'working', note: 'Looking' })).body).to.include({
      interactionId: id,
      state: 'working',
    });
    const items = [{ ...button, label: 'Done', disabled: true }];
    const updated = await answer(id, { type: 'update', content: 'Yes!', components: { items } });
    expect([updated.status, updated.body.state, updated.body.message.content]).to.deep.equal([200, 'answered', 'Yes!']);
    expect((await other.next('message:updated')).components.items[0].disabled).to.equal(true);
    const replied = await answer(id, { type: 'reply', content: 'Here you are.' });
    expect(replied.body.message).to.include({ replyToId: message.id, authorId: robot.id, channelId: channel.id });
    expect((await other.next('message:new')).id).to.equal(replied.body.message.id);
    await answer(id, { type: 'done' });
    // What changes nothing is told to nobody.
    await answer(id, { type: 'ephemeral', content: 'The end.' });
    await device.next('ephemeral:created');
    expect(told(device, id)).to.deep.equal([
      ['waiting', null, false],
      ['working', 'Looking', false],
      ['answered', null, false],
    ]);
    expect((await bob.get('/api/auth/me/uses')).body).to.deep.equal([]);
  });

  it('are made once, however often a bot that died gives them again', async () => {
    const { bob, channel } = here;
    const id = await pressed();
    const twice = async (body: object) => [await answer(id, body), await answer(id, body)].map(({ body }) => body);
    const replies = await Promise.all([1, 2, 3].map(() => answer(id, { type: 'reply', content: 'Once.' })));
    expect(new Set(replies.map(({ body }) => body.message.id)).size).to.equal(1);
    const [first, second] = await twice({ type: 'ephemeral', content: 'For you.' });
    expect(first.ephemeral.id).to.equal(second.ephemeral.id);
    await twice({ type: 'update', content: 'Same.' });
    await twice({ type: 'ephemeral', content: 'And this.', nonce: '2' });
    const { messages } = (await bob.get(`/api/channels/${channel.id}/messages`)).body;
    expect(messages.map(({ content }: Loose) => content)).to.deep.equal(['Once.', 'Same.']);
    expect((await ephemeralsOf(bob)).map(({ content }) => content)).to.deep.equal(['For you.', 'And this.']);
    for (const nonce of ['3', '4'])
      expect((await answer(id, { type: 'reply', content: 'More.', nonce })).status).to.equal(200);
    expect(codeOf(await answer(id, { type: 'reply', content: 'More.', nonce: '5' }))).to.deep.equal([
      400,
      'ANSWER_LIMIT',
    ]);
    expect((await answer(id, { type: 'reply', content: 'More.', nonce: '4' })).status).to.equal(200);
  });

  it('for one person alone are on all of their devices until dismissed, or for a day, and nowhere else', async () => {
    const { alice, bob, channel } = here;
    const [device, ear, own] = [await bob.connect(), await alice.listen(channel.id), await robot.listen(channel.id)];
    const { ephemeral } = (await answer(await pressed(), { type: 'ephemeral', content: 'The code is 42.' })).body;
    expect(ephemeral).to.include({ channelId: channel.id, replyToId: message.id, content: 'The code is 42.' });
    expect(ephemeral.author.id).to.equal(robot.id);
    const { eventSeq: _, ...shown } = await device.next('ephemeral:created');
    expect(shown).to.deep.equal(ephemeral);
    expect(await ephemeralsOf(bob)).to.deep.equal([ephemeral]);
    for (const who of [alice, robot]) expect(await ephemeralsOf(who)).to.deep.equal([]);
    const path = `/api/auth/me/ephemerals/${ephemeral.id}`;
    expect(codeOf(await alice.delete(path))).to.deep.equal([404, 'EPHEMERAL_NOT_FOUND']);
    expect((await bob.delete(path)).status).to.equal(200);
    expect((await device.next('ephemeral:removed')).id).to.equal(ephemeral.id);
    expect(await ephemeralsOf(bob)).to.deep.equal([]);
    expect(codeOf(await bob.delete(path))).to.deep.equal([404, 'EPHEMERAL_NOT_FOUND']);
    await answer(await pressed(bob, 'later'), { type: 'ephemeral', content: 'Another.' });
    await query(
      here.cluster.databaseUrl,
      `UPDATE ephemerals SET ends_at = ends_at - interval '1 day' WHERE user_id = '${bob.id}'`,
    );
    expect(await ephemeralsOf(bob)).to.deep.equal([]);
    await bob.say(channel.id, 'last');
    for (const listener of [ear, own]) {
      await listener.next('message:new', ({ content }) => content === 'last');
      expect(JSON.stringify(listener.received)).to.not.contain('The code is 42.');
    }
    expect((await bob.get('/api/search/messages?query=code')).body).to.deep.equal([]);
  });

  it('may be a form, which is filled in once and answered like any other', async () => {
    const { alice, bob } = here;
    const ear = await robot.connect();
    const device = await bob.connect();
    const id = await pressed();
    const path = `/api/interactions/${id}/form`;
    expect(codeOf(await bob.post(path, { values: {} }))).to.deep.equal([409, 'INTERACTION_ENDED']);
    await answer(id, { type: 'form', form: asked });
    const use = await device.next('interaction:updated', ({ form }) => form !== null);
    expect([use.id, use.form.title]).to.deep.equal([id, 'Why?']);
    expect((await bob.get('/api/auth/me/uses')).body.map((one: Loose) => one.id)).to.deep.equal([id]);
    expect(codeOf(await alice.post(path, { values: { reason: 'x' } }))).to.deep.equal([404, 'INTERACTION_NOT_FOUND']);
    const empty = await bob.post(path, { values: {} });
    expect([empty.status, empty.body.issues[0].path]).to.deep.equal([400, 'values.reason']);
    const sent = await Promise.all([1, 2].map(() => bob.post(path, { values: { reason: 'So' } })));
    expect(sent.map(({ status }) => status).sort()).to.deep.equal([200, 201]);
    const filled = await ear.next('interaction:created', ({ kind }) => kind === 'form');
    expect([filled.id, filled.parentId, filled.values]).to.deep.equal([sent[0]?.body.id, id, { reason: 'So' }]);
    await device.next('interaction:updated', (one) => one.id === id && one.state === 'answered' && one.form === null);
    expect((await answer(filled.id, { type: 'ephemeral', content: 'Thanks.' })).status).to.equal(200);
    expect(ear.all('interaction:created')).to.have.length(2);
  });

  it('leave a form open until it is sent, and do not ask for it again then', async () => {
    const { bob } = here;
    const device = await bob.connect();
    const id = await pressed();
    const path = `/api/interactions/${id}/form`;
    const ask = () => answer(id, { type: 'form', form: asked });
    await ask();
    await answer(id, { type: 'working', note: 'Still here' });
    await answer(id, { type: 'ephemeral', content: 'Take your time.' });
    await device.next('ephemeral:created');
    expect(
      told(device, id)
        .slice(1)
        .map(([, , hasForm]) => hasForm),
    ).to.deep.equal([true, true, true]);
    const sent = await bob.post(path, { values: { reason: 'So' } });
    expect(sent.status).to.equal(201);
    // A bot that died before it knew asks once more.
    expect((await ask()).status).to.equal(200);
    const [use] = (await bob.get('/api/auth/me/uses')).body;
    expect([use.id, use.form]).to.deep.equal([sent.body.id, null]);
    const again = await bob.post(path, { values: { reason: 'So' } });
    expect([again.status, again.body.id]).to.deep.equal([200, sent.body.id]);
    expect(codeOf(await bob.post(path, { values: { reason: 'No' } }))).to.deep.equal([409, 'INTERACTION_ENDED']);
  });

  it('take a form from those alone who may still use what it came of', async () => {
    const { alice, bob, channel } = here;
    const submit = (id: string) => bob.post(`/api/interactions/${id}/form`, { values: { reason: 'So' } });
    const ask = async () => {
      const id = await pressed();
      await answer(id, { type: 'form', form: asked });
      return id;
    };
    const id = await ask();
    await alice.post(`/api/channels/${channel.id}/archive`);
    expect(codeOf(await submit(id))).to.deep.equal([409, 'CHANNEL_ARCHIVED']);
    await alice.post(`/api/channels/${channel.id}/unarchive`);
    const path = `/api/messages/${message.id}`;
    await robot.patch(path, { components: { items: [{ ...button, usableBy: { userIds: [alice.id] } }] } });
    expect(codeOf(await submit(id))).to.deep.equal([403, 'COMPONENT_NOT_FOR_YOU']);
    // What is gone by now was for whoever used it.
    await robot.patch(path, { components: null });
    expect((await submit(id)).status).to.equal(201);
    await robot.patch(path, { components: { items: [button] } });
    const last = await ask();
    await alice.delete(path);
    expect(codeOf(await submit(last))).to.deep.equal([404, 'MESSAGE_NOT_FOUND']);
  });

  it('take no form in a DM from those who have blocked the bot', async () => {
    const { bob } = here;
    const dm = (await bob.post('/api/dm/channels', { userId: robot.id })).body;
    message = await robot.say(dm.id, 'Well?', { components: { items: [button] } });
    const id = await pressed();
    await answer(id, { type: 'form', form: asked });
    await bob.put(`/api/friends/blocks/${robot.id}`);
    const { status, body } = await bob.post(`/api/interactions/${id}/form`, { values: { reason: 'So' } });
    expect(status).to.equal(403);
    expect(body.code).to.be.oneOf(['BLOCKED', 'USER_BLOCKED']);
  });

  it('go on and on for nobody: a bot says something else so often, and then only that it is done', async () => {
    const id = await pressed();
    await query(here.cluster.databaseUrl, 'UPDATE interactions SET changes = 99 WHERE id = $1', [id]);
    const say = (note: string) => answer(id, { type: 'working', note });
    expect((await say('once')).status).to.equal(200);
    expect((await say('once')).status).to.equal(200);
    expect(codeOf(await say('twice'))).to.deep.equal([400, 'ANSWER_LIMIT']);
    expect(codeOf(await answer(id, { type: 'form', form: asked }))).to.deep.equal([400, 'ANSWER_LIMIT']);
    expect((await answer(id, { type: 'done' })).status).to.equal(200);
    const field = { ...asked.fields[0], type: 'choice' };
    const options = Array.from({ length: 25 }, (_, at) => ({
      value: `${at}`,
      label: 'x'.repeat(80),
      description: 'y'.repeat(200),
    }));
    const fields = Array.from({ length: 10 }, (_, at) => ({ ...field, id: `f${at}`, options }));
    expect(codeOf(await answer(id, { type: 'form', form: { ...asked, fields } }))).to.deep.equal([
      400,
      'VALIDATION_FAILED',
    ]);
  });

  it('are let through where bots have answered each other for too long, as if the person had spoken', async () => {
    const { alice, server, channel } = here;
    const other = await botIn(server, alice);
    const say = (who: Bot) => who.post(`/api/channels/${channel.id}/messages`, { content: 'and you?' });
    const talk = async () => {
      for (let i = 0; i < 30; i++) {
        const { body } = await say(i % 2 ? robot : other);
        if (body.code) return body.code;
      }
    };
    expect(await talk()).to.equal('BOT_LOOP');
    const id = await pressed();
    expect((await answer(id, { type: 'reply', content: 'Here.' })).status).to.equal(200);
    expect((await say(other)).status).to.equal(201);
    expect(await talk()).to.equal('BOT_LOOP');
    other.hangUp();
  });

  it('are of that bot alone, where it may write, and in time', async () => {
    const { alice, bob, channel, server } = here;
    const id = await pressed();
    const other = await botIn(server, alice);
    for (const who of [other, bob, alice]) {
      expect(codeOf(await answer(id, { type: 'done' }, who))).to.deep.equal([404, 'INTERACTION_NOT_FOUND']);
    }
    expect((await answer(id, { type: 'update' })).status).to.equal(400);
    expect((await answer(id, { type: 'reply', content: '' })).status).to.equal(400);
    const policy = `/api/channels/${channel.id}/agents/${robot.agentId}/policy`;
    await alice.put(policy, { mode: 'disabled' });
    for (const type of ['working', 'done'])
      expect(codeOf(await answer(id, { type }))).to.deep.equal([403, 'FORBIDDEN']);
    await alice.put(policy, { mode: 'replyAll' });
    await query(here.cluster.databaseUrl, `UPDATE interactions SET ends_at = now() WHERE id = '${id}'`);
    expect(codeOf(await answer(id, { type: 'done' }))).to.deep.equal([409, 'INTERACTION_ENDED']);
    other.hangUp();
  });

  it('are given over sockets as over REST', async () => {
    const ear = await robot.connect();
    const id = await pressed();
    await ear.next('interaction:created');
    const working = await ear.emit('interaction:answer', { interactionId: id, type: 'working' });
    expect(working).to.deep.include({ ok: true, interactionId: id, state: 'working' });
    const done = await ear.emit('interaction:answer', { interactionId: id, type: 'reply', content: 'So be it.' });
    expect([done.state, done.message.content]).to.deep.equal(['answered', 'So be it.']);
    expect((await ear.emit('interaction:answer', { interactionId: id, type: 'what' })).code).to.equal(
      'VALIDATION_FAILED',
    );
  });

  it('obey the filters of the server', async () => {
    const { alice, server } = here;
    await alice.post(`/api/servers/${server.id}/filters`, { kind: 'word', patterns: ['turnip'], action: 'refuse' });
    const id = await pressed();
    const items = [{ ...button, label: 'A turnip' }];
    for (const body of [
      { type: 'ephemeral', content: 'turnip' },
      { type: 'reply', content: 'turnip' },
      { type: 'update', components: { items } },
      { type: 'form', form: { ...asked, title: 'A turnip' } },
      { type: 'working', note: 'A turnip' },
    ]) {
      expect(codeOf(await answer(id, body)), JSON.stringify(body)).to.deep.equal([400, 'MESSAGE_REFUSED']);
    }
  });
});
