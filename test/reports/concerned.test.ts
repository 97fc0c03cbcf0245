import { expect } from 'chai';
import { type Bot, botIn } from '../world/bot.ts';
import type { Loose, Person } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { register, type World, world } from '../world/world.ts';

/** On several nodes alice, who owns the server, and bob, who reports, are on different ones. */
describe('a case about someone or their bot', () => {
  let here: World;
  let moderator: Person;
  let peer: Person;
  const others: Person[] = [];

  const give = (person: Person, role: string) =>
    here.alice.patch(`/api/servers/${here.server.id}/members/${person.id}`, { role });
  async function member(role: string): Promise<Person> {
    const made = await register(here.bob.node);
    others.push(made);
    expect((await made.post('/api/servers/_/join', { inviteCode: here.server.inviteCode })).status).to.equal(200);
    expect((await give(made, role)).status).to.equal(200);
    return made;
  }
  /** A bot that decides about reports, as its owner does. */
  async function robotOf(owner: Person): Promise<Bot> {
    const made = await botIn(here.server, owner);
    others.push(made);
    expect((await give(made, 'moderator')).status).to.equal(200);
    return made;
  }
  const report = (messageId: string) =>
    here.bob.post('/api/reports', { kind: 'message', messageId, category: 'spam', text: 'from bob' });
  const caseOf = async (person: Person, objectId: string): Promise<Loose | undefined> => {
    const { body } = await person.get(`/api/servers/${here.server.id}/reports?limit=100`);
    return body.find((one: Loose) => one.objectId === objectId);
  };
  /** What someone can do with a case that does not exist for them. */
  async function expectUnknown(person: Person, { id, objectId }: Loose): Promise<void> {
    expect(await caseOf(person, objectId)).to.equal(undefined);
    const answers = [
      await person.get(`/api/reports/${id}`),
      await person.post(`/api/reports/${id}/decide`, { action: 'dismiss' }),
      await person.post(`/api/reports/${id}/escalate`),
    ];
    expect(answers.map(({ body }) => body.code)).to.deep.equal(answers.map(() => 'REPORT_NOT_FOUND'));
  }
  /** Hands a bot over to someone. */
  async function handOver(robot: Bot, from: Person, to: Person): Promise<void> {
    const offer = await from.post('/api/handovers', { userId: to.id, agentId: robot.agentId });
    expect(offer.status, JSON.stringify(offer.body)).to.equal(201);
    expect((await to.post(`/api/handovers/${offer.body.id}/accept`)).status).to.equal(200);
  }

  before(async () => {
    here = await world();
    [moderator, peer] = [await member('moderator'), await member('moderator')];
  });
  after(() => {
    for (const other of others) other.hangUp();
    here.close();
  });

  it('does not exist for their bots, whatever these may do', async () => {
    const [robot, second] = [await robotOf(moderator), await robotOf(moderator)];
    const [ear, judge] = [await robot.connect(), await peer.connect()];
    const own = await moderator.say(here.channel.id, 'of its owner');
    const ofSecond = await second.say(here.channel.id, 'of another bot of its owner');
    const ofPeer = await peer.say(here.channel.id, 'of someone else');
    for (const { id } of [own, ofSecond, ofPeer]) expect((await report(id)).status).to.equal(201);
    await judge.next('report:created', (told) => told.report.objectId === ofSecond.id);
    const last = await ear.next('report:created', (told) => told.report.objectId === ofPeer.id);
    expect(ear.all('report:created')).to.deep.equal([last]);
    for (const { id } of [own, ofSecond]) await expectUnknown(robot, (await caseOf(peer, id)) ?? {});
    const decided = await robot.post(`/api/reports/${(await caseOf(robot, ofPeer.id))?.id}/decide`, {
      action: 'dismiss',
    });
    // It is a moderator, and so is whom the case is about.
    expect(decided.body.code).to.equal('ROLE_REQUIRED');
  });

  it('stays hidden from who had the bot when it was reported, once that is deleted or handed over', async () => {
    const [deleted, handed] = [await botIn(here.server, moderator), await botIn(here.server, moderator)];
    const [one, two] = [await deleted.say(here.channel.id, 'bad'), await handed.say(here.channel.id, 'bad too')];
    for (const { id } of [one, two]) await report(id);
    const ear = await moderator.connect();
    expect((await moderator.delete(`/api/agents/${deleted.agentId}`)).status).to.equal(200);
    await handOver(handed, moderator, peer);
    for (const { id } of [one, two]) {
      const found = await caseOf(here.alice, id);
      await expectUnknown(moderator, found ?? {});
      const again = { kind: 'message', messageId: id, category: 'hate' };
      expect((await here.alice.post('/api/reports', again)).status).to.equal(201);
    }
    // Whoever has it now answers for it too.
    await expectUnknown(peer, (await caseOf(here.alice, two.id)) ?? {});
    expect(await caseOf(peer, one.id)).to.not.equal(undefined);
    const open = await here.bob.say(here.channel.id, 'of bob');
    await here.alice.post('/api/reports', { kind: 'message', messageId: open.id, category: 'spam' });
    await ear.next('report:created', (told) => told.report.objectId === open.id);
    expect([...ear.all('report:created'), ...ear.all('report:updated')]).to.have.length(1);
  });

  it('is hidden from who got rid of the bot before anyone reported it', async () => {
    const [deleted, handed] = [await botIn(here.server, moderator), await botIn(here.server, moderator)];
    const said = [await deleted.say(here.channel.id, 'bad'), await handed.say(here.channel.id, 'bad too')];
    expect((await moderator.delete(`/api/agents/${deleted.agentId}`)).status).to.equal(200);
    await handOver(handed, moderator, here.bob);
    for (const { id: messageId } of said) {
      const body = { kind: 'message', messageId, category: 'spam' };
      expect((await here.alice.post('/api/reports', body)).status).to.equal(201);
      await expectUnknown(moderator, (await caseOf(peer, messageId)) ?? {});
    }
  });

  it('of an earlier version, which kept nothing of the owner, is hidden from who has the bot now', async () => {
    const robot = await botIn(here.server, moderator);
    const bad = await robot.say(here.channel.id, 'old');
    await report(bad.id);
    const forget = 'UPDATE report_cases SET responsible_id = NULL WHERE object_id = $1 RETURNING id';
    expect(await query(here.cluster.databaseUrl, forget, [bad.id])).to.have.length(1);
    await expectUnknown(moderator, (await caseOf(peer, bad.id)) ?? {});
  });

  it('shows a bot what was beside the message only where it may read everything', async () => {
    const { alice, bob, channel } = here;
    const robot = await robotOf(alice);
    const bad = await bob.say(channel.id, 'bad again');
    await bob.say(channel.id, 'beside it');
    const shown = async (): Promise<string[]> => {
      const { body } = await robot.get(`/api/reports/${(await caseOf(robot, bad.id))?.id}`);
      return body.snapshot.messages.map(({ content }: Loose) => content);
    };
    await alice.post('/api/reports', { kind: 'message', messageId: bad.id, category: 'spam' });
    expect(await shown()).to.include.members(['bad again', 'beside it']);
    for (const policy of [{ listen: false }, { mentionOnly: true }]) {
      const path = `/api/channels/${channel.id}/agents/${robot.agentId}/policy`;
      expect((await alice.put(path, { ...policy, setBy: 'owner' })).status).to.equal(200);
      expect(await shown(), JSON.stringify(policy)).to.deep.equal(['bad again']);
      expect((await alice.put(path, { mode: 'replyAll', setBy: 'owner' })).status).to.equal(200);
    }
  });

  it('is decided by who may do in its channel what the decision does', async () => {
    const { alice, bob, server } = here;
    const closed = (await alice.post(`/api/servers/${server.id}/channels`, { name: 'closed', isPrivate: true })).body;
    const kept = (await alice.post(`/api/servers/${server.id}/channels`, { name: 'kept' })).body;
    const writer = await member('member');
    for (const { id: userId } of [bob, writer]) await alice.post(`/api/channels/${closed.id}/members`, { userId });
    const deny = { allow: [], deny: ['manage'] };
    const set = await alice.put(`/api/channels/${kept.id}/overrides/roles/moderator`, deny);
    expect(set.status, JSON.stringify(set.body)).to.equal(200);
    const decide = async (messageId: string, action: string) =>
      peer.post(`/api/reports/${(await caseOf(peer, messageId))?.id}/decide`, { action });
    for (const { id } of [closed, kept]) {
      const bad = await writer.say(id, 'bad');
      await report(bad.id);
      const refused = await decide(bad.id, 'delete');
      expect([refused.status, refused.body.code]).to.deep.equal([403, 'ROLE_REQUIRED']);
      expect((await writer.get(`/api/messages/${bad.id}`)).status).to.equal(200);
      const found = await caseOf(peer, bad.id);
      expect((await peer.post(`/api/reports/${found?.id}/escalate`)).status).to.equal(200);
    }
    const gone = await writer.say(closed.id, 'bad again');
    await report(gone.id);
    expect((await alice.delete(`/api/channels/${closed.id}`)).status).to.equal(200);
    expect((await decide(gone.id, 'delete')).status).to.equal(200);
  });
});
