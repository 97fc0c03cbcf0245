import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { type Bot, botIn } from '../world/bot.ts';
import type { Answer, Loose, Person } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { register, type World, world } from '../world/world.ts';

/** On several nodes alice, who owns the server, and bob, a member, are on different ones. */
describe('messages that filters flag', () => {
  let here: World;
  let moderator: Person;
  let robot: Bot;
  const pattern = 'flag*';

  before(async () => {
    here = await world();
    const { alice, bob, server } = here;
    robot = await botIn(server, bob);
    moderator = await register(alice.node);
    const { inviteCode } = (await alice.get(`/api/servers/${server.id}`)).body;
    await moderator.post('/api/servers/_/join', { inviteCode });
    await alice.patch(`/api/servers/${server.id}/members/${moderator.id}`, { role: 'moderator' });
    const body = { kind: 'word', action: 'flag', patterns: [pattern] };
    expect((await alice.post(`/api/servers/${server.id}/filters`, body)).status).to.equal(201);
  });
  after(() => {
    for (const one of [moderator, robot]) one.hangUp();
    here.close();
  });

  const cases = async (objectId: string): Promise<Loose[]> => {
    const { body } = await moderator.get(`/api/servers/${here.server.id}/reports?limit=100`);
    return body.filter((one: Loose) => one.objectId === objectId);
  };
  /** The open case of a message, once it is there. */
  const openCase = (objectId: string): Promise<Loose> =>
    until(async () => (await cases(objectId)).find(({ status }) => status === 'open'));
  const detail = async (objectId: string): Promise<Loose> =>
    (await moderator.get(`/api/reports/${(await openCase(objectId)).id}`)).body;
  const reporters = ({ reports }: Loose) =>
    reports.map(({ reporter, category, text }: Loose) => [reporter?.id ?? null, category, text]);
  const decide = (id: string, body: object): Promise<Answer> => moderator.post(`/api/reports/${id}/decide`, body);
  const ofFilter = [[null, 'filter', pattern]];

  it('are published, and reported by nobody to those who decide, live', async () => {
    const { bob, channel } = here;
    const [mod, author] = [await moderator.connect(), await bob.connect()];
    const sent = await bob.say(channel.id, 'a flagged word', { nonce: 'once' });
    const { report } = await mod.next('report:created', ({ report }) => report.objectId === sent.id);
    expect(report).to.deep.include({
      ...{ kind: 'message', serverId: here.server.id, channelId: channel.id, status: 'open', toOperators: false },
      ...{ title: 'a flagged word', categories: ['filter'], reportCount: 1 },
    });
    expect(report.about.id).to.equal(bob.id);
    expect(reporters(await detail(sent.id))).to.deep.equal(ofFilter);
    expect(author.all('report:created')).to.deep.equal([]);
    expect(author.all('held:created')).to.deep.equal([]);
    expect((await here.alice.get(`/api/servers/${here.server.id}/held`)).body).to.deep.equal([]);
  });

  it('are one case, with one report of the filters and those of people', async () => {
    const { alice, bob, channel } = here;
    const path = `/api/channels/${channel.id}/messages`;
    const sent = (await bob.post(path, { content: 'flags', nonce: 'twice' })).body;
    expect((await bob.post(path, { content: 'flags', nonce: 'twice' })).body.id).to.equal(sent.id);
    await openCase(sent.id);
    await bob.patch(`/api/messages/${sent.id}`, { content: 'flagging again' });
    await alice.post('/api/reports', { kind: 'message', messageId: sent.id, category: 'hate' });
    // What comes after the edit's job was reported after it.
    await openCase((await bob.say(channel.id, 'flag at the end')).id);
    expect(await cases(sent.id)).to.have.length(1);
    const found = await detail(sent.id);
    expect(reporters(found)).to.deep.equal([...ofFilter, [alice.id, 'hate', null]]);
    expect(found).to.deep.include({ current: 'flagging again', title: 'flags' });
  });

  it('keep what was said, although it is deleted or edited at once', async () => {
    const { bob, channel } = here;
    const [gone, other] = [await bob.say(channel.id, 'flag gone'), await bob.say(channel.id, 'flag other')];
    await Promise.all([
      bob.delete(`/api/messages/${gone.id}`),
      bob.patch(`/api/messages/${other.id}`, { content: 'harmless' }),
    ]);
    expect(await openCase(gone.id)).to.include({ title: 'flag gone' });
    expect(await openCase(other.id)).to.include({ title: 'flag other' });
    expect(await detail(gone.id)).to.include({ current: null });
    expect(await detail(other.id)).to.include({ current: 'harmless' });
  });

  /** Flagged by each way to publish a message. @returns its id */
  const ways: Record<string, () => Promise<string>> = {
    'an edit': async () => {
      const { id } = await here.bob.say(here.channel.id, 'clean');
      expect((await here.bob.patch(`/api/messages/${id}`, { content: 'flagrant' })).status).to.equal(200);
      return id;
    },
    'a message in a thread': async () => {
      const parent = await here.bob.say(here.channel.id, 'parent');
      const thread = (await here.bob.post(`/api/messages/${parent.id}/thread`)).body;
      return (await here.bob.post(`/api/threads/${thread.id}/messages`, { content: 'flagship' })).body.id;
    },
    'an event': async () => {
      const mouth = await here.bob.listen(here.channel.id);
      return (await mouth.emit('message:send', { channelId: here.channel.id, content: 'flagstone' })).message.id;
    },
    'many at once': async () => {
      const sent = await Promise.all(
        Array.from({ length: 8 }, (_, i) => here.bob.say(here.channel.id, i % 2 ? `flag ${i}` : `plain ${i}`)),
      );
      for (const [i, { id }] of sent.entries()) if (i % 2) await openCase(id);
      expect(await cases(sent[0]?.id)).to.deep.equal([]);
      return sent[7]?.id;
    },
    'a message of a bot': async () => (await robot.say(here.channel.id, 'flagpole')).id,
    'a streamed reply': async () => {
      const mouth = await robot.listen(here.channel.id);
      const piece = { channelId: here.channel.id, streamId: 'flagged' };
      await mouth.emit('message:stream', { ...piece, delta: 'a flag ' });
      return (await mouth.emit('message:stream', { ...piece, delta: 'here', done: true })).message.id;
    },
    'the name of a file': async () => {
      const { id } = await here.bob.upload('flag.txt', new Uint8Array([1]));
      return (await here.bob.say(here.channel.id, 'with a file', { attachments: [{ id }] })).id;
    },
    'a file that is added later': async () => {
      const { id } = await here.bob.say(here.channel.id, 'without a file');
      await here.bob.upload('flag.txt', new Uint8Array([1]), { messageId: id });
      return id;
    },
  };

  for (const [name, way] of Object.entries(ways)) {
    it(`are reported by ${name}`, async () => {
      expect(reporters(await detail(await way()))).to.deep.equal(ofFilter);
    });
  }

  it('are decided like what people report, and reported anew after that', async () => {
    const { bob, channel } = here;
    const sent = await bob.say(channel.id, 'flag me');
    expect((await decide((await openCase(sent.id)).id, { action: 'dismiss' })).status).to.equal(200);
    await bob.patch(`/api/messages/${sent.id}`, { content: 'flag me again' });
    const { id } = await openCase(sent.id);
    expect((await decide(id, { action: 'delete' })).body).to.include({ status: 'decided', action: 'delete' });
    expect((await bob.get(`/api/messages/${sent.id}`)).status).to.equal(404);
    expect(await cases(sent.id)).to.have.length(2);
  });

  it('are written together with what makes the report, or not at all', async () => {
    const { bob, channel, cluster } = here;
    const ask = (statement: string) => query(cluster.databaseUrl, statement);
    await ask(`CREATE FUNCTION refuse_flags() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$`);
    await ask(`CREATE TRIGGER refuse_flags BEFORE INSERT ON jobs FOR EACH ROW WHEN (new.kind = 'message-flag')
      EXECUTE FUNCTION refuse_flags()`);
    const send = () => bob.post(`/api/channels/${channel.id}/messages`, { content: 'flag or nothing', nonce: 'whole' });
    try {
      expect((await send()).status).to.equal(500);
      const written = `SELECT FROM messages WHERE content = 'flag or nothing'`;
      expect(await ask(written)).to.deep.equal([]);
    } finally {
      await ask('DROP TRIGGER refuse_flags ON jobs');
      await ask('DROP FUNCTION refuse_flags');
    }
    const sent = await send();
    expect(sent.status).to.equal(201);
    expect(await openCase(sent.body.id)).to.include({ reportCount: 1 });
  });
});
