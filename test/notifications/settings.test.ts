// nodes: one and two

import { expect } from 'chai';
import { expectError } from '../rest/verdict.ts';
import { until } from '../rig/until.ts';
import type { Loose, Person } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

describe('the settings of notifications', () => {
  let here: World;
  beforeEach(async () => {
    here = await world();
  });
  afterEach(() => here.close());

  const settings = async (person: Person) => (await person.get('/api/notifications/settings')).body;
  const change = (person: Person, body: object) => person.patch('/api/notifications/settings', body);
  const soon = (ms: number) => new Date(Date.now() + ms).toISOString();

  it('are all in one call, with defaults, and change one by one', async () => {
    const { bob, channel, server } = here;
    const before = await settings(bob);
    expect(before).to.deep.equal({
      ...{ strategy: 'all', mutedServerIds: [], mutedChannelIds: [], channelLevels: {}, serverLevels: {} },
      ...{ mutedUntil: {} },
      ...{ keywords: [], quietHours: { isOn: false, spans: [] }, snoozedUntil: null },
      // Without a mail server nobody is mailed.
      ...{ digestMinutes: null, digestDefaultMinutes: null },
    });
    const quietHours = { isOn: true, spans: [{ day: 7, from: '22:00', to: '06:30' }] };
    const snoozedUntil = soon(3_600_000);
    expect((await change(bob, { quietHours, strategy: 'none' })).body).to.deep.include({
      quietHours,
      strategy: 'none',
    });
    await change(bob, { snoozedUntil, digestMinutes: 15, mutedChannelIds: [channel.id] });
    await bob.put(`/api/servers/${server.id}/notification-level`, { level: 'mentions' });
    await bob.patch('/api/notifications/preferences', { mutedServerIds: [] });
    expect(await settings(bob)).to.deep.include({
      ...{ strategy: 'none', mutedChannelIds: [channel.id], serverLevels: { [server.id]: 'mentions' } },
      ...{ quietHours, snoozedUntil, digestMinutes: 15 },
    });
    expect((await bob.get('/api/notifications/preferences')).body).to.deep.equal({
      ...{ strategy: 'none', mutedServerIds: [], mutedChannelIds: [channel.id] },
    });
  });

  it('reach all devices, whichever call changes them', async () => {
    const { alice, bob, server } = here;
    const ears = [await bob.connect(), await bob.on(alice.node).connect()];
    const all = async (fits: (data: Loose) => boolean) => {
      for (const ear of ears) await ear.next('notification:settings', fits);
    };
    await change(bob, { snoozedUntil: soon(60_000) });
    await all(({ snoozedUntil }) => snoozedUntil !== null);
    await bob.put(`/api/servers/${server.id}/notification-level`, { level: 'all' });
    await all(({ serverLevels }) => serverLevels[server.id] === 'all');
    await bob.patch('/api/notifications/preferences', { strategy: 'none' });
    await all(({ strategy }) => strategy === 'none');
    await change(bob, { snoozedUntil: null });
    await all(({ snoozedUntil, strategy }) => snoozedUntil === null && strategy === 'none');
  });

  it('take no schedule, time or choice that is none', async () => {
    const { bob } = here;
    const span = { day: 1, from: '22:00', to: '07:00' };
    const spans = (...some: object[]) => ({ quietHours: { isOn: true, spans: some } });
    for (const body of [
      spans({ ...span, day: 0 }),
      spans({ ...span, from: '24:00' }),
      spans({ ...span, to: '7:00' }),
      spans(...Array.from({ length: 29 }, () => span)),
      { snoozedUntil: soon(-1000) },
      { snoozedUntil: soon(367 * 86_400_000) },
      { digestMinutes: 7 },
    ]) {
      expectError(await change(bob, body), 'VALIDATION_FAILED');
    }
  });

  it('say nothing of a snooze that is over', async () => {
    const { bob, cluster } = here;
    await change(bob, { snoozedUntil: soon(3_600_000) });
    await query(
      cluster.databaseUrl,
      `UPDATE notification_preferences SET snoozed_until = now() - interval '1 second' WHERE user_id = '${bob.id}'`,
    );
    expect((await settings(bob)).snoozedUntil).to.equal(null);
  });
});

describe('what someone is notified of in a server', () => {
  let here: World;
  beforeEach(async () => {
    here = await world();
  });
  afterEach(() => here.close());

  const list = async (person: Person) => (await person.get('/api/notifications')).body;
  const isTold = async (person: Person, message: Loose) =>
    (await list(person)).some(({ referenceId }: Loose) => referenceId === message.id);
  const told = (person: Person, message: Loose) => until(() => isTold(person, message), { message: 'not notified' });
  const set = (person: Person, level: string | null, id = here.server.id) =>
    person.put(`/api/servers/${id}/notification-level`, { level });
  const made = () =>
    until(async () => {
      const waiting = "SELECT FROM jobs WHERE kind IN ('notification', 'message-audience')";
      return (await query(here.cluster.databaseUrl, waiting)).length === 0;
    });

  it('is every message of all its channels with `all`, also of those made later', async () => {
    const { alice, bob, channel, server } = here;
    expect((await set(bob, 'all')).body).to.deep.equal({ serverId: server.id, level: 'all' });
    const plain = await alice.say(channel.id, 'nothing in particular');
    await told(bob, plain);
    const later = await here.newChannel();
    const there = await alice.say(later, 'nothing either');
    await told(bob, there);
    expect((await bob.get('/api/notifications/levels')).body).to.deep.equal({
      channelLevels: {},
      serverLevels: { [server.id]: 'all' },
    });
    await set(bob, null);
    const unheard = await alice.say(channel.id, 'unheard');
    await made();
    expect(await isTold(bob, unheard)).to.equal(false);
    expect((await bob.get(`/api/servers/${server.id}/notification-level`)).body.level).to.equal(null);
  });

  it('is what a channel with a level of its own says instead', async () => {
    const { alice, bob, channel } = here;
    await set(bob, 'all');
    await bob.put(`/api/channels/${channel.id}/notification-level`, { level: 'mentions' });
    const plain = await alice.say(channel.id, 'plain');
    await made();
    expect(await isTold(bob, plain)).to.equal(false);
    await bob.patch('/api/notifications/preferences', { strategy: 'none' });
    await set(bob, 'mentions');
    await bob.put(`/api/channels/${channel.id}/notification-level`, { level: null });
    const named = await alice.say(channel.id, `@${bob.username} hello`);
    await told(bob, named);
    await set(bob, 'nothing');
    const muted = await alice.say(channel.id, `@${bob.username} hush`);
    await made();
    expect(await isTold(bob, muted)).to.equal(false);
    expect((await bob.get('/api/notifications/preferences')).body.mutedServerIds).to.deep.equal([here.server.id]);
  });

  it('is nothing for those who are not in it, and of channels out of sight', async () => {
    const { alice, bob, carol, server } = here;
    expectError(await set(carol, 'all'), 'SERVER_NOT_FOUND');
    await set(bob, 'all');
    const hidden = (await alice.post(`/api/servers/${server.id}/channels`, { name: 'hidden', isPrivate: true })).body;
    const there = await alice.say(hidden.id, 'out of sight');
    await made();
    expect(await isTold(bob, there)).to.equal(false);
    await bob.post(`/api/servers/${server.id}/leave`);
    const after = await alice.say(here.channel.id, 'after all');
    await made();
    expect(await isTold(bob, after)).to.equal(false);
  });
});
