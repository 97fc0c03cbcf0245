import type { Rows } from '../database/database.ts';

const isWaiting = (kind: string) =>
  `EXISTS (SELECT FROM jobs j WHERE j.kind = ${kind} AND j.key = c.id::text AND j.died_at IS NULL)`;
/** Both begin with the few that keep messages for a time only. $1 the kind of job */
const unattended = `SELECT c.id FROM servers s JOIN channels c ON c.server_id = s.id
    WHERE s.keep_messages_days IS NOT NULL AND c.keep_messages_days IS NULL AND c.deleted_at IS NULL AND NOT ${isWaiting('$1')}
  UNION ALL
  SELECT c.id FROM channels c
    WHERE c.keep_messages_days > 0 AND c.server_id IS NOT NULL AND c.deleted_at IS NULL AND NOT ${isWaiting('$1')}`;

/** Channels that keep messages for a time only, and have no waiting job of a kind. */
export async function unattendedChannels(rows: Rows, kind: string): Promise<string[]> {
  return (await rows<{ id: string }>(unattended, [kind])).map(({ id }) => id);
}
