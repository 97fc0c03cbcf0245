// nodes: own

import { expect } from 'chai';
import { finish, isLeaving, leave, passWeek } from '../accounts/leaving.ts';
import { until } from '../rig/until.ts';
import { type Installation, install } from '../world/installation.ts';
import type { Loose } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { register } from '../world/world.ts';

const written = 400;

describe('the deletion of an account when a node dies in it', () => {
  let site: Installation;

  before(async () => {
    site = await install({ env: { NODE_ENV: 'test' } });
  });
  after(() => site.stop());

  it('goes on where it was: each message is erased once, and others write meanwhile', async () => {
    const { alice, bob, server, channel } = site.here;
    const [node] = site.nodes;
    if (!node) throw new Error('no node');
    const leaver = await register(node);
    await leaver.post(`/api/servers/${server.id}/join`, { inviteCode: server.inviteCode });
    for (let i = 0; i < written; i += 20) {
      await Promise.all(Array.from({ length: 20 }, (_, j) => leaver.say(channel.id, `${i + j}`)));
    }
    const kept = await bob.say(channel.id, 'mine');
    await leave(leaver, { messages: 'erase' });
    await passWeek(site.databaseUrl, leaver);
    const erased = async () => {
      const text = 'SELECT id FROM messages WHERE author_id = $1 AND deleted_at IS NOT NULL';
      return (await query(site.databaseUrl, text, [leaver.id])).length;
    };
    await until(async () => (await erased()) > 60);
    await node.kill();
    const atDeath = await erased();
    expect(atDeath).to.be.within(1, written - 1);
    expect(await isLeaving(site.databaseUrl, leaver)).to.equal(true);

    await node.start();
    const sent: Loose[] = [];
    while (await isLeaving(site.databaseUrl, leaver))
      sent.push(await alice.say(channel.id, `meanwhile ${sent.length}`));
    await finish(site.databaseUrl, leaver);
    expect(await erased()).to.equal(written);
    const told = await query<{ id: string }>(
      site.databaseUrl,
      "SELECT data ->> 'id' AS id FROM log_entries WHERE stream_id = $1 AND event = 'message:deleted' ORDER BY seq",
      [channel.id],
    );
    expect(told).to.have.lengthOf(written);
    expect(new Set(told.map(({ id }) => id)).size).to.equal(written);
    expect(sent.length).to.be.above(0);
    const page = (await bob.get(`/api/channels/${channel.id}/messages?limit=100`)).body.messages;
    expect(page.map(({ id }: Loose) => id)).to.have.members([kept, ...sent].slice(-100).map(({ id }) => id));
  });
});
