// nodes: own

import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { type Installation, install } from '../world/installation.ts';
import { query } from '../world/sql.ts';

describe("the deletion of someone's last messages", () => {
  let site: Installation;
  before(async () => {
    site = await install();
  });
  after(() => site.stop());

  it('goes on where it was after the node that does it has died', async () => {
    const { alice, bob, server, channel } = site.here;
    const [node] = site.nodes;
    if (!node) throw new Error('no node');
    await bob.say(channel.id, 'spam');
    const all = 1500;
    await query(
      site.databaseUrl,
      `WITH head AS (UPDATE streams SET last_seq = last_seq + ${all} WHERE id = '${channel.id}' RETURNING last_seq - ${all} AS seq)
       INSERT INTO messages (id, channel_id, seq, author_id, content, created_at, updated_at)
       SELECT gen_random_uuid(), '${channel.id}', head.seq + n, '${bob.id}', 'spam', now(), now()
       FROM head, generate_series(1, ${all}) AS n`,
    );
    const left = async () => {
      const unerased = `SELECT 1 FROM messages WHERE author_id = '${bob.id}' AND deleted_at IS NULL`;
      return (await query(site.databaseUrl, unerased)).length;
    };
    const answer = await alice.post(`/api/servers/${server.id}/members/${bob.id}/messages/delete`, { hours: 1 });
    expect(answer.status).to.equal(202);
    await until(async () => (await left()) < all);
    await node.kill();
    expect(await left()).to.be.within(1, all);
    await node.start();
    await until(async () => (await left()) === 0, { timeout: 60_000 });
    await until(async () => {
      return (await query(site.databaseUrl, "SELECT 1 FROM jobs WHERE kind = 'member-erasure'")).length === 0;
    });
  });
});
