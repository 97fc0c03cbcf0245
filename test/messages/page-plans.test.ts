// nodes: own

import { expect } from 'chai';
import { SoloBus } from '../../src/cluster/bus.ts';
import { Caches } from '../../src/cluster/caches.ts';
import { Control } from '../../src/cluster/control.ts';
import { Operations } from '../../src/cluster/operations.ts';
import { Database } from '../../src/database/database.ts';
import { Authors } from '../../src/features/messages/authors.ts';
import { MessageList } from '../../src/features/messages/message.list.ts';
import { createLog } from '../../src/infrastructure/log.ts';
import { testSettings } from '../world/nodes.ts';
import { withRows } from '../world/sql.ts';
import { world } from '../world/world.ts';

const fill = `INSERT INTO messages (id, channel_id, seq, author_id, content, created_at, updated_at)
  SELECT gen_random_uuid(), channel, 1000 + i, $2, 'one of many', now(), now()
  FROM unnest($1::uuid[]) AS channel CROSS JOIN generate_series(1, 3000) AS i`;

describe('the plans of pages', () => {
  it('are kept, also where PostgreSQL knows how much there is', async () => {
    const { cluster, channel, alice, close } = await world();
    const settings = testSettings(cluster.databaseUrl, null);
    const database = await Database.connect(cluster.databaseUrl, settings, createLog('silent'));
    try {
      await withRows(cluster.databaseUrl, async (rows) => {
        const others = Array.from({ length: 9 }, () => crypto.randomUUID());
        await rows(fill, [[channel.id, ...others], alice.id]);
        await rows('ANALYZE');
      });
      const caches = new Caches(new Control(new SoloBus()), new Operations());
      const list = new MessageList({ database, authors: new Authors({ database, caches }) });
      for (const include of [undefined, 'threads'] as const) {
        for (let i = 0; i < 20; i++) {
          const query = { limit: 50, after: String(1000 + i), ...(include ? { include } : {}) };
          const { rows } = await list.ofChannel({ id: channel.id, kind: 'server' }, query);
          expect(rows).to.have.lengthOf(50);
        }
      }
      // One after the other, they all came by the same connection.
      const plans = await database.committedRows<{ made: number; kept: number }>(
        `SELECT custom_plans::int AS made, generic_plans::int AS kept FROM pg_prepared_statements
         WHERE statement LIKE $1`,
        ['%FROM messages m%LIMIT 51%'],
      );
      expect(plans).to.deep.equal([
        { made: 0, kept: 20 },
        { made: 0, kept: 20 },
      ]);
    } finally {
      await database.close();
      await close();
    }
  });
});
