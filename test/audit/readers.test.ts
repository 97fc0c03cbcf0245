import { expect } from 'chai';
import { botIn } from '../world/bot.ts';
import { ownRole } from '../world/own-roles.ts';
import type { Loose, Person } from '../world/person.ts';
import { type World, world } from '../world/world.ts';

/** On several nodes alice, who owns the server, and bob, whom a role lets read the log, are on different ones. */
describe('the audit log, for those who are no admins', () => {
  let here: World;
  let secret: string;
  const log = () => `/api/servers/${here.server.id}/audit`;
  const entries = async (who: Person, search = ''): Promise<Loose[]> => (await who.get(`${log()}${search}`)).body;
  const rename = (id: string, name: string) => here.alice.patch(`/api/channels/${id}`, { name });
  const places = (list: Loose[]): Set<string | null> => new Set(list.map(({ channelId }) => channelId));

  beforeEach(async () => {
    here = await world();
    await ownRole(here, [here.bob], { permissions: ['audit:read'] });
    const made = await here.alice.post(`/api/servers/${here.server.id}/channels`, { name: 'secret', isPrivate: true });
    secret = made.body.id;
  });
  afterEach(() => here.close());

  it('has no entry of a channel that they may not know of, in the list, the export and the event', async () => {
    const { alice, bob, channel } = here;
    const ear = await bob.connect();
    await rename(secret, 'top-secret');
    await rename(channel.id, 'lobby');
    const told = await ear.next('audit:created', ({ action }) => action === 'channel.update');
    expect([told.channelId, told.count]).to.deep.equal([channel.id, 1]);
    expect(ear.all('audit:created').some(({ channelId }) => channelId === secret)).to.equal(false);
    expect(places(await entries(alice, `?channelId=${secret}`))).to.deep.equal(new Set([secret]));
    expect(places(await entries(bob, '?action=channel.*'))).to.deep.equal(new Set([channel.id]));
    expect(await entries(bob, `?channelId=${secret}`)).to.deep.equal([]);
    const headers = { authorization: `Bearer ${bob.token}` };
    const file = await (await fetch(`${bob.node.url}${log()}/export`, { headers })).text();
    expect(file).to.include(channel.id).and.not.include('secret');
    expect(JSON.stringify(await entries(bob))).to.not.include('secret');
    await alice.post(`/api/channels/${secret}/members`, { userId: bob.id });
    expect(places(await entries(bob, '?action=channel.update'))).to.deep.equal(new Set([channel.id, secret]));
  });

  it('says that channels were put in order, without their names', async () => {
    const { alice, bob, channel, server } = here;
    const ordered = await alice.patch(`/api/servers/${server.id}/channels/positions`, {
      channelIds: [secret, channel.id],
    });
    expect(ordered.status, JSON.stringify(ordered.body)).to.equal(200);
    const [full] = await entries(alice, '?action=channel.order');
    expect(full?.after.order).to.include('secret');
    const [limited] = await entries(bob, '?action=channel.order');
    expect(limited).to.deep.equal({ ...full, before: null, after: null });
  });

  it('has no entry of a channel that is gone', async () => {
    const { alice, bob } = here;
    const id = await here.newChannel('open');
    expect(places(await entries(bob))).to.include(id);
    await alice.delete(`/api/channels/${id}`);
    expect(places(await entries(bob))).to.not.include(id);
    expect(places(await entries(alice))).to.include(id);
  });

  it('is the same for a bot, whatever its role: it reads of channels that it is in', async () => {
    const { alice, channel, server } = here;
    const robot = await botIn(server, alice);
    await alice.patch(`/api/servers/${server.id}/members/${robot.id}`, { role: 'admin' });
    await rename(channel.id, 'lobby');
    await here.newChannel('without-it');
    expect(places(await entries(robot, '?action=channel.*'))).to.deep.equal(new Set([channel.id]));
  });
});
