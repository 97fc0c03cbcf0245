import { selectMayRead } from '../../access/channel.table.ts';
import type { ChannelKind } from '../../contract/channel.ts';
import type { Rows } from '../../database/database.ts';

/** Where a message is. */
export interface Linked {
  id: string;
  channelId: string;
  kind: ChannelKind;
  channelName: string;
  serverId: string | null;
  serverName: string | null;
}

/** $1 messages, $2 reader */
const linked = `SELECT m.id, c.id AS "channelId", c.kind, c.name AS "channelName", c.server_id AS "serverId", s.name AS "serverName"
  FROM messages m JOIN channels c ON c.id = m.channel_id LEFT JOIN servers s ON s.id = c.server_id
  LEFT JOIN threads t ON t.id = m.thread_id
  WHERE m.id = ANY($1::uuid[]) AND m.deleted_at IS NULL AND t.deleted_at IS NULL AND ${selectMayRead('$2::uuid')}`;

/** Those of some messages that are in channels whose messages someone may read. */
export function linkedAmong(rows: Rows, ids: string[], userId: string): Promise<Linked[]> {
  return rows<Linked>(linked, [ids, userId]);
}
