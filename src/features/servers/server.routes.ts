import { banCalls } from '../../contract/ban.ts';
import { raidCalls } from '../../contract/raid.ts';
import { done } from '../../contract/schema.ts';
import { serverCalls } from '../../contract/server.ts';
import { serverMemberCalls } from '../../contract/server-member.ts';
import { timeoutCalls } from '../../contract/timeout.ts';
import { pageReply, Reply, type Route, serve } from '../../rest/route.ts';
import type { RaidService } from '../raids/raid.service.ts';
import type { BanService } from './ban.service.ts';
import type { Joining } from './joining.ts';
import type { MemberService } from './member.service.ts';
import type { RaidRemoval } from './raid-removal.ts';
import type { ServerService } from './server.service.ts';
import type { ServerSettings } from './server-settings.ts';
import type { TimeoutService } from './timeout.service.ts';

export function serverRoutes(servers: ServerService, settings: ServerSettings): Route[] {
  return serve(serverCalls, {
    createServer: ({ actor, body }) => servers.create(actor, body),
    listServers: ({ actor }) => servers.own(actor),
    discoverServers: ({ actor, query }) => servers.discover(actor, query),
    getServerByInvite: ({ actor, params }) => servers.byInvite(actor, params.code),
    getServer: ({ actor, params }) => servers.get(actor, params.id),
    updateServer: ({ actor, params, body }) => settings.update(actor, params.id, body),
    async deleteServer({ actor, params }) {
      await servers.delete(actor, params.id);
      return done;
    },
    regenerateServerInvite: ({ actor, params }) => servers.regenerateInvite(actor, params.id),
    async inviteServerMember({ actor, params, body }) {
      await servers.invite(actor, params.id, body.userId);
      return done;
    },
  });
}

export function banRoutes(bans: BanService): Route[] {
  return serve(banCalls, {
    banUser: ({ actor, params, body }) => bans.ban(actor, params.id, body),
    listBans: async ({ actor, params, query }) => pageReply(await bans.list(actor, params.id, query)),
    async liftBan({ actor, params }) {
      await bans.lift(actor, params.id, params.userId);
      return done;
    },
  });
}

export function timeoutRoutes(timeouts: TimeoutService): Route[] {
  return serve(timeoutCalls, {
    timeOutMember: ({ actor, params, body }) => timeouts.timeOut(actor, params.id, params.userId, body),
    async endTimeout({ actor, params }) {
      await timeouts.end(actor, params.id, params.userId);
      return done;
    },
  });
}

export function raidRoutes(raids: RaidService, removal: RaidRemoval): Route[] {
  return serve(raidCalls, {
    getServerRaid: ({ actor, params }) => raids.view(actor, params.id),
    switchServerRaid: ({ actor, params, body }) => raids.switch(actor, params.id, body.on),
    removeRaidMembers: ({ actor, params, body }) => removal.remove(actor, params.id, body),
  });
}

export function memberRoutes(members: MemberService, joining: Joining): Route[] {
  return serve(serverMemberCalls, {
    async joinServer({ actor, params, body }) {
      const joined = await joining.join(actor, params.id, body.inviteCode ?? null);
      return new Reply(joined, joined.status === 'pending' ? { status: 202 } : {});
    },
    async leaveServer({ actor, params }) {
      await members.leave(actor, params.id);
      return done;
    },
    listServerMembers: async ({ actor, params, query }) => pageReply(await members.list(actor, params.id, query)),
    getServerMember: ({ actor, params }) => members.get(actor, params.id, params.userId),
    countServerMembers: ({ actor, params }) => members.count(actor, params.id),
    setServerMemberRole: ({ actor, params, body }) => members.setRole(actor, params.id, params.userId, body.role),
    async kickServerMember({ actor, params }) {
      await members.kick(actor, params.id, params.userId);
      return done;
    },
  });
}
