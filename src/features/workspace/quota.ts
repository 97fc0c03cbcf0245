import type { EntityManager } from '@mikro-orm/postgresql';
import { AppError } from '../../contract/errors.ts';
import { findWorkspace } from './workspace.access.ts';

export interface WorkspaceLimits {
  quotaBytes: number;
  maxNodes: number;
  maxDepth: number;
  /** How many older versions of a file are kept, and how long. */
  versions: number;
  versionDays: number;
}

/**
 * How many bytes one more file may have, as far as is known before it is received. Older versions make room.
 * @param replaced the bytes of the file whose place it takes; null: of none
 * @throws AppError SERVER_NOT_FOUND, QUOTA_EXCEEDED if no more files are allowed
 */
export async function roomForFile(
  em: EntityManager,
  workspaceId: string,
  limits: WorkspaceLimits,
  replaced: number | null,
): Promise<number> {
  const { folderCount, fileCount, totalBytes } = await findWorkspace(em, workspaceId);
  if (replaced === null && folderCount + fileCount >= limits.maxNodes) throw tooManyNodes(limits);
  return Math.max(limits.quotaBytes - totalBytes + (replaced ?? 0), 0);
}

/** QUOTA_EXCEEDED by the number of nodes, not by their bytes. */
export function tooManyNodes({ maxNodes }: WorkspaceLimits): AppError {
  return new AppError('QUOTA_EXCEEDED', {
    message: `A workspace can have at most ${maxNodes} folders and files; delete some first.`,
  });
}
