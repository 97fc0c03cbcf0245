import { expect } from 'chai';
import { until } from '../rig/until.ts';
import type { Loose, Person } from '../world/person.ts';
import { register, type World, world } from '../world/world.ts';

describe('a request to join a channel', () => {
  let here: World;
  let decider: Person;
  let asker: Person;
  let hidden: string;

  beforeEach(async () => {
    here = await world();
    [decider, asker] = [here.bob, await register(here.alice.node)];
    await asker.post('/api/servers/_/join', { inviteCode: here.server.inviteCode });
    hidden = (await here.alice.post(`${base()}/channels`, { name: 'vault', isPrivate: true })).body.id;
    await here.alice.post('/api/notifications/read-all');
    await giveRole(decider, ['join-request:decide']);
  });
  afterEach(() => here.close());

  const base = () => `/api/servers/${here.server.id}`;
  const ask = async (person: Person): Promise<string> => {
    const { status, body } = await person.post(`/api/channels/${hidden}/join-requests`);
    expect(status).to.equal(202);
    return body.requestId;
  };
  const decide = async (by: Person, id: string) => {
    const { status, body } = await by.patch(`/api/channel-join-requests/${id}`, { status: 'approved' });
    return status === 200 ? 'decided' : body.code;
  };
  const reads = async (person: Person) => (await person.get(`/api/channels/${hidden}/messages`)).status;
  const listed = async (person: Person): Promise<string[]> =>
    (await person.get(`${base()}/join-requests`)).body.map(({ id }: Loose) => id);
  const notices = async (person: Person): Promise<Loose[]> =>
    (await person.get('/api/notifications')).body.filter(({ kind }: Loose) => kind === 'channel.join_request');
  const letIn = (person: Person) => here.alice.post(`/api/channels/${hidden}/members`, { userId: person.id });

  async function giveRole(person: Person, permissions: string[]): Promise<string> {
    const { body } = await here.alice.post(`${base()}/roles`, { name: 'Porters', permissions });
    expect((await here.alice.put(`${base()}/members/${person.id}/roles/${body.id}`, {})).status).to.equal(200);
    return body.id;
  }

  it('is nothing to those who may not know of the channel: not listed, told, notified, or decided', async () => {
    const [ear, owner] = [await decider.connect(), await here.alice.connect()];
    const id = await ask(asker);
    await owner.next('join-request:created', ({ request }) => request.id === id);
    await until(async () => (await notices(here.alice)).length > 0);
    expect([await listed(here.alice), await listed(decider)]).to.deep.equal([[id], []]);
    expect(await decide(decider, id)).to.equal('JOIN_REQUEST_NOT_FOUND');
    expect(await decide(here.alice, id)).to.equal('decided');
    expect(await reads(asker)).to.equal(200);
    await here.alice.say(here.channel.id, `@${decider.username}`);
    await ear.next('notification:new', ({ kind }) => kind !== 'channel.join_request');
    expect(await notices(decider)).to.deep.equal([]);
    for (const event of ['join-request:created', 'join-request:decided']) expect(ear.all(event)).to.deep.equal([]);
  });

  it('is decided by those who are in the channel, and may let others in', async () => {
    await letIn(decider);
    const ear = await decider.connect();
    const id = await ask(asker);
    await ear.next('join-request:created', ({ request }) => request.id === id);
    expect(await listed(decider)).to.deep.equal([id]);
    expect(await decide(decider, id)).to.equal('ROLE_REQUIRED');
    expect(await reads(asker)).to.equal(404);
    await giveRole(decider, ['channel:add-member']);
    expect(await decide(decider, id)).to.equal('decided');
    expect(await reads(asker)).to.equal(200);
  });

  it('of one’s own is decided by others alone, whatever one may do', async () => {
    await giveRole(decider, ['channel:see-private', 'channel:add-member']);
    const id = await ask(decider);
    expect(await decide(decider, id)).to.equal('FORBIDDEN');
    const hers = await ask(asker);
    expect(await decide(asker, hers)).to.equal('ROLE_REQUIRED');
    expect(await decide(here.alice, id)).to.equal('decided');
  });
});
