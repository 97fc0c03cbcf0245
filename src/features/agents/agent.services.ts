import { AgentMemberships } from './agent.memberships.ts';
import { AgentProfile } from './agent.profile.ts';
import { AgentService } from './agent.service.ts';
import { BotSeats } from './bot-seats.ts';
import { AgentConfig } from './policies/agent-config.ts';
import { PolicyService } from './policies/policy.service.ts';
import { ReplyStreams } from './streams/stream.service.ts';

type Parts = ConstructorParameters<typeof AgentService>[0] &
  ConstructorParameters<typeof PolicyService>[0] &
  ConstructorParameters<typeof AgentMemberships>[0] &
  ConstructorParameters<typeof AgentProfile>[0] &
  Omit<ConstructorParameters<typeof BotSeats>[0], 'policies'> &
  ConstructorParameters<typeof ReplyStreams>[0];

/** The services of bots that handlers use. */
export interface AgentServices {
  agents: AgentService;
  agentConfig: AgentConfig;
  agentProfile: AgentProfile;
  agentMemberships: AgentMemberships;
  policies: PolicyService;
  botSeats: BotSeats;
  streams: ReplyStreams;
}

/** Builds the services of this feature. */
export function createAgents(parts: Parts): AgentServices {
  const policies = new PolicyService(parts);
  return {
    agents: new AgentService(parts),
    agentConfig: new AgentConfig(parts.database, parts.agentAccess),
    agentProfile: new AgentProfile(parts),
    agentMemberships: new AgentMemberships(parts),
    policies,
    botSeats: new BotSeats({ ...parts, policies }),
    streams: new ReplyStreams(parts),
  };
}
