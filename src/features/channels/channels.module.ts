import type { Change } from '../../delivery/changes.ts';
import type { Context } from '../context.ts';
import type { MembersServices } from '../members/members.module.ts';
import type { PresenceServices } from '../presence/presence.module.ts';
import { channelHandlers } from './channel.gateway.ts';
import { channelPurge, purgeLeftBehind } from './channel.purge.ts';
import { channelMemberRoutes, channelRoutes } from './channel.routes.ts';
import { ChannelService } from './channel.service.ts';
import { ChannelMemberService } from './channel-member.service.ts';
import { ReadStateService } from './read-state.service.ts';

export type ChannelsServices = ReturnType<typeof channelsModule>['services'];

/** Channels of servers, who is in the private ones, and how far each has read (contract §5, §6). */
export function channelsModule(context: Context & MembersServices & PresenceServices) {
  const channels = new ChannelService(context);
  const channelMembers = new ChannelMemberService(context);
  const readStates = new ReadStateService(context);
  return {
    services: { channels, channelMembers },
    routes: [...channelRoutes(channels, readStates), ...channelMemberRoutes(channelMembers)],
    handlers: () => channelHandlers(readStates),
    jobs: [channelPurge(context)],
    leftBehind: (change: Change) => purgeLeftBehind(change, context.jobs),
  };
}
