import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import type { StorageAllowance } from '../blobs/allowance.ts';
import type { Context } from '../context.ts';
import type { Announcer } from './announcer.ts';
import { readNodes } from './node.table.ts';
import { type NodeRecord, nodeRecord } from './node.view.ts';
import type { WorkspaceLimits } from './quota.ts';
import { type HasRoom, TreeEdit } from './tree-edit.ts';
import type { WorkspaceAccess } from './workspace.access.ts';

/** The records of the nodes that an edit touched, after it. */
export type Touched = Map<string, NodeRecord>;

interface Deps extends Pick<Context, 'changes'> {
  workspaceAccess: WorkspaceAccess;
  announcer: Announcer;
  allowance: StorageAllowance;
  limits: WorkspaceLimits;
}

/** The only way to edit a workspace: under its lock, counted, and announced in one event. */
export class WorkspaceEdits {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER, and what `work` throws; nothing is changed then */
  async run<T>(
    actor: Actor,
    serverId: string,
    work: (edit: TreeEdit) => Promise<T>,
  ): Promise<{ result: T; touched: Touched }> {
    const workspace = await this.deps.workspaceAccess.openToWrite(actor, serverId);
    return this.deps.changes.run(async (change) => {
      const { allowance, limits } = this.deps;
      const hasRoom: HasRoom = (userIds, bytes) =>
        allowance.hasRoomFor(change.rows, { userIds, serverId: workspace.serverId, bytes });
      const edit = await TreeEdit.begin(change, workspace.id, { userId: actor.userId, limits, hasRoom });
      await this.deps.workspaceAccess.requireStillOpen(actor, workspace);
      const result = await work(edit);
      const bytes = edit.addedBytes + edit.keptBytes;
      if (bytes > 0) {
        await edit.makeRoom();
        await allowance.requireWithin(change.rows, { userId: actor.userId, serverId: workspace.serverId, bytes });
      }
      const rows = await readNodes(change.rows, workspace.id, [...edit.touched, ...edit.shown]);
      const touched = new Map(rows.map((row) => [row.id, nodeRecord(row)]));
      const nodes = [...touched.values()].filter(({ id }) => edit.touched.has(id));
      // Includes nodes moved into a folder that was deleted then: others know them at their old place.
      const deletedIds = [...edit.touched].filter((id) => !touched.has(id));
      if (edit.touched.size > 0) await this.deps.announcer.announce(change, workspace, { nodes, deletedIds });
      return { result, touched };
    });
  }

  /** The same for an edit of one node, whose id it returns. @returns the node's record afterwards */
  async one(actor: Actor, serverId: string, work: (edit: TreeEdit) => Promise<string>): Promise<NodeRecord> {
    const { result, touched } = await this.run(actor, serverId, async (edit) => {
      const id = await work(edit);
      // Its record is the answer even if nothing had to be changed.
      edit.shown.add(id);
      return id;
    });
    const node = touched.get(result);
    if (!node) throw new AppError('NODE_NOT_FOUND');
    return node;
  }
}
