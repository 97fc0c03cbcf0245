import type { ChannelsServices } from '../channels/channels.module.ts';
import type { Context } from '../context.ts';
import type { FiltersServices } from '../filters/filters.module.ts';
import type { JoinRequestsServices } from '../join-requests/join-requests.module.ts';
import type { MembersServices } from '../members/members.module.ts';
import type { PicturesServices } from '../pictures/pictures.module.ts';
import type { PresenceServices } from '../presence/presence.module.ts';
import type { RaidsServices } from '../raids/raids.module.ts';
import type { ServerInvitesServices } from '../server-invites/server-invites.module.ts';
import { BanService } from './ban.service.ts';
import { InviteCodes } from './invite-code.ts';
import { Joining } from './joining.ts';
import { MemberService } from './member.service.ts';
import { RaidRemoval } from './raid-removal.ts';
import { banRoutes, memberRoutes, raidRoutes, serverRoutes, timeoutRoutes } from './server.routes.ts';
import { ServerService } from './server.service.ts';
import { ServerSettings } from './server-settings.ts';
import { forgetTimeouts, TimeoutService } from './timeout.service.ts';

export type ServersServices = ReturnType<typeof serversModule>['services'];

/** Servers, joining and leaving them, roles, bans and timeouts (contract §5). */
export function serversModule(
  context: Context &
    FiltersServices &
    MembersServices &
    ChannelsServices &
    PicturesServices &
    PresenceServices &
    JoinRequestsServices &
    RaidsServices &
    ServerInvitesServices,
) {
  const parts = { ...context, inviteCodes: new InviteCodes(context) };
  const servers = new ServerService(parts);
  const members = new MemberService(parts);
  const bans = new BanService(parts);
  const timeouts = new TimeoutService(parts);
  return {
    services: { servers, members, bans, timeouts },
    routes: [
      ...serverRoutes(servers, new ServerSettings(parts)),
      ...memberRoutes(members, new Joining(parts)),
      ...banRoutes(bans),
      ...timeoutRoutes(timeouts),
      ...raidRoutes(context.raids, new RaidRemoval({ ...parts, members })),
    ],
    chores: [forgetTimeouts],
  };
}
