// nodes: one and two

import { expect } from 'chai';
import { expectError } from '../rest/verdict.ts';
import { until } from '../rig/until.ts';
import type { Loose, Person } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

describe('what someone has muted for a time', () => {
  let here: World;
  beforeEach(async () => {
    here = await world();
  });
  afterEach(() => here.close());

  const soon = (ms: number) => new Date(Date.now() + ms).toISOString();
  const settings = async (person: Person): Promise<Loose> => (await person.get('/api/notifications/settings')).body;
  const mute = (until: string | null, level = 'nothing') =>
    here.bob.put(`/api/channels/${here.channel.id}/notification-level`, { level, until });
  const level = async () => (await here.bob.get(`/api/channels/${here.channel.id}/notification-level`)).body.level;
  const ends = () => query(here.cluster.databaseUrl, "SELECT FROM jobs WHERE kind = 'mute-end'");
  /** As if its time had come. */
  async function passTime(): Promise<void> {
    await query(
      here.cluster.databaseUrl,
      `UPDATE notification_preferences SET mute_ends = (
         SELECT coalesce(jsonb_object_agg(key, '2000-01-01T00:00:00.000Z'::text), '{}') FROM jsonb_each(mute_ends))
       WHERE user_id = '${here.bob.id}'`,
    );
    await query(here.cluster.databaseUrl, "UPDATE jobs SET due_at = now() WHERE kind = 'mute-end'");
    await until(async () => (await ends()).length === 0);
  }

  it('is so until then, and all devices are told that it is no longer', async () => {
    const { alice, bob, channel, server } = here;
    const ear = await bob.on(alice.node).connect();
    const end = soon(3_600_000);
    await bob.put(`/api/channels/${channel.id}/notification-level`, { level: 'mentions' });
    expect((await mute(end)).body).to.deep.equal({ channelId: channel.id, level: 'nothing' });
    await bob.put(`/api/servers/${server.id}/notification-level`, { level: 'nothing', until: end });
    expect(await settings(bob)).to.deep.include({
      ...{ mutedChannelIds: [channel.id], mutedServerIds: [server.id] },
      mutedUntil: { [channel.id]: end, [server.id]: end },
    });
    await ear.next('notification:settings', ({ mutedUntil }) => Object.keys(mutedUntil).length === 2);
    await passTime();
    await ear.next('notification:settings', ({ mutedChannelIds }) => mutedChannelIds.length === 0);
    // What was chosen before counts again.
    expect(await level()).to.equal('mentions');
    expect(await settings(bob)).to.deep.include({ mutedServerIds: [], mutedChannelIds: [], mutedUntil: {} });
  });

  it('ends by itself', async () => {
    // Long enough for two requests on a busy machine.
    await mute(soon(3000));
    expect(await level()).to.equal('nothing');
    await until(async () => (await level()) === null);
  });

  it('is no longer ended by what was to end it, once it is muted or unmuted otherwise', async () => {
    const { bob, channel } = here;
    await mute(soon(3_600_000));
    await bob.patch('/api/notifications/settings', { mutedChannelIds: [] });
    expect((await settings(bob)).mutedUntil).to.deep.equal({});
    await bob.patch('/api/notifications/preferences', { mutedChannelIds: [channel.id] });
    await passTime();
    expect(await level()).to.equal('nothing');
    await mute(soon(3_600_000));
    await bob.patch('/api/notifications/preferences', { mutedChannelIds: [] });
    expect((await settings(bob)).mutedUntil).to.deep.equal({});
    await mute(soon(3_600_000));
    await mute(null);
    expect((await settings(bob)).mutedUntil).to.deep.equal({});
    expect(await ends()).to.deep.equal([]);
    expect(await level()).to.equal('nothing');
  });

  it('takes an end that is ahead, and for muting alone', async () => {
    for (const refused of [mute(soon(-1000)), mute(soon(367 * 86_400_000)), mute(soon(60_000), 'mentions')])
      expectError(await refused, 'VALIDATION_FAILED');
    expect(await level()).to.equal(null);
  });
});
