import type { EntityManager } from '@mikro-orm/postgresql';
import { requireUnbarred } from '../../access/barred.ts';
import type { ServerAccess } from '../../access/server.access.ts';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import { requireNoTimeout } from '../../contract/roles.ts';
import type { Database } from '../../database/database.ts';
import { Workspace } from '../../database/entities/workspace.entity.ts';
import type { Change } from '../../delivery/changes.ts';
import { dateNow } from '../../infrastructure/clock.ts';
import { newId } from '../../infrastructure/ids.ts';
import { readNodes, workspaceIdOf } from './node.table.ts';
import type { PlacedRow } from './node.view.ts';

/** A workspace that the actor may use. */
export interface OpenWorkspace {
  id: string;
  serverId: string;
}

/** A file, whose bytes are in the store. */
export interface StoredFile extends PlacedRow {
  blobId: string;
}

/** @throws AppError SERVER_NOT_FOUND if it is gone */
export async function findWorkspace(em: EntityManager, id: string): Promise<Workspace> {
  // A request with an Idempotency-Key is one change, which may have read it before a lock was taken.
  const workspace = await em.findOne(Workspace, id, { refresh: true });
  if (!workspace) throw new AppError('SERVER_NOT_FOUND');
  return workspace;
}

/** Locks a workspace against other edits; visits do not wait. @throws AppError SERVER_NOT_FOUND if it is gone */
export async function lockWorkspace({ db, em }: Change, id: string): Promise<Workspace> {
  const row = await db.selectFrom('Workspace').where('id', '=', id).selectAll().forNoKeyUpdate().executeTakeFirst();
  if (!row) throw new AppError('SERVER_NOT_FOUND');
  // It may have been read before.
  return em.merge(Workspace, row, { refresh: true });
}

/** The only way to access a workspace and its contents on behalf of someone. */
export class WorkspaceAccess {
  private readonly database: Database;
  private readonly servers: ServerAccess;

  constructor(database: Database, servers: ServerAccess) {
    this.database = database;
    this.servers = servers;
  }

  /**
   * The workspace of a server that the actor is a member of (contract §5: members use the workspace). The first access
   * creates it; concurrent ones create one.
   * @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER, FORBIDDEN for a bot that is disabled or deaf everywhere in the server
   */
  async open(actor: Actor, serverIdOrSlug: string): Promise<OpenWorkspace> {
    const { id: serverId } = await this.servers.joined(actor, serverIdOrSlug);
    await requireUnbarred(this.database.rows, actor, serverId);
    const known = await workspaceIdOf(this.database.rows, serverId);
    if (known) return { id: known, serverId };
    await this.create(serverId);
    const made = await workspaceIdOf(this.database.rows, serverId);
    if (!made) throw new AppError('SERVER_NOT_FOUND');
    return { id: made, serverId };
  }

  /** The same for writing, which bots may only where admins let them. @throws AppError like `open`, FORBIDDEN */
  async openToWrite(actor: Actor, serverIdOrSlug: string): Promise<OpenWorkspace> {
    const workspace = await this.open(actor, serverIdOrSlug);
    await this.requireStillOpen(actor, workspace);
    return workspace;
  }

  /**
   * For callers that waited for the lock of a workspace to write: they may have been removed from the server meanwhile.
   * @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER, TIMED_OUT, FORBIDDEN for a bot without the right
   */
  async requireStillOpen(actor: Actor, { serverId }: OpenWorkspace): Promise<void> {
    const { membership } = await this.servers.joined(actor, serverId);
    requireNoTimeout(membership.rights);
    if (!actor.user.isBot || membership.workspaceWrite) return;
    throw new AppError('FORBIDDEN', { message: 'Admins of the server have not let this bot write in the workspace.' });
  }

  /** A folder of the workspace. @throws AppError FOLDER_NOT_FOUND */
  async folder(workspace: OpenWorkspace, folderId: string): Promise<PlacedRow> {
    const [row] = await readNodes(this.database.rows, workspace.id, [folderId]);
    if (row?.kind !== 'dir') throw new AppError('FOLDER_NOT_FOUND');
    return row;
  }

  /** A file of the workspace. @throws AppError FILE_NOT_FOUND */
  async file(workspace: OpenWorkspace, fileId: string): Promise<StoredFile> {
    const [row] = await readNodes(this.database.rows, workspace.id, [fileId]);
    if (!row?.blobId) throw new AppError('FILE_NOT_FOUND');
    return { ...row, blobId: row.blobId };
  }

  /** The file of a signed link, whose creator had access. @throws AppError FILE_NOT_FOUND */
  async linkedFile(serverId: string, fileId: string): Promise<StoredFile> {
    const workspaceId = await workspaceIdOf(this.database.rows, serverId);
    if (!workspaceId) throw new AppError('FILE_NOT_FOUND');
    return this.file({ id: workspaceId, serverId }, fileId);
  }

  private async create(serverId: string): Promise<void> {
    const now = dateNow();
    await this.database.db
      .insertInto('Workspace')
      .columns(['id', 'serverId', 'name', 'createdAt', 'updatedAt'])
      .expression((of) =>
        of
          .selectFrom('Server')
          .where('id', '=', serverId)
          .select(({ val }) => [
            val(newId()).as('new'),
            'id',
            'name',
            val(now).as('createdAt'),
            val(now).as('updatedAt'),
          ]),
      )
      .onConflict((known) => known.column('serverId').doNothing())
      .execute();
  }
}
