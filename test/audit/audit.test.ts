import { expect } from 'chai';
import { forgetAudit } from '../../src/features/audit/audit.table.ts';
import { until } from '../rig/until.ts';
import { botIn } from '../world/bot.ts';
import { type Loose, Person } from '../world/person.ts';
import { query, withRows } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

/** On several nodes alice and bob are on different ones. */
describe('the audit log of a server', () => {
  let here: World;
  beforeEach(async () => {
    here = await world();
  });
  afterEach(() => here.close());

  const log = () => `/api/servers/${here.server.id}/audit`;
  const entries = async (search = '', who: Person = here.alice): Promise<Loose[]> =>
    (await who.get(`${log()}${search}`)).body;
  const rename = (name: string) => here.alice.patch(`/api/channels/${here.channel.id}`, { name });
  const setRole = (role: string) => here.alice.patch(`/api/servers/${here.server.id}/members/${here.bob.id}`, { role });
  const actions = (list: Loose[]) => list.map(({ action }) => action);

  it('says who did what to whom, as they are called now', async () => {
    const { alice, bob } = here;
    await setRole('moderator');
    await bob.patch('/api/auth/me', { displayName: 'Robert' });
    const [role] = await entries();
    expect(role).to.deep.include({ before: { role: 'member' }, after: { role: 'moderator' }, source: 'user' });
    expect(role?.actor.id).to.equal(alice.id);
    expect(role?.token.kind).to.equal('session');
    expect(role?.target).to.deep.include({ kind: 'user', id: bob.id, label: null });
    expect(role?.target.user.displayName).to.equal('Robert');
  });

  it('names the token: a personal one, or that of a bot', async () => {
    const { alice, bob, channel, server } = here;
    const made = await alice.post('/api/tokens', { name: 'for the script', scope: 'user:write' });
    expect(made.status, JSON.stringify(made.body)).to.equal(201);
    const path = `/api/channels/${channel.id}`;
    const script = new Person(alice.node, { ...alice, token: made.body.token });
    await script.patch(path, { name: 'by-script' });
    const bot = await botIn(server, alice);
    await alice.patch(`/api/servers/${server.id}/members/${bot.id}`, { role: 'admin' });
    expect((await bot.patch(path, { name: 'by-bot' })).status).to.equal(200);
    const [byBot, , byScript] = await entries();
    expect(byBot).to.deep.include({ token: { kind: 'agent', id: byBot?.token.id, name: null } });
    expect(byBot?.actor.id).to.equal(bot.id);
    expect(byScript?.token).to.deep.equal({ kind: 'personal', id: made.body.id, name: 'for the script' });
    expect((await bob.get(log())).body.code).to.equal('ROLE_REQUIRED');
  });

  it('is read by those who may alone', async () => {
    const { bob, carol } = here;
    expect([(await bob.get(log())).status, (await bob.get(`${log()}/export`)).status]).to.deep.equal([403, 403]);
    expect((await carol.get(log())).status).to.equal(404);
    await setRole('admin');
    expect(actions(await entries('', bob))).to.deep.equal(['member.role']);
  });

  it('tells those who may read it of each change, once, on every node', async () => {
    const { bob, server } = here;
    await setRole('admin');
    const ear = await bob.connect();
    await rename('lobby');
    const told = await ear.next('audit:created', ({ action }) => action === 'channel.update');
    expect(told).to.include({ serverId: server.id, actorId: here.alice.id, count: 1 });
    expect((await entries('', bob))[0]?.id).to.equal(told.entryId);
    await setRole('member');
    await rename('hall');
    await here.alice.say(here.channel.id, 'that is all');
    await setRole('admin');
    await ear.next('audit:created', ({ action }) => action === 'member.role');
    expect(ear.all('audit:created').filter(({ action }) => action === 'channel.update').length).to.equal(1);
  });

  it('is filtered by who, what, whom, where and when, and read page by page', async () => {
    const { alice, bob, channel } = here;
    await setRole('moderator');
    for (const name of ['one', 'two', 'three']) await rename(name);
    expect(actions(await entries(`?actorId=${bob.id}`))).to.deep.equal([]);
    expect((await entries(`?actorId=${alice.id}`)).length).to.equal(4);
    expect(actions(await entries(`?targetId=${bob.id}`))).to.deep.equal(['member.role']);
    expect((await entries(`?channelId=${channel.id}&action=channel.update`)).length).to.equal(3);
    expect(actions(await entries('?action=member.*'))).to.deep.equal(['member.role']);
    const [newest, , oldest] = await entries('?action=channel.*');
    expect(await entries(`?after=${newest?.createdAt}&before=${oldest?.createdAt}`)).to.deep.equal([]);
    expect((await entries(`?before=${new Date(Date.now() + 60_000).toISOString()}`)).length).to.equal(4);
    const first = await alice.get(`${log()}?limit=3`);
    expect([first.body.length, first.headers.get('x-has-more')]).to.deep.equal([3, 'true']);
    expect(actions(await entries(`?limit=3&cursor=${first.body.at(-1).id}`))).to.deep.equal(['member.role']);
    expect((await alice.get(`${log()}?cursor=x`)).body.code).to.equal('INVALID_CURSOR');
  });

  it('is exported as JSON lines and as CSV without formulas', async () => {
    const { alice } = here;
    const download = async (search: string) => {
      const headers = { authorization: `Bearer ${alice.token}` };
      return (await fetch(`${alice.node.url}${log()}/export${search}`, { headers })).text();
    };
    await alice.patch(`/api/servers/${here.server.id}`, { name: '=1+1' });
    for (let count = 0; count < 3; count++) await rename(`name-${count}`);
    const lines = await download('');
    const parsed = lines
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(parsed).to.deep.equal(await entries());
    const csv = await download('?format=csv&action=server.update');
    expect(csv.split('\r\n')[0]).to.match(/^id,createdAt,action,/);
    expect(csv).to.include(",'=1+1,");
    expect(csv.split('\r\n').length).to.equal(3);
  });

  it('takes no change and loses nothing before its time', async () => {
    const { databaseUrl } = here.cluster;
    await rename('lobby');
    const refused = async (text: string) => {
      const error = await query(databaseUrl, text).then(
        () => null,
        (error: Error) => error,
      );
      expect(error?.message).to.match(/only added to/);
    };
    const mine = `WHERE server_id = '${here.server.id}'`;
    await refused(`UPDATE audit_entries SET reason = 'x' ${mine}`);
    await refused(`DELETE FROM audit_entries ${mine}`);
    await refused('TRUNCATE audit_entries');
    await refused(`WITH less AS (SELECT set_config('parley.audit_keep_days', '0', true))
      DELETE FROM audit_entries ${mine} AND EXISTS (SELECT FROM less)`);
    expect((await entries()).length).to.equal(1);
  });

  it('forgets what is older than it is to be kept', async () => {
    const { databaseUrl } = here.cluster;
    await rename('lobby');
    const add = (id: string, days: number) =>
      query(
        databaseUrl,
        `INSERT INTO audit_entries (id, server_id, action, source, created_at)
         VALUES ($1, $2, 'server.update', 'user', now() - make_interval(days => $3))`,
        [id, here.server.id, days],
      );
    const id = (at: string) => `01900000-0000-7000-8000-${at}${here.server.id.slice(-10)}`;
    await add(id('01'), 100);
    await add(id('02'), 80);
    await until(async () => {
      await withRows(databaseUrl, async (rows) => {
        await rows('BEGIN');
        await forgetAudit(rows, 90, Date.now(), 100);
        await rows('COMMIT');
      });
      return !(await entries()).some((entry) => entry.id === id('01'));
    });
    expect((await entries()).map((entry) => entry.id))
      .to.include(id('02'))
      .and.have.length(2);
  });

  it('outlives its server and the accounts in it, of which it has ids alone', async () => {
    const { alice, bob, server, cluster } = here;
    await setRole('moderator');
    await alice.delete(`/api/servers/${server.id}`);
    expect((await alice.get(log())).status).to.equal(404);
    const kept = await query<Loose>(
      cluster.databaseUrl,
      'SELECT * FROM audit_entries WHERE server_id = $1 ORDER BY id',
      [server.id],
    );
    expect(actions(kept)).to.deep.equal(['member.role', 'server.delete']);
    const text = JSON.stringify(kept);
    for (const name of [alice.username, bob.username]) expect(text).not.to.include(name);
  });
});
