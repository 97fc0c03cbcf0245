import { AppError } from '../../contract/errors.ts';
import type { Rows } from '../../database/database.ts';
import type { OpenWorkspace } from './workspace.access.ts';

export interface WorkspaceLimits {
  quotaBytes: number;
  maxNodes: number;
  maxDepth: number;
}

/** The size of a workspace. */
export interface Totals {
  folderCount: number;
  fileCount: number;
  totalBytes: number;
}

export const selectTotals = `SELECT folder_count AS "folderCount", file_count AS "fileCount", total_bytes AS "totalBytes"
  FROM workspaces WHERE id = $1`;

/**
 * How many bytes one more file may have, as far as is known before it is received.
 * @throws AppError SERVER_NOT_FOUND, QUOTA_EXCEEDED if no more files are allowed
 */
export async function roomForFile(rows: Rows, workspace: OpenWorkspace, limits: WorkspaceLimits): Promise<number> {
  const [totals] = await rows<Totals>(selectTotals, [workspace.id]);
  if (!totals) throw new AppError('SERVER_NOT_FOUND');
  if (totals.folderCount + totals.fileCount >= limits.maxNodes) throw tooManyNodes(limits);
  return Math.max(limits.quotaBytes - totals.totalBytes, 0);
}

/** QUOTA_EXCEEDED by the number of nodes, not by their bytes. */
export function tooManyNodes({ maxNodes }: WorkspaceLimits): AppError {
  return new AppError('QUOTA_EXCEEDED', {
    message: `A workspace can have at most ${maxNodes} folders and files; delete some first.`,
  });
}
