import { LRUCache } from 'lru-cache';
import { barredBots } from '../../access/policy.table.ts';
import { userRoom } from '../../contract/rooms.ts';
import { maxListedNodes, workspaceChanged } from '../../contract/workspace.ts';
import type { Database } from '../../database/database.ts';
import type { Change } from '../../delivery/changes.ts';
import { atMost } from '../../infrastructure/cache.ts';
import { lockMembership } from '../members/audience.table.ts';
import type { NodeRecord } from './node.view.ts';
import type { OpenWorkspace } from './workspace.access.ts';

/** The changes of an edit. */
export interface Edited {
  nodes: NodeRecord[];
  deletedIds: string[];
  /** More changed than is listed. */
  more?: boolean;
}

/** In servers of up to this many members everyone gets each change; in larger ones this many recent visitors. */
const maxTold = 200;
/** How often a visit is recorded. */
const noteEveryMs = 10 * 60_000;

/**
 * Publishes changes to people (contract §8). A server may have 10 000 members, and a durable event costs a row for
 * each: so in large servers only the latest 200 who had the workspace open within a day get them. Others reread it when
 * they open it.
 */
export class Announcer {
  private readonly database: Database;
  private readonly noted = new LRUCache<string, true>({ ...atMost(50_000), ttl: noteEveryMs });

  constructor(database: Database) {
    this.database = database;
  }

  /** Records a visit to a workspace. */
  async seenBy(userId: string, workspace: OpenWorkspace): Promise<void> {
    const key = `${workspace.id} ${userId}`;
    if (this.noted.has(key)) return;
    this.noted.set(key, true);
    await this.database.rows(
      `INSERT INTO workspace_viewers (workspace_id, user_id, seen_at)
       SELECT $1, $2, now() FROM servers WHERE id = $3 AND member_count > $4
       ON CONFLICT (workspace_id, user_id) DO UPDATE SET seen_at = now()`,
      [workspace.id, userId, workspace.serverId, maxTold],
    );
  }

  async announce(change: Change, workspace: OpenWorkspace, { nodes, deletedIds, more }: Edited): Promise<void> {
    const complete = !more && nodes.length <= maxListedNodes && deletedIds.length <= maxListedNodes;
    const listed = { nodes: nodes.slice(0, maxListedNodes), deletedIds: deletedIds.slice(0, maxListedNodes) };
    const payload = { serverId: workspace.serverId, ...listed, complete };
    const people = await this.audience(change, workspace);
    const barred = await barredBots(change.rows, workspace.serverId, people);
    for (const userId of people) {
      if (barred.has(userId)) continue;
      change.publish(workspaceChanged.in(userRoom(userId), payload));
    }
  }

  private async audience(change: Change, workspace: OpenWorkspace): Promise<string[]> {
    await lockMembership(change.rows, workspace.serverId);
    const members = await change.rows<{ id: string }>(
      'SELECT user_id AS id FROM server_members WHERE server_id = $1 LIMIT $2',
      [workspace.serverId, maxTold + 1],
    );
    if (members.length <= maxTold) return members.map((row) => row.id);
    const viewers = await change.rows<{ id: string }>(
      `SELECT v.user_id AS id FROM workspace_viewers v
         JOIN server_members m ON m.server_id = $2 AND m.user_id = v.user_id
       WHERE v.workspace_id = $1 AND v.seen_at > now() - interval '1 day' ORDER BY v.seen_at DESC LIMIT $3`,
      [workspace.id, workspace.serverId, maxTold],
    );
    return viewers.map((row) => row.id);
  }
}
