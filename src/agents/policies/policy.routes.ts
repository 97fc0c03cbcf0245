import { z } from 'zod';
import { type Route, route, uuidParam } from '../../rest/route.ts';
import { done, doneSchema } from '../../schema.ts';
import type { AgentConfig } from './agent-config.ts';
import {
  agentConfigSchema,
  buddyPolicySchema,
  listPoliciesSchema,
  policySchema,
  setBuddyPolicySchema,
  setPoliciesAnswerSchema,
  setPoliciesSchema,
} from './policy.contract.ts';
import type { PolicyService } from './policy.service.ts';

const tag = 'Agents';
const id = uuidParam('AGENT_NOT_FOUND', 'Id of the agent.');
const inChannel = {
  channelId: uuidParam('CHANNEL_NOT_FOUND', 'Id of the channel.'),
  agentId: uuidParam('AGENT_NOT_FOUND', 'Id of the agent.'),
};

export function policyRoutes(policies: PolicyService, config: AgentConfig): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/agents/:id/config',
      summary: 'Where the bot is, and what it may hear and say there; for its owner and the bot itself.',
      tag,
      auth: 'required',
      params: { id },
      answer: agentConfigSchema,
      errors: ['AGENT_NOT_FOUND'],
      handle: ({ actor, params }) => config.get(actor, params.id),
    }),
    route({
      method: 'GET',
      path: '/api/agents/:id/policies',
      summary: 'The policies set for the bot.',
      tag,
      auth: 'required',
      params: { id },
      query: listPoliciesSchema,
      answer: z.array(policySchema),
      errors: ['AGENT_NOT_FOUND', 'SERVER_NOT_FOUND'],
      handle: ({ actor, params, query }) => policies.list(actor, params.id, query.serverId),
    }),
    route({
      method: 'PUT',
      path: '/api/agents/:id/policies',
      summary: 'Set a policy for a channel, or without one the default of a server; or several, all or none.',
      tag,
      auth: 'required',
      params: { id },
      body: setPoliciesSchema,
      answer: setPoliciesAnswerSchema,
      errors: ['AGENT_NOT_FOUND', 'SERVER_NOT_FOUND', 'CHANNEL_NOT_FOUND', 'FORBIDDEN'],
      async handle({ actor, params, body }) {
        if ('policies' in body) return policies.set(actor, params.id, body.policies);
        return policies.setOne(actor, params.id, body);
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/agents/:id/policies/:policyId',
      summary: 'Remove a policy; the default applies again.',
      tag,
      auth: 'required',
      params: { id, policyId: uuidParam('POLICY_NOT_FOUND', 'Id of the policy.') },
      answer: doneSchema,
      errors: ['AGENT_NOT_FOUND', 'POLICY_NOT_FOUND', 'FORBIDDEN'],
      async handle({ actor, params }) {
        await policies.remove(actor, params.id, params.policyId);
        return done;
      },
    }),
    ...buddyRoutes(policies),
  ];
}

function buddyRoutes(policies: PolicyService): Route[] {
  return [
    route({
      method: 'PUT',
      path: '/api/channels/:channelId/agents/:agentId/policy',
      summary: "Set a bot's policy in a channel; for its owner and admins of the server.",
      tag,
      auth: 'required',
      params: inChannel,
      body: setBuddyPolicySchema,
      answer: buddyPolicySchema,
      errors: ['CHANNEL_NOT_FOUND', 'SERVER_NOT_FOUND', 'AGENT_NOT_FOUND', 'NOT_A_MEMBER', 'ROLE_REQUIRED'],
      handle: ({ actor, params, body }) => policies.setBuddy(actor, params.channelId, params.agentId, body),
    }),
    route({
      method: 'GET',
      path: '/api/channels/:channelId/agents/:agentId/policy',
      summary: 'The policy that applies to a bot in a channel, for those who are in it.',
      tag,
      auth: 'required',
      params: inChannel,
      answer: buddyPolicySchema,
      errors: ['CHANNEL_NOT_FOUND', 'AGENT_NOT_FOUND', 'NOT_A_MEMBER'],
      handle: ({ actor, params }) => policies.getBuddy(actor, params.channelId, params.agentId),
    }),
  ];
}
