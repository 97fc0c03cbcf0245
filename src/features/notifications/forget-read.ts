import type { Chore } from '../../cluster/chores.ts';

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

/** Forgets mentions that were taken back long ago; restoring one after that announces it again. */
export const forgetWithdrawn: Chore = {
  name: 'forget mentions taken back long ago',
  async step(rows) {
    const gone = await rows<{ id: string }>(
      `DELETE FROM notification_sources WHERE (message_id, user_id) IN (
         SELECT message_id, user_id FROM notification_sources
         WHERE notification_id IS NULL AND at < now() - interval '30 days' ORDER BY at LIMIT $1
       ) RETURNING message_id AS id`,
      [batch],
    );
    return gone.length;
  },
};
