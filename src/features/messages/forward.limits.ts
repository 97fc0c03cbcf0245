import { erasedAmong } from '../../access/user.table.ts';
import { AppError } from '../../contract/errors.ts';
import type { Rows } from '../../database/database.ts';
import type { StorageAllowance } from '../blobs/allowance.ts';
import type { NewForward } from './forward.table.ts';

/** A message that may forward one, and its author. */
interface Forwarding {
  authorId: string;
  forward: NewForward | null;
}

/** A message is refused for what it forwards; those that are written with it are not. */
class RefusedForward extends Error {
  readonly reason: AppError;

  constructor(reason: AppError) {
    super(reason.message);
    this.reason = reason;
  }
}

/** For what throws RefusedForward. @throws AppError */
export function asRefusal(error: unknown): never {
  throw error instanceof RefusedForward ? error.reason : error;
}

/** Those who store files with what they forward. */
const storing = (all: Forwarding[]): string[] => [
  ...new Set(all.flatMap(({ authorId, forward }) => (forward && forward.copies.length > 0 ? [authorId] : []))),
];

/**
 * Lets nothing be forwarded of those who had all of their messages erased: that either comes before, and is waited for, or
 * after, and finds the copies. Whoever stores files stores them one after the other. It locks users.
 * @throws RefusedForward with MESSAGE_NOT_FOUND
 */
export async function holdForwards(rows: Rows, allowance: StorageAllowance, all: Forwarding[]): Promise<void> {
  const authors = [...new Set(all.flatMap(({ forward }) => forward?.authorId ?? []))];
  if (authors.length === 0) return;
  if ((await erasedAmong(rows, authors)).size > 0) {
    throw new RefusedForward(new AppError('MESSAGE_NOT_FOUND', { message: 'Nothing is left to forward.' }));
  }
  await allowance.hold(rows, storing(all));
}

/** Checks, once the files were copied, that it was not too much. @throws RefusedForward with QUOTA_EXCEEDED */
export async function requireRoomForCopies(rows: Rows, allowance: StorageAllowance, all: Forwarding[]): Promise<void> {
  for (const userId of storing(all)) {
    await allowance.requireWithin(rows, { userId }).catch((error) => {
      throw error instanceof AppError && error.status < 500 ? new RefusedForward(error) : error;
    });
  }
}
