import type { AccountsServices } from '../accounts/accounts.module.ts';
import type { Context } from '../context.ts';
import { BlockService } from './block.service.ts';
import { friendRoutes } from './friend.routes.ts';
import { FriendService } from './friend.service.ts';

export type FriendsServices = ReturnType<typeof friendsModule>['services'];

/** Friendships and blocks (contract §7). */
export function friendsModule(context: Context & AccountsServices) {
  const friends = new FriendService(context);
  context.dashboard.addSource(async (actor) => ({ friends: await friends.count(actor) }));
  return { services: { friends }, routes: friendRoutes(friends, new BlockService({ ...context, friends })) };
}
