import type { Rows } from '../../database/database.ts';

/** A row of `message_versions`. */
export interface VersionRow {
  version: number;
  content: string;
  editedAt: Date | string;
}

const selectVersions = `SELECT v.version, v.content, v.edited_at AS "editedAt"
  FROM message_versions v JOIN channels c ON c.id = v.channel_id JOIN servers s ON s.id = c.server_id AND s.keep_edit_history
  WHERE v.channel_id = $1 AND v.message_id = $2 ORDER BY v.version`;
/** Nothing where the server keeps them again. */
const forgetSome = `DELETE FROM message_versions WHERE (channel_id, message_id, version) IN (
    SELECT v.channel_id, v.message_id, v.version FROM servers s JOIN channels c ON c.server_id = s.id
      JOIN message_versions v ON v.channel_id = c.id
    WHERE s.id = $1 AND NOT s.keep_edit_history LIMIT $2
  ) RETURNING version`;

/** What a message said before, oldest first; nothing where its server does not keep that (any more). */
export function readVersions(rows: Rows, channelId: string, messageId: string): Promise<VersionRow[]> {
  return rows<VersionRow>(selectVersions, [channelId, messageId]);
}

/** Removes some of what a server does not keep any more. @returns how many */
export async function forgetVersions(rows: Rows, serverId: string, most: number): Promise<number> {
  return (await rows(forgetSome, [serverId, most])).length;
}
