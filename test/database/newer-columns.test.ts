// nodes: own

import { expect } from 'chai';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { query } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

describe('a column that a newer version has added to a table', () => {
  let cluster: Cluster;
  let here: World;
  before(async () => {
    cluster = await startCluster({ nodes: 1 });
    here = await world(cluster);
  });
  after(async () => {
    here.close();
    await cluster.stop();
  });

  it('is no obstacle to a node that has been using the table, whatever it prepared before', async () => {
    for (let round = 0; round < 4; round++) await useTables(`before-${round}`);
    const tables = await query<{ name: string }>(
      cluster.databaseUrl,
      `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
       AND NOT relispartition`,
    );
    for (const { name } of tables) await query(cluster.databaseUrl, `ALTER TABLE ${name} ADD COLUMN of_tomorrow int`);
    for (let round = 0; round < 4; round++) await useTables(`after-${round}`);
  });

  /** Something of each kind that is read or written in whole rows. */
  async function useTables(slug: string): Promise<void> {
    const { alice, bob, channel, server } = here;
    const [apps, workspace] = [`/api/servers/${server.id}/apps`, `/api/servers/${server.id}/workspace`];
    const statuses: number[] = [];
    const note = async (answer: Promise<{ status: number }>) => void statuses.push((await answer).status);
    const first = await alice.say(channel.id, `Hello, @${bob.username}`, { nonce: slug });
    await note(alice.post(`/api/channels/${channel.id}/messages`, { content: 'Hello', nonce: slug }));
    await note(bob.post(`/api/channels/${channel.id}/messages`, { content: 'Hello', replyToId: first.id }));
    await note(bob.get(`/api/channels/${channel.id}/messages`));
    await note(alice.post(apps, { name: slug, slug, type: 'html', htmlContent: '' }));
    await note(bob.get(apps));
    await note(alice.patch(`${apps}/${slug}`, { name: 'another', isHomepage: true }));
    await note(bob.get(`${apps}/homepage`));
    await note(alice.get(`${apps}/${slug}/serve/`));
    await note(alice.post(`${workspace}/files`, { name: `${slug}.txt`, content: 'text', parentId: null }));
    await note(bob.get(`${workspace}/tree`));
    await note(bob.get('/api/notifications'));
    await note(alice.get('/api/search/messages?query=hello'));
    expect(statuses, slug).to.deep.equal([200, 201, 200, 201, 200, 200, 200, 200, 201, 200, 200, 200]);
  }
});
