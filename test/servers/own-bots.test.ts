import { expect } from 'chai';
import { type Bot, botIn } from '../world/bot.ts';
import type { Answer, Person } from '../world/person.ts';
import { register, type World, world } from '../world/world.ts';

const code = ({ status, body }: Answer) => [status, body.code];
const refused = [403, 'FORBIDDEN'];

/** On several nodes alice, who owns the server, and bob are on different ones. */
describe('a bot that a server gave much', () => {
  let here: World;
  let owner: Person;
  let robot: Bot;
  const others: Person[] = [];
  const at = (path: string) => `/api/servers/${here.server.id}${path}`;
  const give = (who: Person, whom: Person, role: string) => who.patch(at(`/members/${whom.id}`), { role });

  async function member(): Promise<Person> {
    const made = await register(here.bob.node);
    others.push(made);
    const { inviteCode } = (await here.alice.get(at(''))).body;
    expect((await made.post('/api/servers/_/join', { inviteCode })).status).to.equal(200);
    return made;
  }

  beforeEach(async () => {
    here = await world();
    owner = await member();
    robot = await botIn(here.server, owner);
    others.push(robot);
    await here.alice.put(at(`/agents/${robot.agentId}/keep`));
    expect((await give(here.alice, robot, 'admin')).status).to.equal(200);
  });
  afterEach(() => {
    for (const other of others.splice(0)) other.hangUp();
    here.close();
  });

  it('neither lifts nor replaces the ban of its owner, or of another bot of theirs', async () => {
    const second = await botIn(here.server, owner);
    for (const { id: userId } of [owner, second]) {
      expect((await here.alice.post(at('/bans'), { userId, reason: 'spam' })).status).to.equal(201);
      const until = new Date(Date.now() + 60_000).toISOString();
      expect(code(await robot.post(at('/bans'), { userId, until }))).to.deep.equal(refused);
      expect(code(await robot.delete(at(`/bans/${userId}`)))).to.deep.equal(refused);
    }
    const bans = (await here.alice.get(at('/bans'))).body;
    expect(bans.map(({ reason, until }: Record<string, unknown>) => [reason, until])).to.deep.equal([
      ['spam', null],
      ['spam', null],
    ]);
    // It bans strangers as an admin does.
    expect((await robot.post(at('/bans'), { userId: here.bob.id })).status).to.equal(201);
  });

  it('neither ends nor replaces the timeout of its owner', async () => {
    const timeout = at(`/members/${owner.id}/timeout`);
    const made = await here.alice.put(timeout, { seconds: 600 });
    expect(code(await robot.put(timeout, { seconds: 60 }))).to.deep.equal(refused);
    expect(code(await robot.delete(timeout))).to.deep.equal(refused);
    const { body } = await owner.post(`/api/channels/${here.channel.id}/messages`, { content: 'x' });
    expect([body.code, body.until]).to.deep.equal(['TIMED_OUT', made.body.timedOutUntil]);
    expect((await robot.put(at(`/members/${here.bob.id}/timeout`), { seconds: 600 })).status).to.equal(200);
  });

  it('gives its owner no role', async () => {
    expect(code(await give(robot, owner, 'moderator'))).to.deep.equal(refused);
    expect((await give(robot, here.bob, 'moderator')).status).to.equal(200);
    // It may lower its own, as everyone may.
    expect((await give(robot, robot, 'member')).status).to.equal(200);
  });
});
