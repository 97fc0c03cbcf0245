import { policyCalls } from '../../../contract/policy.ts';
import { done } from '../../../contract/schema.ts';
import { type Route, serve } from '../../../rest/route.ts';
import type { AgentConfig } from './agent-config.ts';
import type { PolicyService } from './policy.service.ts';

export function policyRoutes(policies: PolicyService, config: AgentConfig): Route[] {
  return serve(policyCalls, {
    getAgentConfig: ({ actor, params }) => config.get(actor, params.id),
    listPolicies: ({ actor, params, query }) => policies.list(actor, params.id, query.serverId),
    async setPolicies({ actor, params, body }) {
      if ('policies' in body) return policies.set(actor, params.id, body.policies);
      return policies.setOne(actor, params.id, body);
    },
    async deletePolicy({ actor, params }) {
      await policies.remove(actor, params.id, params.policyId);
      return done;
    },
    setChannelPolicy: ({ actor, params, body }) => policies.setBuddy(actor, params.channelId, params.agentId, body),
    getChannelPolicy: ({ actor, params }) => policies.getBuddy(actor, params.channelId, params.agentId),
    setServerPolicy: ({ actor, params, body }) => policies.setServers(actor, params.id, params.agentId, body),
    getServerPolicy: ({ actor, params }) => policies.getServers(actor, params.id, params.agentId),
  });
}
