import type { Rows } from '../../database/database.ts';

const keep = `UPDATE report_cases c SET server_id = NULL WHERE server_id = $1 AND to_operators AND (
    decided_at IS NOT NULL OR NOT EXISTS (
      SELECT FROM report_cases o
      WHERE o.object_id = c.object_id AND o.kind = c.kind AND o.server_id IS NULL AND o.decided_at IS NULL)
  )`;

/** Keeps what operators decide when its server is deleted; of two open cases of the same thing one is enough (contract §5). */
export async function keepReports(rows: Rows, serverId: string): Promise<void> {
  await rows(keep, [serverId]);
}
