// nodes: one and two

import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { type Bot, botIn } from '../world/bot.ts';
import type { Answer, Loose, Person } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { register, type World, world } from '../world/world.ts';

const codeOf = ({ status, body }: Answer) => [status, body.code];
const button = { type: 'button', id: 'yes', label: 'Yes' };
const select = {
  ...{ type: 'select', id: 'size', label: 'Size', max: 2 },
  options: ['s', 'm', 'l'].map((value) => ({ value, label: value.toUpperCase() })),
};
const form = {
  ...{ type: 'form', id: 'order', label: 'Order' },
  form: {
    title: 'Your order',
    fields: [
      { type: 'text', id: 'name', label: 'Name', minLength: 2, maxLength: 5 },
      { type: 'text', id: 'mail', label: 'Mail', format: 'email', required: false },
      { type: 'number', id: 'count', label: 'How many', min: 1, max: 9, integer: true },
      { type: 'choice', id: 'kind', label: 'Kind', options: [{ value: 'a', label: 'A' }] },
      { type: 'checkbox', id: 'agreed', label: 'Agreed', required: true },
      { type: 'date', id: 'day', label: 'Day', required: false },
    ],
  },
};
const filled = { name: 'Bob', count: 2, kind: ['a'], agreed: true };

/** On several nodes alice, who owns the server and the bot, and bob, a member, are on different ones. */
describe('components', () => {
  let here: World;
  let robot: Bot;
  let others: Person[] = [];

  beforeEach(async () => {
    here = await world();
    robot = await botIn(here.server, here.alice);
    others = [];
  });
  afterEach(() => {
    for (const other of [robot, ...others]) other.hangUp();
    here.close();
  });

  const offer = (...items: object[]) => robot.say(here.channel.id, '', { components: { items } });
  const use = (who: Person, message: Loose, componentId: string, more: object = {}) =>
    who.post(`/api/messages/${message.id}/uses`, { componentId, ...more });
  /** What the bot was told, as its log has it. */
  async function told(): Promise<Loose[]> {
    const { body } = await robot.get('/api/events?after=0&limit=500');
    return body.events.flatMap(({ event, data }: Loose) => (event === 'interaction:created' ? [data] : []));
  }
  async function member(): Promise<Person> {
    const made = await register(here.bob.node);
    others.push(made);
    await made.post(`/api/servers/${here.server.id}/join`, { inviteCode: here.server.inviteCode });
    return made;
  }

  it('are sent, shown, replaced and taken away by bots alone', async () => {
    const { alice, bob, channel } = here;
    const ear = await bob.listen(channel.id);
    const sent = await offer(button, { type: 'link', label: 'More', url: 'https://example.com/' });
    const [shown] = (await bob.get(`/api/channels/${channel.id}/messages`)).body.messages;
    for (const { components } of [sent, await ear.next('message:new'), shown]) {
      expect(components.version).to.equal(1);
      expect(components.items.map(({ type }: Loose) => type)).to.deep.equal(['button', 'link']);
      expect(components.items[0]).to.include({ style: 'plain', disabled: false, uses: 'often' });
    }
    const path = `/api/messages/${sent.id}`;
    const changed = await robot.patch(path, { content: 'Well?', components: { items: [select] } });
    expect([changed.body.content, changed.body.components.items[0].id]).to.deep.equal(['Well?', 'size']);
    const told = await ear.next('message:updated');
    expect(told.components).to.deep.equal(changed.body.components);
    expect(codeOf(await use(bob, sent, 'yes'))).to.deep.equal([404, 'COMPONENT_NOT_FOUND']);
    const bare = await robot.patch(path, { components: null });
    expect([bare.status, 'components' in bare.body]).to.deep.equal([200, false]);
    expect(codeOf(await robot.patch(path, { content: '' }))).to.deep.equal([400, 'VALIDATION_FAILED']);
    const components = { items: [button] };
    const own = await alice.post(`/api/channels/${channel.id}/messages`, { content: 'mine', components });
    expect(codeOf(own)).to.deep.equal([403, 'FORBIDDEN']);
  });

  it('are bounded, and nothing about them is left open', async () => {
    const bad = [
      { items: [] },
      { version: 2, items: [button] },
      { items: Array.from({ length: 26 }, (_, at) => ({ ...button, id: `b${at}` })) },
      { items: [button, { ...select, id: 'yes' }] },
      { items: [{ ...button, label: '' }] },
      { items: [{ ...button, label: 'x'.repeat(81) }] },
      { items: [{ ...button, id: 'with space' }] },
      { items: [{ ...button, id: '__proto__' }] },
      { items: [{ ...button, usableBy: {} }] },
      { items: [{ ...select, min: 3 }] },
      { items: [{ ...select, min: 4, max: 4 }] },
      { items: [{ ...select, options: [] }] },
      { items: [{ ...form, form: { ...form.form, fields: [] } }] },
      { items: [{ ...form, form: { ...form.form, fields: [{ ...form.form.fields[2], min: 9, max: 1 }] } }] },
      { items: [{ type: 'link', label: 'x', url: 'javascript:alert(1)' }] },
      { items: [{ type: 'other', id: 'x', label: 'x' }] },
    ];
    for (const components of bad) {
      const { status } = await robot.post(`/api/channels/${here.channel.id}/messages`, { content: 'see', components });
      expect(status, JSON.stringify(components)).to.equal(400);
    }
  });

  it('tell the bot in its own log and the person on each device, once and in order', async () => {
    const { bob, channel, server } = here;
    const [device, ear] = [await bob.connect(), await robot.connect()];
    const sent = await offer(button, select, form);
    const pressed = await use(bob, sent, 'yes');
    expect(pressed.status).to.equal(201);
    await use(bob, sent, 'size', { values: { size: ['l', 's'] } });
    await use(bob, sent, 'order', { values: filled });
    await ear.next('interaction:created', ({ kind }) => kind === 'form');
    const events = ear.all('interaction:created');
    expect(events.map(({ kind, values }) => [kind, values])).to.deep.equal([
      ['button', {}],
      ['select', { size: ['s', 'l'] }],
      ['form', { name: 'Bob', mail: null, count: 2, kind: ['a'], agreed: true, day: null }],
    ]);
    const [first] = events;
    expect(first).to.deep.include({ agentId: robot.agentId, serverId: server.id, channelId: channel.id });
    expect(first).to.deep.include({ messageId: sent.id, componentId: 'yes', threadId: null, command: null });
    expect([first.id, first.user.id]).to.deep.equal([pressed.body.id, bob.id]);
    expect((await told()).map(({ id }) => id)).to.deep.equal(events.map(({ id }) => id));
    const seen = await device.next('interaction:updated');
    expect([seen.id, seen.state]).to.deep.equal([pressed.body.id, 'waiting']);
    expect((await robot.get(`/api/interactions/${first.id}`)).body.values).to.deep.equal({});
    for (const who of [bob, here.alice]) {
      expect(codeOf(await who.get(`/api/interactions/${first.id}`))).to.deep.equal([404, 'INTERACTION_NOT_FOUND']);
    }
  });

  it('reach a bot that was away, when it comes back to where it was', async () => {
    const sent = await offer(button);
    const { seq } = (await robot.get('/api/events')).body;
    const { body } = await use(here.bob, sent, 'yes');
    const page = (await robot.get(`/api/events?after=${seq}&wait=20`)).body;
    const [only] = page.events.filter(({ event }: Loose) => event === 'interaction:created');
    expect([only.data.id, only.seq]).to.deep.equal([body.id, only.data.eventSeq]);
  });

  it('take what their fields take, and say of each what is wrong', async () => {
    const sent = await offer(form, select, button);
    const wrong = {
      ...{ name: 'x', mail: 'no mail', count: 2.5, kind: ['b'], agreed: false, day: '31.1.2026' },
      other: 'thing',
    };
    const { status, body } = await use(here.bob, sent, 'order', { values: wrong });
    const paths = body.issues.map(({ path }: Loose) => path).sort();
    expect([status, paths]).to.deep.equal([
      400,
      Object.keys(wrong)
        .sort()
        .map((id) => `values.${id}`),
    ]);
    const others: [string, object][] = [
      ['order', {}],
      ['order', { ...filled, count: 10 }],
      ['order', { ...filled, name: 'Robert' }],
      ['size', {}],
      ['size', { size: [] }],
      ['size', { size: ['s', 's'] }],
      ['size', { size: ['s', 'm', 'l'] }],
      ['size', { size: 's' }],
      ['yes', { yes: true }],
    ];
    for (const [id, values] of others) {
      const answer = await use(here.bob, sent, id, { values });
      expect(codeOf(answer), JSON.stringify(values)).to.deep.equal([400, 'VALIDATION_FAILED']);
    }
    expect(await told()).to.deep.equal([]);
  });

  it('have fields of any name', async () => {
    const fields = ['constructor', 'toString'].map((id) => ({ type: 'text', id, label: id, required: false }));
    const sent = await offer({ ...form, form: { title: 'Odd', fields } });
    expect((await use(here.bob, sent, 'order', { values: { toString: 'x' } })).status).to.equal(201);
    expect(JSON.stringify((await told())[0].values)).to.equal('{"constructor":null,"toString":"x"}');
  });

  it('count a use once: a double click, a repeat, and two devices on two nodes at once', async () => {
    const { bob, cluster } = here;
    const sent = await offer(button);
    const devices = cluster.nodes.map((node) => bob.on(node));
    const tries = [...devices, ...devices, ...devices].map((device) => use(device, sent, 'yes'));
    const made = await Promise.all(tries);
    expect(new Set(made.map(({ body }) => body.id)).size).to.equal(1);
    expect(made.map(({ status }) => status).sort()).to.deep.equal([...Array(made.length - 1).fill(200), 201]);
    const id = made[0]?.body.id;
    // However much later: nobody has answered it.
    await query(
      here.cluster.databaseUrl,
      `UPDATE interactions SET created_at = created_at - interval '1 hour' WHERE id = '${id}'`,
    );
    expect((await use(bob, sent, 'yes')).body.id).to.equal(id);
    await robot.post(`/api/interactions/${id}/answers`, { type: 'done' });
    const next = await use(bob, sent, 'yes', { nonce: 'n1' });
    expect([next.status, next.body.id === id]).to.deep.equal([201, false]);
    await robot.patch(`/api/messages/${sent.id}`, { content: 'over', components: null });
    const again = await use(bob, sent, 'yes', { nonce: 'n1' });
    expect([again.status, again.body.id]).to.deep.equal([200, next.body.id]);
    expect((await told()).map(({ id }) => id)).to.deep.equal([id, next.body.id]);
  });

  it('are used once by the first, or once by each, where they say so', async () => {
    const { alice, bob } = here;
    const sent = await offer({ ...button, uses: 'once' }, { ...button, id: 'each', uses: 'oncePerPerson' });
    const both = await Promise.all([use(alice, sent, 'yes'), use(bob, sent, 'yes')]);
    expect(both.map(({ status }) => status).sort()).to.deep.equal([201, 409]);
    expect(both.find(({ status }) => status === 409)?.body.code).to.equal('COMPONENT_USED');
    for (const who of [alice, bob]) expect((await use(who, sent, 'each')).status).to.equal(201);
    for (const { id } of await told()) await robot.post(`/api/interactions/${id}/answers`, { type: 'done' });
    await query(here.cluster.databaseUrl, `UPDATE interactions SET created_at = created_at - interval '1 hour'`);
    for (const who of [alice, bob]) {
      expect(codeOf(await use(who, sent, 'each'))).to.deep.equal([409, 'COMPONENT_USED']);
    }
    expect(await told()).to.have.length(3);
    await robot.delete(`/api/messages/${sent.id}`);
    const left = await query(here.cluster.databaseUrl, `SELECT FROM component_uses WHERE message_id = '${sent.id}'`);
    expect(left).to.deep.equal([]);
  });

  it('are for those whom they are for', async () => {
    const { alice, bob, carol, server } = here;
    const role = (await alice.post(`/api/servers/${server.id}/roles`, { name: 'Cooks' })).body;
    const [named, other] = [await member(), await member()];
    await alice.put(`/api/servers/${server.id}/members/${bob.id}/roles/${role.id}`);
    const sent = await offer(
      { ...button, usableBy: { roleIds: [role.id], userIds: [named.id] } },
      { ...button, id: 'high', usableBy: { role: 'admin' } },
      { ...button, id: 'off', disabled: true },
      { ...button, id: 'all' },
    );
    const refused = [403, 'COMPONENT_NOT_FOR_YOU'];
    expect((await use(named, sent, 'yes')).status).to.equal(201);
    expect((await use(bob, sent, 'yes')).status).to.equal(201);
    expect(codeOf(await use(other, sent, 'yes'))).to.deep.equal(refused);
    expect(codeOf(await use(alice, sent, 'yes'))).to.deep.equal(refused);
    expect(codeOf(await use(bob, sent, 'high'))).to.deep.equal(refused);
    expect((await use(alice, sent, 'high')).status).to.equal(201);
    expect(codeOf(await use(alice, sent, 'off'))).to.deep.equal([409, 'COMPONENT_DISABLED']);
    expect(codeOf(await use(carol, sent, 'all'))).to.deep.equal([404, 'MESSAGE_NOT_FOUND']);
    expect(codeOf(await use(robot, sent, 'all'))).to.deep.equal([403, 'FORBIDDEN']);
    await alice.put(`/api/servers/${server.id}/members/${other.id}/timeout`, { seconds: 600 });
    expect(codeOf(await use(other, sent, 'all'))).to.deep.equal([403, 'TIMED_OUT']);
  });

  it('say that the bot is stopped, switched off or gone, and nothing waits for it', async () => {
    const { alice, bob, channel, server } = here;
    const sent = await offer(button);
    const path = `/api/agents/${robot.agentId}`;
    await alice.post(`${path}/stop`);
    expect(codeOf(await use(bob, sent, 'yes'))).to.deep.equal([409, 'AGENT_STOPPED']);
    await alice.post(`${path}/start`);
    const policy = `/api/channels/${channel.id}/agents/${robot.agentId}/policy`;
    await alice.put(policy, { mode: 'disabled' });
    expect(codeOf(await use(bob, sent, 'yes'))).to.deep.equal([409, 'BOT_ABSENT']);
    await alice.put(policy, { mode: 'custom', listen: false, reply: true });
    expect((await use(bob, sent, 'yes')).status).to.equal(201);
    await until(async () => (await told()).length === 1);
    await alice.delete(`/api/servers/${server.id}/members/${robot.id}`);
    expect(codeOf(await use(alice, sent, 'yes'))).to.deep.equal([409, 'BOT_ABSENT']);
    await alice.delete(path);
    expect(codeOf(await use(alice, sent, 'yes'))).to.deep.equal([404, 'AGENT_NOT_FOUND']);
  });

  it('are used over sockets as over REST', async () => {
    const sent = await offer(select);
    const device = await here.bob.connect();
    const payload = { messageId: sent.id, componentId: 'size', values: { size: ['m'] } };
    const ack = await device.emit('interaction:use', payload);
    expect([ack.ok, ack.use.kind, ack.use.state]).to.deep.equal([true, 'select', 'waiting']);
    expect((await device.emit('interaction:use', payload)).use.id).to.equal(ack.use.id);
    expect((await device.emit('interaction:use', { ...payload, componentId: 'x' })).code).to.equal(
      'COMPONENT_NOT_FOUND',
    );
    expect((await here.bob.get('/api/auth/me/uses')).body.map(({ id }: Loose) => id)).to.deep.equal([ack.use.id]);
  });
});
