import { agentCalls } from '../../contract/agent.ts';
import { agentProfileCalls } from '../../contract/agent-profile.ts';
import { botSeatCalls } from '../../contract/bot-seat.ts';
import { done } from '../../contract/schema.ts';
import { type Route, serve } from '../../rest/route.ts';
import type { AgentMemberships } from './agent.memberships.ts';
import type { AgentProfile } from './agent.profile.ts';
import type { AgentService } from './agent.service.ts';
import type { BotSeats } from './bot-seats.ts';

export function agentRoutes(agents: AgentService): Route[] {
  return serve(agentCalls, {
    listAgents: ({ actor }) => agents.own(actor),
    createAgent: ({ actor, body }) => agents.create(actor, body),
    getAgent: ({ actor, params }) => agents.get(actor, params.id),
    updateAgent: ({ actor, params, body }) => agents.update(actor, params.id, body),
    async deleteAgent({ actor, params }) {
      await agents.delete(actor, params.id);
      return done;
    },
    createAgentToken: ({ actor, params }) => agents.newToken(actor, params.id),
    startAgent: ({ actor, params }) => agents.start(actor, params.id),
    stopAgent: ({ actor, params }) => agents.stop(actor, params.id),
    sendHeartbeat: ({ actor, params, body }) => agents.heartbeat(actor, params.id, body),
  });
}

export function agentProfileRoutes(profile: AgentProfile, memberships: AgentMemberships): Route[] {
  return serve(agentProfileCalls, {
    addAgents: ({ actor, params, body }) => memberships.add(actor, params.id, body.agentIds),
    listSlashCommands: ({ actor, params }) => profile.commands(actor, params.id),
    setSlashCommands: ({ actor, params, body }) => profile.setCommands(actor, params.id, body.commands),
    listChannelSlashCommands: ({ actor, params }) => profile.inChannel(actor, params.id),
    getUsageSnapshot: ({ actor, params }) => profile.usage(actor, params.id),
    setUsageSnapshot: ({ actor, params, body }) => profile.setUsage(actor, params.id, body),
  });
}

export function botSeatRoutes(seats: BotSeats): Route[] {
  return serve(botSeatCalls, {
    keepBot: ({ actor, params }) => seats.keep(actor, params.id, params.agentId),
    async releaseBot({ actor, params }) {
      await seats.release(actor, params.id, params.agentId);
      return done;
    },
    setBotRights: ({ actor, params, body }) => seats.setRights(actor, params.id, params.agentId, body.workspaceWrite),
  });
}
