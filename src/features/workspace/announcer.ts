import { LRUCache } from 'lru-cache';
import { barredBots } from '../../access/policy.table.ts';
import { userRoom } from '../../contract/rooms.ts';
import { maxListedNodes, workspaceChanged } from '../../contract/workspace.ts';
import type { Database } from '../../database/database.ts';
import type { Change } from '../../delivery/changes.ts';
import { atMost } from '../../infrastructure/cache.ts';
import { dateNow } from '../../infrastructure/clock.ts';
import { lockMembership } from '../members/audience.table.ts';
import { memberIds, viewerIds } from './node.table.ts';
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
    await this.database.db
      .insertInto('WorkspaceViewer')
      .columns(['workspaceId', 'userId', 'seenAt'])
      .expression((of) =>
        of
          .selectFrom('Server')
          .where('id', '=', workspace.serverId)
          .where('memberCount', '>', maxTold)
          .select(({ val }) => [
            val(workspace.id).as('workspaceId'),
            val(userId).as('userId'),
            val(dateNow()).as('seenAt'),
          ]),
      )
      .onConflict((known) =>
        known.columns(['workspaceId', 'userId']).doUpdateSet({ seenAt: ({ ref }) => ref('excluded.seenAt') }),
      )
      .execute();
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
    const members = await memberIds(change.rows, workspace.serverId, maxTold + 1);
    return members.length <= maxTold ? members : viewerIds(change.rows, workspace, maxTold);
  }
}
