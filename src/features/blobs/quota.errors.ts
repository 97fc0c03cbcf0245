import { AppError } from '../../contract/errors.ts';
import type { QuotaOwner } from '../../contract/storage-kinds.ts';

const sentences: Record<QuotaOwner, (quotaBytes: number) => string> = {
  account: (bytes) => `All files of your account can have at most ${bytes} bytes together; delete some first.`,
  server: (bytes) => `All files of this server can have at most ${bytes} bytes together; delete some first.`,
  installation: () => 'There is no room for more files here at the moment; ask whoever runs this server.',
  workspace: () => 'The workspace is full; delete files first.',
  apps: (bytes) => `All apps of a server can have at most ${bytes} bytes together; delete some first.`,
};

/**
 * The error for what there is no room for (contract §8, Storage). How much is stored in all is not told.
 * @param totalBytes what is stored without it
 */
export function quotaExceeded(quota: QuotaOwner, totalBytes: number, quotaBytes: number, cause?: unknown): AppError {
  const leftBytes = Math.max(quotaBytes - totalBytes, 0);
  const told = quota === 'installation' ? {} : { totalBytes, quotaBytes };
  const message = sentences[quota](quotaBytes);
  return new AppError('QUOTA_EXCEEDED', { message, extra: { quota, ...told, leftBytes }, cause });
}
