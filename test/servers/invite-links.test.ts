import { expect } from 'chai';
import { forgetOldLinks } from '../../src/features/server-invites/server-invite.table.ts';
import { until } from '../rig/until.ts';
import { botIn } from '../world/bot.ts';
import type { Answer, Loose, Person } from '../world/person.ts';
import { query, withRows } from '../world/sql.ts';
import { register, type World, world } from '../world/world.ts';

/** On several nodes alice and bob are on different ones. */
describe('an invite link', () => {
  let here: World;
  const others: Person[] = [];
  before(async () => {
    here = await world();
  });
  after(() => {
    for (const other of others) other.hangUp();
    here.close();
  });

  const at = (more = '') => `/api/servers/${here.server.id}${more}`;
  const code = ({ status, body }: Answer) => [status, body.code];
  async function someone(node = here.bob.node): Promise<Person> {
    const made = await register(node);
    others.push(made);
    return made;
  }
  async function link(who: Person, more: object = {}): Promise<Loose> {
    const made = await who.post(at('/invites'), more);
    expect(made.status).to.equal(201);
    return made.body;
  }
  const join = (who: Person, inviteCode: string, id = '_') => who.post(`/api/servers/${id}/join`, { inviteCode });
  const open = async (who: Person) => (await who.get(at('/invites'))).body.filter(({ isOpen }: Loose) => isOpen);
  /** By PostgreSQL's clock. */
  const expire = (id: string) =>
    query(here.cluster.databaseUrl, `UPDATE server_invites SET over_at = clock_timestamp() WHERE id = '${id}'`);

  it('lets in whoever has it, remembers who brought them, and shows that to those who manage links', async () => {
    const { alice, bob, channel, server } = here;
    const made = await link(bob, { channelId: channel.id, maxUses: 5, expiresIn: 3600 });
    expect(made).to.include({ createdBy: bob.id, uses: 0, maxUses: 5, isOpen: true, channelId: channel.id });
    const seen: Loose = await fetch(`${alice.node.url}/api/servers/invite/${made.inviteCode}`).then(
      (answer): Promise<Loose> => answer.json(),
    );
    expect(seen).to.deep.include({ id: server.id, channel: { id: channel.id, name: 'general' } });
    expect([seen.inviter.id, seen.inviteCode]).to.deep.equal([bob.id, undefined]);
    const [byCode, byId] = [await someone(), await someone(alice.node)];
    const joined = [await join(byCode, made.inviteCode), await join(byId, made.inviteCode, server.id)];
    for (const { status, body } of joined) {
      expect(status).to.equal(200);
      expect(body).to.include({ id: server.id, channelId: channel.id, status: 'joined', role: 'member' });
    }
    expect(code(await join(byCode, made.inviteCode))).to.deep.equal([409, 'ALREADY_MEMBER']);
    const [row] = await open(bob);
    expect(row).to.include({ id: made.id, uses: 2 });
    const brought = (await alice.get(at(`/invites/${made.id}/members?limit=1`))).body;
    expect(brought).to.have.length(1);
    const rest = (await bob.get(at(`/invites/${made.id}/members?cursor=${brought[0].userId}`))).body;
    expect([...brought, ...rest].map(({ userId }) => userId)).to.have.members([byCode.id, byId.id]);
    const members = async (who: Person) => (await who.get(at('/members'))).body;
    const theirs = (await members(alice)).find(({ userId }: Loose) => userId === byCode.id);
    expect(theirs).to.include({ invitedBy: bob.id, inviteId: made.id });
    for (const one of await members(bob)) expect(one).to.not.have.any.keys('invitedBy', 'inviteId');
  });

  it('is told, as it is made, used and revoked, to its maker and those who manage links, and to nobody else', async () => {
    const { alice, bob } = here;
    const guest = await someone();
    expect((await join(guest, (await link(alice)).inviteCode)).status).to.equal(200);
    const [manager, maker, other] = [await alice.connect(), await bob.connect(), await guest.connect()];
    const made = await link(bob);
    for (const ear of [manager, maker]) {
      const { invite } = await ear.next('invite:created', (event) => event.invite.id === made.id);
      expect(invite.inviteCode).to.equal(made.inviteCode);
    }
    expect((await join(await someone(), made.inviteCode)).status).to.equal(200);
    for (const ear of [manager, maker]) {
      expect(await ear.next('invite:used', ({ inviteId }) => inviteId === made.id)).to.include({
        uses: 1,
        isOpen: true,
      });
    }
    expect((await alice.delete(at(`/invites/${made.id}`))).status).to.equal(200);
    for (const ear of [manager, maker]) await ear.next('invite:deleted', ({ inviteId }) => inviteId === made.id);
    for (const name of ['invite:created', 'invite:used', 'invite:deleted']) expect(other.all(name)).to.deep.equal([]);
  });

  it('is like one that never existed once it is expired, used up or revoked', async () => {
    const { alice, bob, server } = here;
    const [expired, used, revoked] = [await link(bob), await link(bob, { maxUses: 1 }), await link(bob)];
    await expire(expired.id);
    expect((await join(await someone(), used.inviteCode)).status).to.equal(200);
    expect((await bob.delete(at(`/invites/${revoked.id}`))).status).to.equal(200);
    expect(code(await bob.delete(at(`/invites/${revoked.id}`)))).to.deep.equal([404, 'SERVER_INVITE_NOT_FOUND']);
    const guest = await someone();
    const answers = [];
    for (const one of [expired.inviteCode, used.inviteCode, revoked.inviteCode, 'A'.repeat(16)]) {
      const { requestId: _seen, ...seen } = (await guest.get(`/api/servers/invite/${one}`)).body;
      const { requestId: _joined, ...joined } = (await join(guest, one)).body;
      answers.push({ seen, joined });
      expect(code(await join(guest, one, server.id))).to.deep.equal([404, 'SERVER_NOT_FOUND']);
    }
    for (const answer of answers) expect(answer).to.deep.equal(answers.at(-1));
    const listed = (await alice.get(at('/invites'))).body.filter(({ id }: Loose) =>
      [expired.id, used.id, revoked.id].includes(id),
    );
    expect(listed.map(({ isOpen }: Loose) => isOpen)).to.deep.equal([false, false, false]);
  });

  it('gives its last use to one of two who join at the same moment on different nodes', async () => {
    const { bob, server, cluster, alice } = here;
    for (let round = 0; round < 4; round++) {
      const made = await link(bob, { maxUses: 1 });
      const pair = [await someone(alice.node), await someone(bob.node)];
      // Both know the link before either of them counts.
      const answers = await withRows(cluster.databaseUrl, async (rows) => {
        await rows('BEGIN');
        await rows('SELECT FROM servers WHERE id = $1 FOR UPDATE', [server.id]);
        const both = pair.map((one) => join(one, made.inviteCode));
        await until(async () => (await rows(waiting)).length === 2, { message: 'both do not wait' });
        await rows('COMMIT');
        return Promise.all(both);
      });
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 404]);
      const row = (await bob.get(at('/invites'))).body.find(({ id }: Loose) => id === made.id);
      expect(row).to.include({ uses: 1, isOpen: false });
      expect((await bob.get(at(`/invites/${made.id}/members`))).body).to.have.length(1);
    }
  });

  it('is not used by a join that fails, and holds no ban off', async () => {
    const { alice, bob } = here;
    const made = await link(bob, { maxUses: 1 });
    const banned = await someone();
    expect((await alice.post(at('/bans'), { userId: banned.id })).status).to.equal(201);
    expect(code(await join(banned, made.inviteCode))).to.deep.equal([403, 'BANNED']);
    expect(code(await join(bob, made.inviteCode))).to.deep.equal([409, 'ALREADY_MEMBER']);
    expect((await open(bob)).find(({ id }: Loose) => id === made.id)).to.include({ uses: 0 });
    expect((await join(await someone(), made.inviteCode)).status).to.equal(200);
  });

  it('names a channel only where everyone who joins sees it, and only one that its maker sees', async () => {
    const { alice, bob } = here;
    const hidden = await alice.post(at('/channels'), { name: 'hidden', isPrivate: true });
    expect(code(await bob.post(at('/invites'), { channelId: hidden.body.id }))).to.deep.equal([
      404,
      'CHANNEL_NOT_FOUND',
    ]);
    const made = await link(alice, { channelId: hidden.body.id });
    expect(made.channelId).to.equal(hidden.body.id);
    expect((await bob.get(`/api/servers/invite/${made.inviteCode}`)).body.channel).to.equal(null);
    const joined = await join(await someone(), made.inviteCode);
    expect([joined.status, joined.body.channelId]).to.deep.equal([200, null]);
    await alice.delete(`/api/channels/${hidden.body.id}`);
    expect((await join(await someone(), made.inviteCode)).status).to.equal(200);
  });

  it('is for people with the right to it: of others only those who manage links see or end it', async () => {
    const { alice, bob, carol, server } = here;
    const made = await link(alice);
    expect((await open(bob)).map(({ id }: Loose) => id)).to.not.include(made.id);
    for (const answer of [
      await bob.delete(at(`/invites/${made.id}`)),
      await bob.get(at(`/invites/${made.id}/members`)),
    ]) {
      expect(code(answer)).to.deep.equal([404, 'SERVER_INVITE_NOT_FOUND']);
    }
    expect(code(await carol.post(at('/invites')))).to.deep.equal([404, 'SERVER_NOT_FOUND']);
    const robot = await botIn(server, bob);
    others.push(robot);
    await alice.patch(at(`/members/${robot.id}`), { role: 'moderator' });
    for (const answer of [await robot.post(at('/invites')), await robot.get(at('/invites'))]) {
      expect(code(answer)).to.deep.equal([403, 'FORBIDDEN']);
    }
    const ear = await robot.connect();
    const another = await link(bob);
    const manager = await alice.connect();
    await bob.delete(at(`/invites/${another.id}`));
    await manager.next('invite:deleted', ({ inviteId }) => inviteId === another.id);
    expect(ear.all('invite:created')).to.deep.equal([]);
    for (const body of [
      { expiresIn: 0 },
      { maxUses: 0 },
      { expiresAt: '2020-01-01T00:00:00.000Z' },
      { expiresIn: 60, expiresAt: '2090-01-01T00:00:00.000Z' },
      { expiresAt: '9999-01-01T00:00:00.000Z' },
    ]) {
      expect(code(await bob.post(at('/invites'), body))).to.deep.equal([400, 'VALIDATION_FAILED']);
    }
  });

  it('ends when its maker is kicked or banned, and stays when they leave', async () => {
    const { alice, server } = here;
    const codes = new Map<string, string>();
    for (const way of ['kick', 'ban', 'leave']) {
      const maker = await someone();
      expect((await join(maker, (await alice.get(at())).body.inviteCode)).status).to.equal(200);
      codes.set(way, (await link(maker)).inviteCode);
      if (way === 'kick') await alice.delete(at(`/members/${maker.id}`));
      if (way === 'ban') await alice.post(at('/bans'), { userId: maker.id });
      if (way === 'leave') await maker.post(`/api/servers/${server.id}/leave`);
    }
    for (const [way, inviteCode] of codes) {
      expect((await join(await someone(), inviteCode)).status).to.equal(way === 'leave' ? 200 : 404);
    }
  });

  it('is one of ten of a member, and of a hundred of the server', async () => {
    const fresh = await world();
    const make = (who: Person) => who.post(`/api/servers/${fresh.server.id}/invites`);
    for (let i = 0; i < 10; i++) expect((await make(fresh.bob)).status).to.equal(201);
    expect(code(await make(fresh.bob))).to.deep.equal([400, 'SERVER_INVITE_LIMIT']);
    for (let i = 10; i < 100; i++) expect((await make(fresh.alice)).status).to.equal(201);
    expect(code(await make(fresh.alice))).to.deep.equal([400, 'SERVER_INVITE_LIMIT']);
    const [last] = (await fresh.alice.get(`/api/servers/${fresh.server.id}/invites?limit=1`)).body;
    await fresh.alice.delete(`/api/servers/${fresh.server.id}/invites/${last.id}`);
    expect((await make(fresh.alice)).status).to.equal(201);
    fresh.close();
  });

  it('is forgotten 90 days after it was over, and whom it brought stay', async () => {
    const { alice, bob, cluster } = here;
    const [old, recent] = [await link(bob), await link(bob)];
    const guest = await someone();
    expect((await join(guest, old.inviteCode)).status).to.equal(200);
    const past = (days: number, id: string) =>
      query(
        cluster.databaseUrl,
        `UPDATE server_invites SET over_at = now() - interval '${days} days' WHERE id = '${id}'`,
      );
    await past(91, old.id);
    await past(89, recent.id);
    await withRows(cluster.databaseUrl, async (rows) => {
      while ((await forgetOldLinks(rows)) > 0);
    });
    expect((await alice.get(at('/invites'))).body.map(({ id }: Loose) => id)).to.not.include(old.id);
    expect((await alice.get(at('/invites'))).body.map(({ id }: Loose) => id)).to.include(recent.id);
    const member = (await alice.get(at('/members'))).body.find(({ userId }: Loose) => userId === guest.id);
    expect(member).to.include({ invitedBy: bob.id, inviteId: null });
  });
});

/** Each by the one before it. */
const waiting = `SELECT FROM pg_locks l JOIN pg_stat_activity a USING (pid) WHERE NOT l.granted AND a.datname = current_database()`;
