import { agentCalls } from '../../contract/agent.ts';
import { done } from '../../contract/schema.ts';
import { type Route, serve } from '../../rest/route.ts';
import type { AgentService } from './agent.service.ts';

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
