import { agentProfileCalls } from '../../contract/agent-profile.ts';
import { type Route, serve } from '../../rest/route.ts';
import type { AgentMemberships } from './agent.memberships.ts';
import type { AgentProfile } from './agent.profile.ts';

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
