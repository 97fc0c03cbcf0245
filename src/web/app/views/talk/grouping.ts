import type { Message } from '../../../../client/index.ts';

const groupMs = 5 * 60_000;

/** Whether a message is grouped with the one before, without a name. A pinned one is not: its pin is beside the name. */
export function isGrouped(
  before: Pick<Message, 'authorId' | 'createdAt'> | undefined,
  message: Pick<Message, 'authorId' | 'replyToId' | 'createdAt'> & { isPinned?: boolean },
): boolean {
  if (!before || before.authorId !== message.authorId || message.replyToId || message.isPinned) return false;
  return Date.parse(message.createdAt) - Date.parse(before.createdAt) < groupMs;
}
