import type { Change } from '../../delivery/changes.ts';
import type { Context } from '../context.ts';
import type { MembersServices } from '../members/members.module.ts';
import type { PresenceServices } from '../presence/presence.module.ts';
import type { ReceiptsServices } from '../receipts/receipts.module.ts';
import { CategoryService } from './category.service.ts';
import { channelHandlers } from './channel.gateway.ts';
import { channelPurge, purgeLeftBehind } from './channel.purge.ts';
import {
  categoryRoutes,
  channelMemberRoutes,
  channelOverrideRoutes,
  channelRoutes,
  favoriteRoutes,
} from './channel.routes.ts';
import { ChannelService } from './channel.service.ts';
import { ChannelMemberService } from './channel-member.service.ts';
import { ChannelOverrideService } from './channel-override.service.ts';
import { ChannelVisibility } from './channel-visibility.ts';
import { FavoriteService } from './favorite.service.ts';
import { GroupMembers } from './group-members.ts';
import { ReadStateService } from './read-state.service.ts';

export type ChannelsServices = ReturnType<typeof channelsModule>['services'];

/** Channels of servers, who is in the private ones, and how far each has read (contract §5, §6). */
export function channelsModule(context: Context & MembersServices & PresenceServices & ReceiptsServices) {
  const channels = new ChannelService(context);
  const channelMembers = new ChannelMemberService(context);
  const groupMembers = new GroupMembers(context);
  const visibility = new ChannelVisibility({ ...context, channelMembers });
  const overrides = new ChannelOverrideService({ ...context, channelMembers, visibility });
  const readStates = new ReadStateService(context);
  return {
    services: { channels, channelMembers, groupMembers, visibility },
    routes: [
      ...channelRoutes(channels, readStates),
      ...categoryRoutes(new CategoryService(context)),
      ...favoriteRoutes(new FavoriteService(context)),
      ...channelMemberRoutes(channelMembers),
      ...channelOverrideRoutes(overrides),
    ],
    handlers: () => channelHandlers(readStates),
    jobs: [channelPurge(context), visibility.work],
    leftBehind: (change: Change) => purgeLeftBehind(change, context.jobs),
  };
}
