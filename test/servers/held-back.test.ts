import { expect } from 'chai';
import { withApp } from '../accounts/factors.ts';
import { until } from '../rig/until.ts';
import { botIn } from '../world/bot.ts';
import type { Loose, Person } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { register, type World, world } from '../world/world.ts';

/** All that makes a moderator, and more, as permissions of a role. */
const given = [
  ...['member:kick', 'member:ban', 'member:timeout', 'member:delete-messages', 'member:set-role', 'role:manage'],
  ...['server:raid', 'invite:manage', 'join-request:decide', 'report:decide', 'held:decide', 'message:mention-all'],
  ...['channel:see-private', 'channel:override', 'audit:read', 'filter:manage', 'message:pin'],
];

/** What those who moderate are told. */
const told = new Set([
  ...['member:banned', 'member:unbanned', 'member:timed-out', 'server:raid', 'invite:created', 'invite:deleted'],
  ...['join-request:created', 'report:created', 'held:created'],
]);

/** A server whose roles take a second factor. The moderator, the admin and the holder of an own role have none. */
describe('roles without the second factor that a server requires', () => {
  let here: World;
  let base: string;
  let armed: Person;
  let weak: Record<'admin' | 'moderator' | 'holder', Person>;
  let role: Loose;

  beforeEach(async () => {
    here = await world();
    base = `/api/servers/${here.server.id}`;
    const [admin, moderator, holder] = [await guest(0), await guest(1), await guest(0)];
    armed = await guest(1);
    weak = { admin, moderator, holder };
    role = (await here.alice.post(`${base}/roles`, { name: 'Helpers', permissions: given })).body;
    await here.alice.patch(`${base}/members/${admin.id}`, { role: 'admin' });
    for (const one of [moderator, armed]) await here.alice.patch(`${base}/members/${one.id}`, { role: 'moderator' });
    await here.alice.put(`${base}/members/${holder.id}/roles/${role.id}`);
    for (const one of [here.alice, armed]) await secure(one);
    expect((await here.alice.patch(base, { requireSecondFactor: true })).status).to.equal(200);
  });
  afterEach(() => {
    for (const one of [armed, ...Object.values(weak)]) one.hangUp();
    here.close();
  });

  async function guest(i: number): Promise<Person> {
    const { nodes } = here.cluster;
    const made = await register(nodes[i % nodes.length] ?? here.alice.node);
    const { inviteCode } = (await here.alice.get(base)).body;
    await made.post('/api/servers/_/join', { inviteCode });
    return made;
  }
  async function secure(person: Person): Promise<void> {
    await query(here.cluster.databaseUrl, 'UPDATE users SET email_verified_at = now() WHERE id = $1', [person.id]);
    await withApp(here.cluster, person);
  }
  const noticed = async (person: Person, id: string) =>
    JSON.stringify((await person.get('/api/notifications')).body).includes(id);

  it('do nothing that a member does not, be they fixed or own', async () => {
    const { bob, channel } = here;
    const message = await bob.say(channel.id, 'mine');
    const acts: ((who: Person) => Promise<{ status: number; body: Loose }>)[] = [
      (who) => who.delete(`${base}/members/${bob.id}`),
      (who) => who.post(`${base}/bans`, { userId: bob.id }),
      (who) => who.put(`${base}/members/${bob.id}/timeout`, { seconds: 60 }),
      (who) => who.post(`${base}/members/${bob.id}/messages/delete`, { hours: 1 }),
      (who) => who.post(`${base}/raid`, { on: true }),
      (who) => who.get(`${base}/bans`),
      (who) => who.put(`/api/channels/${channel.id}/pins/${message.id}`),
      (who) => who.post(`${base}/roles`, { name: 'More' }),
      (who) => who.put(`${base}/members/${bob.id}/roles/${role.id}`),
      (who) => who.put(`/api/channels/${channel.id}/overrides/roles/member`, { deny: ['post'] }),
      (who) => who.patch(`${base}/members/${bob.id}`, { role: 'moderator' }),
    ];
    for (const [name, who] of Object.entries(weak)) {
      for (const act of acts) {
        for (const node of here.cluster.nodes) {
          const { status, body } = await act(who.on(node));
          expect([status, body.code], `${name}: ${act}`).to.deep.equal([403, 'SECOND_FACTOR_SETUP_REQUIRED']);
        }
      }
    }
  });

  it('use nothing of bots that is for these roles alone', async () => {
    const robot = await botIn(here.server, here.alice);
    const items = [
      { type: 'button', id: 'own', label: 'Own', usableBy: { roleIds: [role.id] } },
      { type: 'button', id: 'fixed', label: 'Fixed', usableBy: { role: 'moderator' } },
    ];
    const { id } = await robot.say(here.channel.id, '', { components: { items } });
    const use = async (who: Person, componentId: string) => {
      const { status, body } = await who.post(`/api/messages/${id}/uses`, { componentId });
      return [status, body.code];
    };
    const refused = [403, 'COMPONENT_NOT_FOR_YOU'];
    expect(await use(weak.holder, 'own')).to.deep.equal(refused);
    for (const who of [weak.moderator, weak.admin]) expect(await use(who, 'fixed')).to.deep.equal(refused);
    expect(await use(armed, 'fixed')).to.deep.equal([201, undefined]);
    await secure(weak.holder);
    expect(await use(weak.holder, 'own')).to.deep.equal([201, undefined]);
    robot.hangUp();
  });

  it('are told nothing that moderators are told', async () => {
    const { alice, bob, carol, channel } = here;
    const ears = await Promise.all(Object.values(weak).map((who) => who.connect()));
    const seer = await armed.connect();
    await alice.post(`${base}/invites`, { maxUses: 3 });
    await alice.put(`${base}/members/${bob.id}/timeout`, { seconds: 60 });
    await alice.post(`${base}/raid`, { on: true });
    await carol.post('/api/servers/_/join', { inviteCode: (await alice.get(base)).body.inviteCode });
    await alice.delete(`${base}/members/${bob.id}/timeout`);
    await alice.post(`${base}/filters`, { kind: 'word', action: 'hold', patterns: ['casino'] });
    await bob.post(`/api/channels/${channel.id}/messages`, { content: 'casino' });
    const spam = await bob.say(channel.id, 'spam');
    await weak.holder.post('/api/reports', { kind: 'message', messageId: spam.id, category: 'spam' });
    await alice.post(`${base}/bans`, { userId: bob.id });
    await alice.delete(`${base}/bans/${bob.id}`);
    await seer.next('member:unbanned');
    for (const event of [
      'invite:created',
      'member:timed-out',
      'server:raid',
      'join-request:created',
      'report:created',
      'held:created',
      'member:banned',
    ]) {
      expect(seer.all(event), event).to.not.deep.equal([]);
    }
    const last = (await alice.post('/api/dm/channels', { userId: weak.holder.id })).body;
    await alice.say(last.id, 'the end');
    await ears.at(-1)?.next('message:new', ({ content }) => content === 'the end');
    for (const [i, ear] of ears.entries()) {
      const heard = ear.received.map(({ event }) => event).filter((event) => told.has(event));
      expect(heard, Object.keys(weak)[i]).to.deep.equal([]);
    }
  });

  it('mention nobody by mentioning everyone', async () => {
    const { bob, channel } = here;
    for (const [name, who] of Object.entries(weak)) {
      const message = await who.say(channel.id, 'come @everyone');
      const marker = await who.say(channel.id, `and @${bob.username}`);
      await until(() => noticed(bob, marker.id), { message: 'no notification' });
      expect(message.mentions, name).to.deep.equal([]);
      expect(await noticed(bob, message.id), name).to.equal(false);
    }
  });

  it('open no channel that members do not see, until they have one, and no longer than that', async () => {
    const { alice, channel, cluster } = here;
    const hidden = (await alice.post(`${base}/channels`, { name: 'hidden', isPrivate: true })).body;
    for (const one of ['moderator', role.id]) {
      await alice.put(`/api/channels/${hidden.id}/overrides/roles/${one}`, { allow: ['view'] });
    }
    const reads = (who: Person) =>
      Promise.all(cluster.nodes.map(async (node) => (await who.on(node).get(`/api/channels/${hidden.id}`)).status));
    const all = (status: number) => cluster.nodes.map(() => status);
    for (const who of Object.values(weak)) expect(await reads(who)).to.deep.equal(all(404));
    expect(await reads(armed)).to.deep.equal(all(200));
    for (const name of ['moderator', 'holder'] as const) {
      const who = weak[name];
      await secure(who);
      expect(await reads(who), name).to.deep.equal(all(200));
      const ears = await Promise.all(cluster.nodes.map((node) => who.on(node).listen(hidden.id, channel.id)));
      const first = await alice.say(hidden.id, 'first');
      for (const ear of ears) await ear.next('message:new', ({ id }) => id === first.id);
      expect((await who.delete('/api/auth/totp')).status).to.equal(200);
      expect(await reads(who), name).to.deep.equal(all(404));
      await until(
        async () => {
          const { id } = await alice.say(hidden.id, 'without them');
          const mark = await alice.say(channel.id, 'mark');
          for (const ear of ears) await ear.next('message:new', (message) => message.id === mark.id);
          return ears.every((ear) => ear.all('message:new').every((message) => message.id !== id));
        },
        { message: `the ${name} still hears the channel` },
      );
    }
  });
});
