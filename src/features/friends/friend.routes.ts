import { friendCalls } from '../../contract/friend.ts';
import { done } from '../../contract/schema.ts';
import { type Route, serve } from '../../rest/route.ts';
import type { BlockService } from './block.service.ts';
import type { FriendService } from './friend.service.ts';

export function friendRoutes(friends: FriendService, blocks: BlockService): Route[] {
  return serve(friendCalls, {
    listFriends: ({ actor }) => friends.friends(actor),
    listReceivedFriendRequests: ({ actor }) => friends.received(actor),
    listSentFriendRequests: ({ actor }) => friends.sent(actor),
    requestFriend: ({ actor, body }) => friends.request(actor, body.username),
    acceptFriend: ({ actor, params }) => friends.accept(actor, params.id),
    rejectFriend: async ({ actor, params }) => ({ ...done, ...(await friends.reject(actor, params.id)) }),
    async removeFriend({ actor, params }) {
      await friends.remove(actor, params.id);
      return done;
    },
    listBlocks: ({ actor }) => blocks.list(actor),
    blockUser: ({ actor, params }) => blocks.block(actor, params.userId),
    async unblockUser({ actor, params }) {
      await blocks.unblock(actor, params.userId);
      return done;
    },
  });
}
