import type { ChannelsServices } from '../channels/channels.module.ts';
import type { Context } from '../context.ts';
import type { MembersServices } from '../members/members.module.ts';
import type { PicturesServices } from '../pictures/pictures.module.ts';
import type { PresenceServices } from '../presence/presence.module.ts';
import { BanService } from './ban.service.ts';
import { InviteCodes } from './invite-code.ts';
import { MemberService } from './member.service.ts';
import { banRoutes, memberRoutes, serverRoutes, timeoutRoutes } from './server.routes.ts';
import { ServerService } from './server.service.ts';
import { forgetTimeouts, TimeoutService } from './timeout.service.ts';

export type ServersServices = ReturnType<typeof serversModule>['services'];

/** Servers, joining and leaving them, roles, bans and timeouts (contract §5). */
export function serversModule(
  context: Context & MembersServices & ChannelsServices & PicturesServices & PresenceServices,
) {
  const parts = { ...context, inviteCodes: new InviteCodes(context) };
  const servers = new ServerService(parts);
  const members = new MemberService(parts);
  return {
    services: { servers, members },
    routes: [
      ...serverRoutes(servers),
      ...memberRoutes(members),
      ...banRoutes(new BanService(parts)),
      ...timeoutRoutes(new TimeoutService(parts)),
    ],
    chores: [forgetTimeouts],
  };
}
