import { AppError } from '../../contract/errors.ts';
import type { Rows } from '../../database/database.ts';
import { type MemberRow, memberColumns } from '../members/server.view.ts';

const selectSeat = `SELECT ${memberColumns} FROM server_members m JOIN users u ON u.id = m.user_id
  WHERE m.server_id = $1 AND m.user_id = $2`;

/** A member of a server, with its user. @throws AppError AGENT_NOT_FOUND */
export async function readSeat(rows: Rows, serverId: string, userId: string): Promise<MemberRow> {
  const [row] = await rows<MemberRow>(selectSeat, [serverId, userId]);
  if (!row) throw new AppError('AGENT_NOT_FOUND');
  return row;
}
