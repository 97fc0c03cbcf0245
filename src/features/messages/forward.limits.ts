import { erasedAmong } from '../../access/user.table.ts';
import { AppError } from '../../contract/errors.ts';
import type { Rows } from '../../database/database.ts';
import { serversOf } from '../blobs/allowance.table.ts';
import type { StorageAllowance } from '../blobs/allowance.ts';
import type { NewForward } from './forward.table.ts';

/** A message that may forward one, and its author. */
interface Forwarding {
  authorId: string;
  forward: NewForward | null;
}

/** A message that may bring files. */
interface Bringing extends Forwarding {
  channelId: string;
  attachmentIds: string[];
}

/** A message is refused for what it brings; those that are written with it are not. */
class RefusedMessage extends Error {
  readonly reason: AppError;

  constructor(reason: AppError) {
    super(reason.message);
    this.reason = reason;
  }
}

/** For what throws RefusedMessage. @throws AppError */
export function asRefusal(error: unknown): never {
  throw error instanceof RefusedMessage ? error.reason : error;
}

/** Those who store files with what they forward. */
const storing = (all: Forwarding[]): string[] => [
  ...new Set(all.flatMap(({ authorId, forward }) => (forward && forward.copies.length > 0 ? [authorId] : []))),
];

/**
 * Lets nothing be forwarded of those who had all of their messages erased: that either comes before, and is waited for, or
 * after, and finds the copies. Whoever stores files stores them one after the other. It locks users and quotas.
 * @param serverIds that get files with the messages
 * @throws RefusedMessage with MESSAGE_NOT_FOUND
 */
export async function holdForwards(
  rows: Rows,
  allowance: StorageAllowance,
  all: Forwarding[],
  serverIds: string[] = [],
): Promise<void> {
  const authors = [...new Set(all.flatMap(({ forward }) => forward?.authorId ?? []))];
  if (authors.length > 0 && (await erasedAmong(rows, authors)).size > 0) {
    throw new RefusedMessage(new AppError('MESSAGE_NOT_FOUND', { message: 'Nothing is left to forward.' }));
  }
  const users = storing(all);
  if (users.length + serverIds.length > 0) await allowance.hold(rows, users, serverIds);
}

/** The servers that get files with some messages. */
export async function serversWithFiles(rows: Rows, all: Bringing[]): Promise<string[]> {
  const bringing = all.filter(({ attachmentIds, forward }) => attachmentIds.length + (forward?.copies.length ?? 0) > 0);
  const channelIds = [...new Set(bringing.map(({ channelId }) => channelId))];
  return channelIds.length > 0 ? serversOf(rows, channelIds) : [];
}

/** Checks, once the files were copied, that it was not too much. @throws RefusedMessage with QUOTA_EXCEEDED */
export async function requireRoomForCopies(rows: Rows, allowance: StorageAllowance, all: Forwarding[]): Promise<void> {
  for (const userId of storing(all)) await allowance.requireWithin(rows, { userId }).catch(asRefused);
}

/** The same of all files for the servers that got them. @throws RefusedMessage with QUOTA_EXCEEDED */
export async function requireRoomInServers(rows: Rows, allowance: StorageAllowance, all: Bringing[]): Promise<void> {
  await allowance.requireServersWithin(rows, await serversWithFiles(rows, all)).catch(asRefused);
}

function asRefused(error: unknown): never {
  throw error instanceof AppError && error.status < 500 ? new RefusedMessage(error) : error;
}
