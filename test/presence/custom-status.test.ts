import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { botIn } from '../world/bot.ts';
import type { Loose } from '../world/person.ts';
import { withRows } from '../world/sql.ts';
import { register, type World, world } from '../world/world.ts';

const path = '/api/auth/me/custom-status';
const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();

describe('a custom status', () => {
  let here: World;
  before(async () => {
    here = await world();
  });
  after(() => here.close());

  it('is shown to oneself, to those who share something, and not to strangers', async () => {
    const { alice, bob, carol } = here;
    const status = { emoji: '🌴', text: 'On holiday', until: null };
    expect((await alice.put(path, { emoji: '🌴', text: 'On holiday' })).body).to.deep.equal(status);
    expect((await alice.get('/api/auth/me')).body.customStatus).to.deep.equal(status);
    expect((await bob.get(`/api/auth/users/${alice.id}`)).body.customStatus).to.deep.equal(status);
    expect((await carol.get(`/api/auth/users/${alice.id}`)).body.customStatus).to.equal(null);
    await alice.delete(path);
    expect((await alice.get('/api/auth/me')).body.customStatus).to.equal(null);
    expect((await bob.get(`/api/auth/users/${alice.id}`)).body.customStatus).to.equal(null);
  });

  it('is told to those who get the presence, on all nodes, and comes with snapshots and subscriptions', async () => {
    const { alice, bob, carol, channel } = here;
    const [seer, stranger] = [await bob.listen(channel.id), await carol.connect()];
    await alice.put(path, { text: 'In a meeting' });
    const customStatus = { emoji: null, text: 'In a meeting', until: null };
    await seer.next(
      'presence:custom-status',
      (data) => data.userId === alice.id && data.customStatus?.text === 'In a meeting',
    );
    const later = await bob.listen(channel.id);
    const snapshot = await later.next('presence:snapshot');
    expect(snapshot.customStatuses).to.deep.include({ userId: alice.id, ...customStatus });
    const { customStatuses } = await later.emit('presence:subscribe', { userIds: [alice.id] });
    expect(customStatuses).to.deep.equal([{ userId: alice.id, ...customStatus }]);
    const unknown = await stranger.emit('presence:subscribe', { userIds: [alice.id] });
    expect(unknown.customStatuses).to.deep.equal([]);
    await alice.delete(path);
    const end = await seer.next('presence:custom-status', (data) => data.customStatus === null);
    expect(end.userId).to.equal(alice.id);
    expect(stranger.all('presence:custom-status')).to.deep.equal([]);
  });

  it('ends at its time, for everyone, also where another took its place', async () => {
    const { alice, bob, channel } = here;
    const seer = await bob.listen(channel.id);
    await alice.put(path, { text: 'short', until: inMs(1500) });
    await seer.next('presence:custom-status', ({ customStatus }) => customStatus?.text === 'short');
    await seer.next('presence:custom-status', ({ customStatus }) => customStatus === null);
    expect((await bob.get(`/api/auth/users/${alice.id}`)).body.customStatus).to.equal(null);
    await alice.put(path, { text: 'soon over', until: inMs(1500) });
    await alice.put(path, { text: 'stays' });
    const { databaseUrl } = here.cluster;
    const isDue = () =>
      withRows(databaseUrl, (rows) =>
        rows<{ id: string }>(`SELECT id FROM jobs WHERE kind = 'custom-status-end' AND key = $1`, [alice.id]),
      );
    await until(async () => (await isDue()).length === 0);
    expect((await bob.get(`/api/auth/users/${alice.id}`)).body.customStatus.text).to.equal('stays');
    await alice.delete(path);
  });

  it('is not shown past its time, even before a node has ended it', async () => {
    const { alice, bob } = here;
    await alice.put(path, { text: 'over', until: inMs(60_000) });
    await withRows(here.cluster.databaseUrl, async (rows) => {
      await rows(`UPDATE custom_statuses SET until = now() - interval '1 second' WHERE user_id = $1`, [alice.id]);
    });
    // Nobody on bob's node has asked for it yet, so nothing of it is cached there.
    expect((await bob.get(`/api/auth/users/${alice.id}`)).body.customStatus).to.equal(null);
    await alice.delete(path);
  });

  it('takes what reactions take as emoji, and one line of text that can be seen', async () => {
    const { alice } = here;
    expect((await alice.put(path, { emoji: ':wave:' })).body.emoji).to.equal('👋');
    for (const body of [
      {},
      { emoji: 'x' },
      { emoji: '👋👋' },
      { text: '' },
      { text: ' \u3164' },
      { text: 'two\nlines' },
      { text: 'turned \u202e round' },
      { text: 'x'.repeat(101) },
      { text: 'past', until: inMs(-1000) },
      { text: 'far', until: inMs(367 * 24 * 60 * 60 * 1000) },
    ]) {
      const { status, body: answer } = await alice.put(path, body);
      expect(status, JSON.stringify(body)).to.equal(400);
      expect(answer.code).to.equal('VALIDATION_FAILED');
    }
  });

  it('is for bots, too', async () => {
    const { alice, bob, server } = here;
    const bot = await botIn(server, alice);
    expect((await bot.put(path, { emoji: '🤖', text: 'Version 2' })).status).to.equal(200);
    expect((await bob.get(`/api/auth/users/${bot.id}`)).body.customStatus.text).to.equal('Version 2');
  });

  it('is told to a client that Socket.IO recovers, where it changed meanwhile', async () => {
    const { alice, bob, channel } = here;
    const seer = await bob.listen(channel.id);
    const { socket } = seer;
    // Recovery begins with an event that brought an offset.
    await alice.say(channel.id, 'hello');
    await seer.next('message:new');
    socket.io.reconnection(false);
    socket.io.engine.close();
    await until(() => !socket.connected);
    await alice.put(path, { text: 'while you were away' });
    socket.connect();
    await until(() => socket.connected);
    expect(socket.recovered).to.equal(true);
    await seer.next('presence:custom-status', ({ customStatus }) => customStatus?.text === 'while you were away');
    await alice.delete(path);
  });

  it('goes with the account, and to a new one that knows nobody nothing is told', async () => {
    const { alice } = here;
    const person = await register(alice.node);
    await person.put(path, { text: 'alone' });
    const rows: Loose[] = await withRows(here.cluster.databaseUrl, (read) =>
      read('SELECT text FROM custom_statuses WHERE user_id = $1', [person.id]),
    );
    expect(rows).to.deep.equal([{ text: 'alone' }]);
    expect((await alice.get(`/api/auth/users/${person.id}`)).body.customStatus).to.equal(null);
  });
});
