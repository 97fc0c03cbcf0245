import type {
  addAgentsSchema,
  addedAgentsSchema,
  agentDoneSchema,
  agentSchema,
  agentTokenSchema,
  agentWithTokenSchema,
  botRightsSchema,
  channelCommandsSchema,
  createAgentSchema,
  heartbeatAnswerSchema,
  heartbeatSchema,
  slashCommandsAnswerSchema,
  slashCommandsSchema,
  updateAgentSchema,
  usageSnapshotAnswerSchema,
  usageSnapshotSchema,
} from '../../contract/agent.ts';
import type {
  agentConfigSchema,
  buddyPolicySchema,
  listPoliciesSchema,
  policySchema,
  serverPolicySchema,
  setBuddyPolicySchema,
  setPoliciesAnswerSchema,
  setPoliciesSchema,
  setServerPolicySchema,
} from '../../contract/policy.ts';
import type { memberSchema } from '../../contract/server.ts';
import type {
  enableWebhookSchema,
  putWebhookSchema,
  webhookSchema,
  webhookTestSchema,
  webhookWithSecretSchema,
} from '../../contract/webhook.ts';
import type { Answer, Body, Done, Query } from './shapes.ts';

/** Bots and their policies. */
export interface AgentCalls {
  'GET /api/agents': { answer: Answer<typeof agentSchema>[] };
  'POST /api/agents': { body: Answer<typeof createAgentSchema>; answer: Answer<typeof agentWithTokenSchema> };
  'DELETE /api/agents/:id': { answer: Done };
  'POST /api/agents/:id/token': { answer: Answer<typeof agentTokenSchema> };
  'POST /api/agents/:id/start': { answer: Answer<typeof agentDoneSchema> };
  'POST /api/agents/:id/stop': { answer: Answer<typeof agentDoneSchema> };

  'POST /api/agents/:id/heartbeat': {
    body: Body<typeof heartbeatSchema>;
    answer: Answer<typeof heartbeatAnswerSchema>;
  };
  'GET /api/agents/:id/usage-snapshot': { answer: Answer<typeof usageSnapshotAnswerSchema> };
  'POST /api/agents/:id/usage-snapshot': {
    body: Body<typeof usageSnapshotSchema>;
    answer: Answer<typeof usageSnapshotAnswerSchema>;
  };

  'GET /api/agents/:id/webhook': { answer: Answer<typeof webhookSchema> };
  'PUT /api/agents/:id/webhook': {
    body: Body<typeof putWebhookSchema>;
    answer: Answer<typeof webhookWithSecretSchema>;
  };
  'DELETE /api/agents/:id/webhook': { answer: Done };
  'POST /api/agents/:id/webhook/secret': { answer: Answer<typeof webhookWithSecretSchema> };
  'POST /api/agents/:id/webhook/enable': {
    body: Body<typeof enableWebhookSchema>;
    answer: Answer<typeof webhookSchema>;
  };
  'POST /api/agents/:id/webhook/test': { answer: Answer<typeof webhookTestSchema> };

  'GET /api/agents/:id': { answer: Answer<typeof agentSchema> };
  'PATCH /api/agents/:id': { body: Answer<typeof updateAgentSchema>; answer: Answer<typeof agentSchema> };
  'GET /api/agents/:id/config': { answer: Answer<typeof agentConfigSchema> };
  'GET /api/agents/:id/policies': { query: Query<typeof listPoliciesSchema>; answer: Answer<typeof policySchema>[] };
  'PUT /api/agents/:id/policies': {
    body: Body<typeof setPoliciesSchema>;
    answer: Answer<typeof setPoliciesAnswerSchema>;
  };
  'DELETE /api/agents/:id/policies/:policyId': { answer: Done };
  'GET /api/agents/:id/slash-commands': { answer: Answer<typeof slashCommandsAnswerSchema> };
  'PUT /api/agents/:id/slash-commands': {
    body: Body<typeof slashCommandsSchema>;
    answer: Answer<typeof slashCommandsAnswerSchema>;
  };
  'GET /api/channels/:id/slash-commands': { answer: Answer<typeof channelCommandsSchema> };
  'GET /api/channels/:channelId/agents/:agentId/policy': { answer: Answer<typeof buddyPolicySchema> };
  'PUT /api/channels/:channelId/agents/:agentId/policy': {
    body: Body<typeof setBuddyPolicySchema>;
    answer: Answer<typeof buddyPolicySchema>;
  };
  'GET /api/servers/:id/agents/:agentId/policy': { answer: Answer<typeof serverPolicySchema> };
  'PUT /api/servers/:id/agents/:agentId/policy': {
    body: Body<typeof setServerPolicySchema>;
    answer: Answer<typeof serverPolicySchema>;
  };
  'PUT /api/servers/:id/agents/:agentId/keep': { answer: Answer<typeof memberSchema> };
  'DELETE /api/servers/:id/agents/:agentId/keep': { answer: Done };
  'PUT /api/servers/:id/agents/:agentId/rights': {
    body: Body<typeof botRightsSchema>;
    answer: Answer<typeof memberSchema>;
  };
  'POST /api/servers/:id/agents': { body: Body<typeof addAgentsSchema>; answer: Answer<typeof addedAgentsSchema> };
}
