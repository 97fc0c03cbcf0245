import type { Rows } from '../../database/database.ts';
import { memberColumns } from '../members/member.table.ts';
import type { MemberRow } from '../members/server.view.ts';

const selectSeat = `SELECT ${memberColumns} FROM server_members m JOIN users u ON u.id = m.user_id
  WHERE m.server_id = $1 AND m.user_id = $2`;

/** A member of a server, with its user. */
export async function readSeat(rows: Rows, serverId: string, userId: string): Promise<MemberRow | undefined> {
  const [seat] = await rows<MemberRow>(selectSeat, [serverId, userId]);
  return seat;
}
