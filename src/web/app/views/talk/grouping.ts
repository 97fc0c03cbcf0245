import type { Message } from '../../../../client/index.ts';

const groupMs = 5 * 60_000;

/** Whether it belongs to the one before, so that the name need not be said again; what is pinned says so beside the name. */
export function isGrouped(
  before: Pick<Message, 'authorId' | 'createdAt'> | undefined,
  message: Pick<Message, 'authorId' | 'replyToId' | 'createdAt'> & { isPinned?: boolean },
): boolean {
  if (!before || before.authorId !== message.authorId || message.replyToId || message.isPinned) return false;
  return Date.parse(message.createdAt) - Date.parse(before.createdAt) < groupMs;
}
