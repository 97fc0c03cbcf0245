import { expect } from 'chai';
import { type Bot, botIn } from '../world/bot.ts';
import type { Answer, Loose, Person } from '../world/person.ts';
import { type World, world } from '../world/world.ts';

const options = [
  { type: 'text', name: 'city', required: true, minLength: 2, maxLength: 20 },
  { type: 'number', name: 'days', min: 1, max: 5, integer: true },
  { type: 'choice', name: 'unit', choices: [{ value: 'c', label: 'Celsius' }] },
  { type: 'user', name: 'whose' },
  { type: 'channel', name: 'where' },
  { type: 'file', name: 'map' },
];

/** On several nodes whoever invokes is on another node than the bot and its owner. */
describe('commands of bots', () => {
  let here: World;
  const bots: Bot[] = [];
  before(async () => {
    here = await world();
  });
  after(() => {
    for (const robot of bots) robot.hangUp();
    here.close();
  });

  async function robot(commands: object[] = [{ name: 'weather', aliases: ['w'], options }]): Promise<Bot> {
    const made = await botIn(here.server, here.alice);
    bots.push(made);
    const set = await here.alice.put(`/api/agents/${made.agentId}/slash-commands`, { commands });
    expect(set.status).to.equal(200);
    return made;
  }
  const invoke = (who: Person, { agentId }: Bot, given: object = {}, command = 'weather'): Promise<Answer> =>
    who.post(`/api/channels/${here.channel.id}/commands`, { agentId, command, options: given });
  const log = async (made: Bot, after: number): Promise<Loose[]> => {
    const page = (await made.get(`/api/events?after=${after}&wait=20`)).body;
    return page.events.filter(({ event }: Loose) => event === 'interaction:created').map(({ data }: Loose) => data);
  };
  const end = async (made: Bot): Promise<number> => (await made.get('/api/events')).body.seq;

  it('reach the bot as an interaction in its own log, with what the values stand for', async () => {
    const { alice, bob, channel, server } = here;
    const made = await robot();
    const ear = await made.connect();
    const map = await bob.upload('map.txt', Buffer.from('here be dragons'));
    const values = { city: 'Oslo', days: 3, unit: 'c', whose: alice.id.toUpperCase(), where: channel.id, map: map.id };
    const { status, body } = await invoke(bob, made, values, 'W');
    expect(status).to.equal(201);
    expect(body).to.include({ kind: 'command', state: 'waiting', agentId: made.agentId, channelId: channel.id });
    const told = await ear.next('interaction:created', ({ id }) => id === body.id);
    expect(told).to.deep.include({
      kind: 'command',
      serverId: server.id,
      channelId: channel.id,
      threadId: null,
      messageId: null,
      values: { ...values, whose: alice.id },
    });
    expect(told.user.id).to.equal(bob.id);
    const { name, resolved } = told.command;
    expect(name).to.equal('weather');
    expect(resolved.users[alice.id].username).to.equal(alice.username);
    expect(resolved.channels[channel.id].name).to.equal('general');
    expect(resolved.files[map.id].filename).to.equal('map.txt');
  });

  it('let the bot read the files that it was given, and no other bot', async () => {
    const { bob, carol } = here;
    const made = await robot();
    const other = await robot();
    const map = await bob.upload('map.txt', Buffer.from('here be dragons'));
    const path = `/api/media/${map.id}`;
    expect((await made.get(path)).status).to.equal(404);
    expect((await invoke(bob, made, { city: 'Oslo', map: map.id })).status).to.equal(201);
    expect((await made.get(path)).status).to.equal(200);
    for (const stranger of [other, carol]) expect((await stranger.get(path)).status).to.equal(404);
  });

  it('take only what the bot has declared, and say what does not fit', async () => {
    const { bob, carol } = here;
    const made = await robot();
    const issues = async (given: object) => {
      const { status, body } = await invoke(bob, made, given);
      expect(status, JSON.stringify(given)).to.equal(400);
      return body.issues.map(({ path }: Loose) => path);
    };
    expect(await issues({})).to.deep.equal(['options.city']);
    expect(await issues({ city: '  ' })).to.deep.equal(['options.city']);
    expect(await issues({ city: 'O', days: 9 })).to.deep.equal(['options.city', 'options.days']);
    expect(await issues({ city: 'Oslo', days: 1.5 })).to.deep.equal(['options.days']);
    expect(await issues({ city: 'Oslo', days: '2' })).to.deep.equal(['options.days']);
    expect(await issues({ city: 'Oslo', unit: 'f' })).to.deep.equal(['options.unit']);
    expect(await issues({ city: 'Oslo', whose: 'bob' })).to.deep.equal(['options.whose']);
    expect(await issues({ city: 'Oslo', wind: 'yes' })).to.deep.equal(['options.wind']);
    const code = async (given: object) => (await invoke(bob, made, { city: 'Oslo', ...given })).body.code;
    expect(await code({ whose: carol.id })).to.equal('USER_NOT_FOUND');
    expect(await code({ where: carol.id })).to.equal('CHANNEL_NOT_FOUND');
    const theirs = await carol.upload('theirs.txt', Buffer.from('not for bob'));
    expect(await code({ map: theirs.id })).to.equal('ATTACHMENT_NOT_FOUND');
    const sent = await bob.upload('sent.txt', Buffer.from('sent'));
    await bob.say(here.channel.id, 'with a file', { attachments: [{ id: sent.id }] });
    expect(await code({ map: sent.id })).to.equal('ATTACHMENT_INVALID');
  });

  it('reach it whatever its policy but `disabled`, also when it was away, and not while it is stopped', async () => {
    const { alice, bob, channel } = here;
    const made = await robot();
    const policy = (body: object) => alice.put(`/api/channels/${channel.id}/agents/${made.agentId}/policy`, body);
    const before = await end(made);
    await policy({ mode: 'custom', listen: false, reply: false });
    expect((await invoke(bob, made, { city: 'Rome' })).status).to.equal(201);
    await policy({ mode: 'mentionOnly' });
    expect((await invoke(bob, made, { city: 'Bern' })).status).to.equal(201);
    await policy({ mode: 'disabled' });
    expect((await invoke(bob, made, { city: 'Kyiv' })).body.code).to.equal('BOT_ABSENT');
    await policy({ mode: 'replyAll' });
    await alice.post(`/api/agents/${made.agentId}/stop`);
    expect((await invoke(bob, made, { city: 'Lima' })).body.code).to.equal('AGENT_STOPPED');
    await alice.post(`/api/agents/${made.agentId}/start`);
    expect((await log(made, before)).map(({ values }) => values.city)).to.deep.equal(['Rome', 'Bern']);
  });

  it('count once for one nonce', async () => {
    const { bob, channel } = here;
    const made = await robot();
    const before = await end(made);
    const body = { agentId: made.agentId, command: 'weather', options: { city: 'Oslo' }, nonce: 'the same' };
    const path = `/api/channels/${channel.id}/commands`;
    const both = await Promise.all([bob.post(path, body), bob.post(path, body)]);
    expect(both.map(({ status }) => status).sort()).to.deep.equal([200, 201]);
    expect(both[0]?.body.id).to.equal(both[1]?.body.id);
    expect(await log(made, before)).to.have.length(1);
  });

  it('are for people who may write there: not for bots, not from outside, and not what is sent as text', async () => {
    const { bob, carol } = here;
    const made = await robot([{ name: 'text' }, { name: 'bare', options: [] }]);
    const other = await robot();
    expect((await invoke(other, made, {}, 'bare')).body.code).to.equal('FORBIDDEN');
    expect((await invoke(carol, made, {}, 'bare')).status).to.equal(404);
    expect((await invoke(bob, made, {}, 'text')).body.code).to.equal('COMMAND_NOT_FOUND');
    expect((await invoke(bob, made, {}, 'nothing')).body.code).to.equal('COMMAND_NOT_FOUND');
    expect((await invoke(bob, made, {}, 'bare')).status).to.equal(201);
  });

  it('are declared within bounds, and listed with their options', async () => {
    const { alice, bob, channel } = here;
    const made = await robot();
    const path = `/api/agents/${made.agentId}/slash-commands`;
    const wrong = [
      [{ type: 'text', name: 'a', minLength: 3, maxLength: 2 }],
      [{ type: 'number', name: 'a', min: 3, max: 2 }],
      [{ type: 'choice', name: 'a', choices: [] }],
      [{ type: 'date', name: 'a' }],
      [options[0], { type: 'user', name: 'CITY' }],
      Array.from({ length: 21 }, (_, at) => ({ type: 'user', name: `u${at}` })),
    ];
    for (const given of wrong) {
      const { status } = await alice.put(path, { commands: [{ name: 'x', options: given }] });
      expect(status, JSON.stringify(given)).to.equal(400);
    }
    const listed = (await bob.get(`/api/channels/${channel.id}/slash-commands`)).body.commands;
    const [own] = listed.filter(({ agentId }: Loose) => agentId === made.agentId);
    expect(own.options.map(({ name, required }: Loose) => [name, required])).to.deep.equal(
      options.map(({ name }) => [name, name === 'city']),
    );
  });
});
