import { AgentService } from './agent.service.ts';
import { AgentConfig } from './policies/agent-config.ts';
import { PolicyService } from './policies/policy.service.ts';

type Parts = ConstructorParameters<typeof AgentService>[0] & ConstructorParameters<typeof PolicyService>[0];

/** The services of this room, put together. */
export interface AgentServices {
  agents: AgentService;
  agentConfig: AgentConfig;
  policies: PolicyService;
}

export function agentServices(parts: Parts): AgentServices {
  return {
    agents: new AgentService(parts),
    agentConfig: new AgentConfig(parts.database, parts.agentAccess),
    policies: new PolicyService(parts),
  };
}
