import { followCalls } from '../../contract/follow.ts';
import { type Route, serve } from '../../rest/route.ts';
import type { FollowService } from './follow.service.ts';

export function followRoutes(follows: FollowService): Route[] {
  return serve(followCalls, {
    listFollowedThreads: ({ actor, query }) => follows.list(actor, query),
    listUnreadThreads: ({ actor, params }) => follows.unreadIn(actor, params.channelId),
    getThreadState: ({ actor, params }) => follows.state(actor, params.id),
    followThread: ({ actor, params, body }) => follows.follow(actor, params.id, body.muted ?? false),
    unfollowThread: ({ actor, params }) => follows.unfollow(actor, params.id),
    markThreadRead: ({ actor, params, body }) => follows.markRead(actor, params.id, body),
    markAllThreadsRead: async ({ actor }) => ({ ok: true as const, updated: await follows.markAllRead(actor) }),
    markUnread: ({ actor, params }) => follows.markUnread(actor, params.id),
  });
}
