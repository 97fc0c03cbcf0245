import type { z } from 'zod';
import type { Actor } from '../../contract/actor.ts';
import { isoTime } from '../../contract/schema.ts';
import { rootKey, type workspaceSchema, type workspaceStatsSchema } from '../../contract/workspace.ts';
import type { Reader } from '../../database/database.ts';
import type { Workspace } from '../../database/entities/workspace.entity.ts';
import { dateNow } from '../../infrastructure/clock.ts';
import type { Context } from '../context.ts';
import type { Announcer } from './announcer.ts';
import { LargeReads } from './large-reads.ts';
import { readAll, readChildren, searchNodes } from './node.table.ts';
import {
  type LongText,
  listsText,
  listText,
  type NodeRecord,
  nodeRecord,
  type PlacedRow,
  treeText,
} from './node.view.ts';
import { findWorkspace, lockWorkspace, type OpenWorkspace, type WorkspaceAccess } from './workspace.access.ts';

const searchLimit = 100;

/** Answers of many files at once on a node: their total memory is bounded. */
const longAnswers = { total: 16, perUser: 4 };

interface Deps extends Pick<Context, 'database' | 'changes'> {
  workspaceAccess: WorkspaceAccess;
  announcer: Announcer;
  quotaBytes: number;
  uploadBytes: number;
}

/** Workspaces as a whole, and browsing them (contract §8). */
export class WorkspaceService {
  private readonly deps: Deps;
  private readonly longAnswers = new LargeReads(
    longAnswers,
    'You are reading several long lists of files already; wait until one of them is there.',
  );

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** With its counts of folders, files and bytes. @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER */
  async get(actor: Actor, serverId: string): Promise<z.input<typeof workspaceSchema>> {
    const { id } = await this.visit(actor, serverId);
    return this.record(await this.deps.database.read((em) => findWorkspace(em, id)));
  }

  /** @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER */
  async rename(actor: Actor, serverId: string, name: string): Promise<z.input<typeof workspaceSchema>> {
    const { id } = await this.deps.workspaceAccess.openToWrite(actor, serverId);
    return this.deps.changes.run(async (change) => {
      const workspace = await lockWorkspace(change, id);
      if (workspace.name !== name) {
        Object.assign(workspace, { name, updatedAt: dateNow() });
        await this.deps.announcer.announce(change, workspace, { nodes: [], deletedIds: [], more: true });
      }
      return this.record(workspace);
    });
  }

  /** Its counts alone. @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER */
  async stats(actor: Actor, serverId: string): Promise<z.input<typeof workspaceStatsSchema>> {
    const { folderCount, fileCount, totalCount, totalBytes, versionBytes, quotaBytes } = await this.get(
      actor,
      serverId,
    );
    return { folderCount, fileCount, totalCount, totalBytes, versionBytes, quotaBytes };
  }

  /**
   * All folders and files as of one moment.
   * @throws AppError RATE_LIMITED or SERVER_BUSY while too many other long answers are being sent
   */
  async tree(actor: Actor, serverId: string): Promise<LongText> {
    const workspace = await this.visit(actor, serverId);
    return this.long(actor, (reader, onMore) => readAll(reader, workspace.id, onMore), treeText);
  }

  /** The contents of a folder; null: of the top. @throws AppError FOLDER_NOT_FOUND, and as `tree` */
  async children(actor: Actor, serverId: string, parentId: string | null): Promise<LongText> {
    const workspace = await this.visit(actor, serverId);
    if (parentId) await this.deps.workspaceAccess.folder(workspace, parentId);
    const ids = [parentId ?? workspace.id];
    return this.long(actor, (reader, onMore) => readChildren(reader, workspace.id, ids, onMore), listText);
  }

  /** The contents of several folders, by their ids; a deleted folder is empty. @throws AppError as `tree` */
  async childrenOf(actor: Actor, serverId: string, parentIds: (string | null)[]): Promise<LongText> {
    const workspace = await this.visit(actor, serverId);
    const ids = parentIds.map((id) => id ?? workspace.id);
    const read = (reader: Reader, onMore: () => void) => readChildren(reader, workspace.id, ids, onMore);
    return this.long(actor, read, (rows) => {
      const lists = new Map(parentIds.map((id): [string, PlacedRow[]] => [id ?? rootKey, []]));
      for (const row of rows) lists.get(row.parentId ?? rootKey)?.push(row);
      return listsText(lists);
    });
  }

  private async long<R>(
    actor: Actor,
    read: (reader: Reader, onMore: () => void) => Promise<R[]>,
    textOf: (rows: R[]) => AsyncIterable<string>,
  ): Promise<LongText> {
    let closed = () => {};
    const onMore = () => {
      // After a replica has failed it is the second time.
      closed();
      closed = () => {};
      closed = this.longAnswers.enter(actor.userId);
    };
    try {
      const rows = await this.deps.database.readCurrent((reader) => read(reader, onMore));
      return { pieces: textOf(rows), closed };
    } catch (error) {
      closed();
      throw error;
    }
  }

  /** Folders or files whose names contain a text, case-insensitively; the first hundred. */
  async search(actor: Actor, serverId: string, kind: 'dir' | 'file', text: string): Promise<NodeRecord[]> {
    const workspace = await this.visit(actor, serverId);
    const search = ({ rows }: Reader) => searchNodes(rows, workspace.id, kind, text, searchLimit);
    return (await this.deps.database.readCurrent(search)).map(nodeRecord);
  }

  /** Opens a workspace for someone who reads it; readers get its changes (see Announcer). */
  private async visit(actor: Actor, serverId: string): Promise<OpenWorkspace> {
    const workspace = await this.deps.workspaceAccess.open(actor, serverId);
    await this.deps.announcer.seenBy(actor.userId, workspace);
    return workspace;
  }

  private record(workspace: Workspace): z.input<typeof workspaceSchema> {
    const { id, serverId, name, folderCount, fileCount, totalBytes, versionBytes, createdAt, updatedAt } = workspace;
    return {
      id,
      serverId,
      name,
      folderCount,
      fileCount,
      totalBytes,
      versionBytes,
      totalCount: folderCount + fileCount,
      quotaBytes: this.deps.quotaBytes,
      maxFileBytes: this.deps.uploadBytes,
      createdAt: isoTime(createdAt),
      updatedAt: isoTime(updatedAt),
    };
  }
}
