// nodes: own

import { expect } from 'chai';
import { Follower, range } from '../world/follower.ts';
import { startCluster } from '../world/nodes.ts';
import { query } from '../world/sql.ts';
import { world } from '../world/world.ts';

/** Another event at the end of a room, like the last one, of which no node is told. */
const append = `WITH moved AS (UPDATE streams SET last_seq = last_seq + 1 WHERE id = $1 RETURNING last_seq AS seq)
  INSERT INTO log_entries (stream_id, seq, event, data)
  SELECT stream_id, moved.seq, event, (data::jsonb || jsonb_build_object('seq', moved.seq, 'eventSeq', moved.seq))::json
  FROM log_entries JOIN moved ON log_entries.seq = moved.seq - 1 WHERE stream_id = $1`;

describe('what is missing before an event that a node is told of', () => {
  it('is read from the log, long before a sweep finds it', async () => {
    const cluster = await startCluster({ nodes: 1, settings: { delivery: { sweepMs: 3_600_000 } } });
    const here = await world(cluster);
    const { alice, bob, channel } = here;
    const follower = new Follower({ url: bob.node.url, token: bob.token });
    try {
      await follower.connected(1);
      await follower.join(channel.id);
      const first = await alice.say(channel.id, 'heard');
      await follower.reach(channel.id, first.seq);
      await query(cluster.databaseUrl, append, [channel.id]);
      const last = await alice.say(channel.id, 'heard, too');
      await follower.reach(channel.id, last.seq);
      expect(follower.seen(channel.id)).to.deep.equal(range(first.seq, first.seq + 2));
    } finally {
      follower.close();
      here.close();
      await cluster.stop();
    }
  });
});
