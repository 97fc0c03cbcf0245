import { z } from 'zod';
import {
  agentConfigSchema,
  buddyPolicySchema,
  listPoliciesSchema,
  policySchema,
  serverPolicySchema,
  setBuddyPolicySchema,
  setPoliciesAnswerSchema,
  setPoliciesSchema,
  setServerPolicySchema,
} from '../../../contract/policy.ts';
import { done, doneSchema } from '../../../contract/schema.ts';
import { type Route, route, slugParam, uuidParam } from '../../../rest/route.ts';
import type { AgentConfig } from './agent-config.ts';
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
      errors: ['AGENT_NOT_FOUND', 'POLICY_NOT_FOUND', 'SERVER_NOT_FOUND', 'FORBIDDEN'],
      async handle({ actor, params }) {
        await policies.remove(actor, params.id, params.policyId);
        return done;
      },
    }),
    ...buddyRoutes(policies),
    ...serverPolicyRoutes(policies),
  ];
}

function buddyRoutes(policies: PolicyService): Route[] {
  return [
    route({
      method: 'PUT',
      path: '/api/channels/:channelId/agents/:agentId/policy',
      summary:
        "Set a bot's policy in a channel: its owner for itself, admins for the server. Of both the stricter holds.",
      tag,
      auth: 'required',
      params: inChannel,
      body: setBuddyPolicySchema,
      answer: buddyPolicySchema,
      errors: [
        'CHANNEL_NOT_FOUND',
        'SERVER_NOT_FOUND',
        'AGENT_NOT_FOUND',
        'NOT_A_MEMBER',
        'ROLE_REQUIRED',
        'FORBIDDEN',
      ],
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

function serverPolicyRoutes(policies: PolicyService): Route[] {
  const inServer = {
    id: slugParam('SERVER_NOT_FOUND', 'Id or slug of the server.'),
    agentId: uuidParam('AGENT_NOT_FOUND', 'Id of the agent.'),
  };
  return [
    route({
      method: 'PUT',
      path: '/api/servers/:id/agents/:agentId/policy',
      summary: "Set the server's default policy for a bot; for admins. Its owner cannot undo it.",
      tag,
      auth: 'required',
      params: inServer,
      body: setServerPolicySchema,
      answer: serverPolicySchema,
      errors: ['SERVER_NOT_FOUND', 'NOT_A_MEMBER', 'ROLE_REQUIRED', 'AGENT_NOT_FOUND'],
      handle: ({ actor, params, body }) => policies.setServers(actor, params.id, params.agentId, body),
    }),
    route({
      method: 'GET',
      path: '/api/servers/:id/agents/:agentId/policy',
      summary: 'The default policy of a bot in a server, for members.',
      tag,
      auth: 'required',
      params: inServer,
      answer: serverPolicySchema,
      errors: ['SERVER_NOT_FOUND', 'NOT_A_MEMBER', 'AGENT_NOT_FOUND'],
      handle: ({ actor, params }) => policies.getServers(actor, params.id, params.agentId),
    }),
  ];
}
