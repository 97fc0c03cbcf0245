import type { z } from 'zod';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import { isoTime, isoTimeOrNull } from '../../contract/schema.ts';
import type { fileVersionSchema } from '../../contract/workspace-versions.ts';
import type { Context } from '../context.ts';
import type { WorkspaceEdits } from './edits.ts';
import { requireKind } from './node.service.ts';
import type { NodeRecord } from './node.view.ts';
import type { WorkspaceLimits } from './quota.ts';
import { authorOf, type ListedVersion, readVersions } from './version.table.ts';
import type { WorkspaceAccess } from './workspace.access.ts';

type VersionRecord = z.input<typeof fileVersionSchema>;

interface Deps extends Pick<Context, 'database'> {
  workspaceAccess: WorkspaceAccess;
  workspaceEdits: WorkspaceEdits;
  limits: WorkspaceLimits;
}

/** What files contained before (contract §8, Versions). Members, who may delete files, may do all of this. */
export class VersionService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** Of a file, newest first; the first is what it contains now. @throws AppError FILE_NOT_FOUND */
  async list(actor: Actor, serverId: string, fileId: string): Promise<VersionRecord[]> {
    const workspace = await this.deps.workspaceAccess.open(actor, serverId);
    const { id } = await this.deps.workspaceAccess.file(workspace, fileId);
    const days = this.deps.limits.versionDays;
    const found = await this.deps.database.readCurrent(({ rows }) => readVersions(rows, id, days));
    return found.map((version) => versionRecord(id, version));
  }

  /**
   * Gives a file the content of an older version.
   * @param versions only if it still has one of these versions; null: in any case
   * @throws AppError FILE_NOT_FOUND, FILE_VERSION_NOT_FOUND, FILE_CHANGED, QUOTA_EXCEEDED
   */
  restore(
    actor: Actor,
    serverId: string,
    fileId: string,
    version: string,
    versions: string[] | null,
  ): Promise<NodeRecord> {
    return this.deps.workspaceEdits.one(actor, serverId, async (edit) => {
      await requireKind(edit, fileId, 'file', versions);
      await edit.restore(fileId, numberOf(version));
      return fileId;
    });
  }

  /** @throws AppError FILE_NOT_FOUND, FILE_VERSION_NOT_FOUND */
  async delete(actor: Actor, serverId: string, fileId: string, version: string): Promise<void> {
    await this.deps.workspaceEdits.run(actor, serverId, async (edit) => {
      await requireKind(edit, fileId, 'file');
      await edit.removeVersion(fileId, numberOf(version));
    });
  }
}

function numberOf(version: string): number {
  if (!/^[1-9]\d{0,8}$/.test(version)) throw new AppError('FILE_VERSION_NOT_FOUND');
  return Number(version);
}

function versionRecord(fileId: string, row: ListedVersion): VersionRecord {
  const { version, sizeBytes, mime, isText, savedAt, keptUntil } = row;
  return {
    ...{ fileId, version, isCurrent: keptUntil === null, sizeBytes, mime, isText },
    savedBy: authorOf(row),
    savedAt: isoTime(savedAt),
    keptUntil: isoTimeOrNull(keptUntil),
  };
}
