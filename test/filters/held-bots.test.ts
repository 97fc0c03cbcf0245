import { expect } from 'chai';
import { type Bot, botIn } from '../world/bot.ts';
import type { Answer, Loose, Person } from '../world/person.ts';
import { register, type World, world } from '../world/world.ts';

const codeOf = ({ status, body }: Answer) => [status, body.code];

/** On several nodes alice, who owns the server, and bob, a member, are on different ones. */
describe('held messages and bots', () => {
  let here: World;
  let owner: Person;
  let robot: Bot;
  const others: Person[] = [];
  const held = () => `/api/servers/${here.server.id}/held`;
  const idsFor = async (who: Person): Promise<string[]> =>
    (await who.get(held())).body.map(({ heldId }: Loose) => heldId);
  const give = async (whom: Person, role: string) =>
    expect((await here.alice.patch(`/api/servers/${here.server.id}/members/${whom.id}`, { role })).status).to.equal(
      200,
    );
  const decide = (who: Person, heldId: string, decision = 'approve') => who.post(`/api/held/${heldId}/${decision}`);

  /** Has a message held. @returns its id */
  async function hold(who: Person, channelId: string, more: object = {}): Promise<Loose> {
    const answer = await who.post(`/api/channels/${channelId}/messages`, { content: 'hold it', ...more });
    expect(codeOf(answer)).to.deep.equal([202, 'MESSAGE_HELD']);
    return answer.body.held;
  }

  beforeEach(async () => {
    here = await world();
    owner = await register(here.bob.node);
    others.push(owner);
    await owner.post('/api/servers/_/join', { inviteCode: here.server.inviteCode });
    robot = await botIn(here.server, owner);
    others.push(robot);
    const body = { kind: 'word', action: 'hold', patterns: ['hold*'] };
    expect((await here.alice.post(`/api/servers/${here.server.id}/filters`, body)).status).to.equal(201);
  });
  afterEach(() => {
    for (const other of others.splice(0)) other.hangUp();
    here.close();
  });

  it('are read and decided by a bot only where it may read everything', async () => {
    const { alice, bob, channel } = here;
    await give(robot, 'admin');
    const elsewhere = await here.newChannel('without-it');
    const ear = await robot.connect();
    const outside = await hold(bob, elsewhere);
    const inside = await hold(bob, channel.id);
    const told = await ear.next('held:created');
    expect(told.held.heldId).to.equal(inside.heldId);
    expect(await idsFor(robot)).to.deep.equal([inside.heldId]);
    expect(codeOf(await decide(robot, outside.heldId))).to.deep.equal([404, 'HELD_NOT_FOUND']);
    const policies = `/api/channels/${channel.id}/agents/${robot.agentId}/policy`;
    for (const policy of [{ listen: false }, { mentionOnly: true }]) {
      expect((await owner.put(policies, policy)).status).to.equal(200);
      const unheard = await hold(bob, channel.id);
      expect(await idsFor(robot), JSON.stringify(policy)).to.deep.equal([]);
      expect(codeOf(await decide(robot, unheard.heldId))).to.deep.equal([404, 'HELD_NOT_FOUND']);
      expect(await idsFor(alice)).to.include(unheard.heldId);
      expect((await owner.put(policies, { mode: 'replyAll' })).status).to.equal(200);
    }
    const last = await hold(bob, channel.id);
    await ear.next('held:created', (event) => event.held.heldId === last.heldId);
    expect(ear.all('held:created').map((event) => event.held.heldId)).to.deep.equal([inside.heldId, last.heldId]);
    expect((await decide(robot, inside.heldId)).status).to.equal(200);
  });

  it('are decided by nobody who answers for the author, or for whom the author answers', async () => {
    const { alice, channel } = here;
    const ofOwner = await hold(owner, channel.id);
    const ofRobot = await hold(robot, channel.id);
    for (const one of [owner, robot]) await give(one, 'moderator');
    for (const [who, { heldId }] of [
      [owner, ofOwner],
      [owner, ofRobot],
      [robot, ofOwner],
      [robot, ofRobot],
    ] as const) {
      for (const decision of ['approve', 'reject'])
        expect(codeOf(await decide(who, heldId, decision))).to.deep.equal([403, 'FORBIDDEN']);
    }
    for (const { heldId } of [ofOwner, ofRobot]) expect((await decide(alice, heldId)).status).to.equal(200);
  });

  it('show those who decide all that is published, and nobody else', async () => {
    const { alice, bob, channel } = here;
    const ear = await alice.connect();
    const metadata = { card: { title: 'more', lines: ['one'] } };
    const record = await hold(bob, channel.id, { metadata });
    expect(record).to.not.have.property('metadata');
    expect((await ear.next('held:created')).held.metadata).to.deep.equal(metadata);
    expect((await alice.get(held())).body[0].metadata).to.deep.equal(metadata);
    expect((await bob.get(`/api/channels/${channel.id}/held`)).body[0]).to.not.have.property('metadata');
    expect((await decide(alice, record.heldId)).body.message.metadata).to.deep.equal(metadata);
  });
});
