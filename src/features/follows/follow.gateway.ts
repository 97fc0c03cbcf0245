import { followClientEvents } from '../../contract/follow.ts';
import { type Handler, handlers } from '../../gateway/handler.ts';
import type { FollowService } from './follow.service.ts';

export function followHandlers(follows: FollowService): Handler[] {
  return handlers(followClientEvents, {
    'thread:read': ({ actor, payload: { threadId, ...input } }) => follows.markRead(actor, threadId, input),
    'thread:follow': ({ actor, payload }) => follows.follow(actor, payload.threadId, payload.muted ?? false),
    'thread:unfollow': ({ actor, payload }) => follows.unfollow(actor, payload.threadId),
    'message:unread': ({ actor, payload }) => follows.markUnread(actor, payload.messageId),
  });
}
