import { randomUUID } from 'node:crypto';
import { until } from '../rig/until.ts';
import type { Loose, Person } from './person.ts';
import { withRows } from './sql.ts';
import type { World } from './world.ts';

/** What says that nodes know of a role; no rule of a channel asks for it. */
const mark = 'message:skip-slow-mode';

/** Writes a role of the server's own with its holders into the database, and waits until all nodes know. @returns its id */
export async function ownRole(
  { cluster, server, channel }: World,
  holders: Person[],
  { position = 1, permissions = [] }: { position?: number; permissions?: string[] } = {},
): Promise<string> {
  const id = randomUUID();
  await withRows(cluster.databaseUrl, async (rows) => {
    await rows(
      `INSERT INTO server_roles (id, server_id, name, position, permissions, created_at, updated_at)
       VALUES ($1, $2, 'Gardeners', $3, $4, now(), now())`,
      [id, server.id, position, [mark, ...permissions]],
    );
    await rows('INSERT INTO member_roles (role_id, user_id, server_id) SELECT $1, unnest($2::uuid[]), $3', [
      id,
      holders.map((holder) => holder.id),
      server.id,
    ]);
  });
  for (const node of cluster.nodes) {
    for (const holder of holders) {
      const seen = async (): Promise<Loose> => (await holder.on(node).get(`/api/channels/${channel.id}`)).body;
      await until(async () => (await seen()).permissions.includes(mark), { message: 'The role did not become known' });
    }
  }
  return id;
}
