import { maxAttachments } from '../../contract/attachment.ts';
import { maxCategories } from '../../contract/category.ts';
import { maxPins } from '../../contract/message.ts';
import { maxEmoji, maxEmojiEach } from '../../contract/reaction.ts';
import { maxVersions } from '../../contract/retention.ts';
import type { Rows } from '../../database/database.ts';
import { countedGroups, wrongConversations } from './direct-checks.table.ts';
import { countedVotes, wrongExpressions } from './expression-checks.table.ts';
import { wrongHooks } from './hook-checks.table.ts';
import { isImported } from './imported-ids.table.ts';
import { wrongNotices } from './notice-checks.table.ts';
import { wrongVersions } from './version-checks.table.ts';

/** Derived values are computed from the rows, not taken from the file. `$1` is the server. */
const counted = [
  // A channel's next event gets the next number, even if the file has another one.
  `UPDATE streams SET last_seq = top.seq, floor_seq = top.seq
   FROM (SELECT m.channel_id, max(m.seq) AS seq FROM messages m JOIN channels c ON c.id = m.channel_id
     WHERE ${isImported} GROUP BY m.channel_id) AS top
   WHERE streams.id = top.channel_id AND streams.last_seq < top.seq`,
  // A read position past the end of a channel would count its next messages as read.
  `UPDATE channel_reads SET last_read_seq = s.last_seq FROM channels c JOIN streams s ON s.id = c.id
   WHERE ${isImported} AND channel_reads.channel_id = c.id AND channel_reads.last_read_seq > s.last_seq`,
  'UPDATE servers SET member_count = (SELECT count(*) FROM server_members WHERE server_id = $1) WHERE id = $1',
  // Of files of earlier versions nobody is known to follow: they will with the next reply.
  `UPDATE threads SET (message_count, last_seq) = (
     SELECT count(*), CASE WHEN EXISTS (SELECT FROM thread_follows f WHERE f.thread_id = threads.id)
       THEN coalesce(max(seq), 0) ELSE 0 END
     FROM messages WHERE thread_id = threads.id AND deleted_at IS NULL
   ) FROM channels c WHERE c.id = threads.channel_id AND ${isImported}`,
  `UPDATE thread_follows f SET last_read_seq = least(f.last_read_seq, s.last_seq),
     is_unread = f.state = 'following' AND EXISTS (SELECT FROM messages m
       WHERE m.thread_id = t.id AND m.seq > f.last_read_seq AND m.deleted_at IS NULL AND m.author_id <> f.user_id)
   FROM threads t JOIN channels c ON c.id = t.channel_id JOIN streams s ON s.id = c.id
   WHERE ${isImported} AND f.thread_id = t.id`,
  // The trigger that does this found no message yet: a file has threads before their parent messages.
  `UPDATE messages SET has_extras = true FROM threads t JOIN channels c ON c.id = t.channel_id
   WHERE ${isImported} AND messages.id = t.parent_message_id AND NOT messages.has_extras`,
  `UPDATE workspaces SET folder_count = sums.folders, file_count = sums.files, total_bytes = sums.bytes
   FROM (SELECT n.workspace_id, count(*) FILTER (WHERE kind = 'dir') AS folders,
       count(*) FILTER (WHERE kind = 'file') AS files, coalesce(sum(n.size_bytes), 0) AS bytes
     FROM workspace_nodes n JOIN workspaces w ON w.id = n.workspace_id WHERE w.server_id = $1 GROUP BY 1) AS sums
   WHERE workspaces.id = sums.workspace_id`,
  countedVotes,
  countedGroups,
];

/** Contents that a file must not have, as queries that find them. `$1` is the server. */
const wrong: [query: string, sentence: string][] = [
  [
    `SELECT t.id FROM threads t JOIN channels c ON c.id = t.channel_id
     WHERE ${isImported} AND NOT EXISTS (SELECT FROM messages m
       WHERE m.id = t.parent_message_id AND m.channel_id = t.channel_id AND m.thread_id IS NULL)`,
    'threads.jsonl: a thread starts from a message that is not in its channel, or is itself in a thread.',
  ],
  [
    `SELECT m.id FROM messages m JOIN channels c ON c.id = m.channel_id JOIN threads t ON t.id = m.thread_id
     WHERE ${isImported} AND t.channel_id <> m.channel_id`,
    'messages.jsonl: a message is in a thread of another channel.',
  ],
  [
    // A partitioned table of messages lets this happen: ids are unique only within a channel there.
    `SELECT m.id FROM messages m JOIN channels c ON c.id = m.channel_id JOIN messages other ON other.id = m.id
     WHERE ${isImported} AND other.channel_id <> m.channel_id`,
    'messages.jsonl: a message has the id of another one.',
  ],
  [
    // Readers of the reply see the beginning of the other one.
    `SELECT m.id FROM messages m JOIN channels c ON c.id = m.channel_id JOIN messages other ON other.id = m.reply_to_id
     WHERE ${isImported} AND other.channel_id <> m.channel_id`,
    'messages.jsonl: a message replies to one of another channel.',
  ],
  [
    `SELECT m.channel_id FROM messages m JOIN channels c ON c.id = m.channel_id
     WHERE ${isImported} AND m.pinned_at IS NOT NULL GROUP BY 1 HAVING count(*) > ${maxPins}`,
    `messages.jsonl: a channel has more than ${maxPins} pinned messages.`,
  ],
  [
    `SELECT m.id FROM messages m JOIN channels c ON c.id = m.channel_id
     WHERE ${isImported} AND m.deleted_at IS NOT NULL AND (
       EXISTS (SELECT FROM reactions WHERE message_id = m.id) OR EXISTS (SELECT FROM attachments WHERE message_id = m.id))`,
    'messages.jsonl: a deleted message has reactions or attachments.',
  ],
  [
    `SELECT v.message_id FROM message_versions v JOIN channels c ON c.id = v.channel_id
     WHERE ${isImported} AND NOT EXISTS (SELECT FROM messages m
       WHERE m.channel_id = v.channel_id AND m.id = v.message_id AND m.deleted_at IS NULL)`,
    'message-versions.jsonl: a version is of a message that is not in its channel, or is deleted.',
  ],
  [
    `SELECT v.message_id FROM message_versions v JOIN channels c ON c.id = v.channel_id
     WHERE ${isImported} GROUP BY v.channel_id, v.message_id HAVING count(*) > ${maxVersions}`,
    `message-versions.jsonl: a message has more than ${maxVersions} versions.`,
  ],
  [
    `SELECT f.message_id FROM message_forwards f JOIN channels c ON c.id = f.channel_id
     WHERE ${isImported} AND NOT EXISTS (SELECT FROM messages m
       WHERE m.channel_id = f.channel_id AND m.id = f.message_id AND m.deleted_at IS NULL)`,
    'message-forwards.jsonl: a message that forwards another is not in its channel, or is deleted.',
  ],
  [
    `SELECT r.message_id FROM reactions r JOIN messages m ON m.id = r.message_id JOIN channels c ON c.id = m.channel_id
     WHERE ${isImported} GROUP BY 1 HAVING count(DISTINCT r.emoji) > ${maxEmoji}`,
    `reactions.jsonl: a message has more than ${maxEmoji} different reactions.`,
  ],
  [
    `SELECT r.message_id FROM reactions r JOIN messages m ON m.id = r.message_id JOIN channels c ON c.id = m.channel_id
     WHERE ${isImported} GROUP BY r.message_id, r.user_id HAVING count(*) > ${maxEmojiEach}`,
    `reactions.jsonl: someone has more than ${maxEmojiEach} reactions on one message.`,
  ],
  [
    `SELECT t.message_id FROM attachments t JOIN messages m ON m.id = t.message_id JOIN channels c ON c.id = m.channel_id
       LEFT JOIN message_forwards f ON f.message_id = m.id AND t.id = ANY(f.attachment_ids)
     WHERE ${isImported} AND f.message_id IS NULL GROUP BY 1 HAVING count(*) > ${maxAttachments}`,
    `attachments.jsonl: a message has more than ${maxAttachments} attachments.`,
  ],
  [
    `SELECT server_id FROM channel_categories WHERE server_id = $1 GROUP BY 1 HAVING count(*) > ${maxCategories}`,
    `channel-categories.jsonl: there are more than ${maxCategories}.`,
  ],
  [
    `SELECT owner_id FROM servers s WHERE id = $1 AND NOT EXISTS (
       SELECT FROM server_members m WHERE m.server_id = s.id AND m.user_id = s.owner_id AND m.role = 'owner')`,
    'servers.jsonl: its owner is not among its members.',
  ],
  [
    `SELECT m.user_id FROM server_members m JOIN servers s ON s.id = m.server_id
     WHERE s.id = $1 AND m.role = 'owner' AND m.user_id <> s.owner_id`,
    'server-members.jsonl: someone is an owner beside the owner of the server.',
  ],
  [
    `SELECT n.id FROM workspace_nodes n JOIN workspaces w ON w.id = n.workspace_id
       JOIN workspace_nodes parent ON parent.id = n.parent_id
     WHERE w.server_id = $1 AND parent.kind = 'file'`,
    'workspace-nodes.jsonl: something lies in a file.',
  ],
  [
    `SELECT n.id FROM workspace_nodes n JOIN workspaces w ON w.id = n.workspace_id LEFT JOIN blobs b ON b.id = n.blob_id
     WHERE w.server_id = $1 AND ((n.kind = 'file') <> (b.id IS NOT NULL) OR n.size_bytes <> coalesce(b.size, 0))`,
    'workspace-nodes.jsonl: a file has no bytes or another size than they have, or a folder has some.',
  ],
  ...wrongVersions,
  [
    `SELECT t.id FROM attachments t JOIN messages m ON m.id = t.message_id JOIN channels c ON c.id = m.channel_id
       JOIN blobs b ON b.id = t.blob_id WHERE ${isImported} AND t.size <> b.size`,
    'attachments.jsonl: a file has another size than its bytes.',
  ],
  [
    `SELECT f.path FROM app_files f JOIN apps a ON a.id = f.app_id JOIN blobs b ON b.id = f.blob_id
     WHERE a.server_id = $1 AND f.size_bytes <> b.size`,
    'app-files.jsonl: a file has another size than its bytes.',
  ],
  [
    `SELECT p.name FROM pictures p JOIN imported_contents i ON i.id = p.blob_id JOIN blobs b ON b.id = p.blob_id
     WHERE p.bytes <> b.size`,
    'pictures.jsonl: a picture has another size than its bytes.',
  ],
  [
    // It would collide with the later version of that number.
    `SELECT f.path FROM app_files f JOIN apps a ON a.id = f.app_id WHERE a.server_id = $1 AND f.version <> a.version`,
    'app-files.jsonl: a file is of another version than its app.',
  ],
  ...wrongExpressions,
  ...wrongConversations,
  ...wrongNotices,
  ...wrongHooks,
];

/** Computes what is derived from the rows of an imported server. */
export async function countImported(rows: Rows, serverId: string): Promise<void> {
  // It has as many rows as the file has messages, which the planner must know.
  await rows('ANALYZE imported');
  for (const query of counted) await rows(query, valuesOf(query, serverId));
}

/** PostgreSQL takes no more values than a statement names. */
const valuesOf = (query: string, serverId: string): string[] => (query.includes('$1') ? [serverId] : []);

/** @returns a sentence that says what an imported server has that it must not have */
export async function findWrong(rows: Rows, serverId: string): Promise<string | undefined> {
  for (const [query, sentence] of wrong) {
    const found = await rows(`${query} LIMIT 1`, valuesOf(query, serverId));
    if (found.length > 0) return sentence;
  }
  return undefined;
}

/**
 * Whether an imported bot is a person, or belongs to a bot: its owner gets tokens that act as the bot's user, so that must
 * not be a person.
 */
export async function hasWrongBots(rows: Rows): Promise<boolean> {
  const wrong = await rows(
    `SELECT a.id FROM agents a JOIN imported i ON i.kind = 'agents' AND i.id = a.id
       JOIN users bot ON bot.id = a.user_id JOIN users owner ON owner.id = a.owner_id
     WHERE NOT bot.is_bot OR owner.is_bot LIMIT 1`,
  );
  return wrong.length > 0;
}

/** Whether folders of a server are deeper in one another than that. */
export async function isDeeper(rows: Rows, serverId: string, maxDepth: number): Promise<boolean> {
  const deep = await rows(
    `WITH RECURSIVE tree AS (
       SELECT n.id, n.kind, 1 AS depth FROM workspace_nodes n JOIN workspaces w ON w.id = n.workspace_id
       WHERE w.server_id = $1 AND n.parent_id IS NULL
       UNION ALL SELECT n.id, n.kind, tree.depth + 1 FROM workspace_nodes n JOIN tree ON n.parent_id = tree.id
       WHERE tree.depth <= $2
     ) SELECT id FROM tree WHERE kind = 'dir' AND depth > $2 LIMIT 1`,
    [serverId, maxDepth],
  );
  return deep.length > 0;
}
