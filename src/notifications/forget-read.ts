import type { Chore } from '../infrastructure/chores.ts';

const batch = 500;

/** Deletes notifications read that many days ago, in small steps. Unread ones stay. */
export function forgetRead(days: number): Chore {
  return {
    name: 'forget what was read long ago',
    async step(rows) {
      const gone = await rows<{ id: string }>(
        `DELETE FROM notifications WHERE id IN (
           SELECT id FROM notifications WHERE read_at < now() - make_interval(secs => $1 * 86400.0)
           ORDER BY read_at LIMIT $2
         ) RETURNING id`,
        [days, batch],
      );
      return gone.length;
    },
  };
}
