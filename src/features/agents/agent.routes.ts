import { z } from 'zod';
import {
  agentDoneSchema,
  agentSchema,
  agentTokenSchema,
  agentWithTokenSchema,
  createAgentSchema,
  heartbeatAnswerSchema,
  heartbeatSchema,
  updateAgentSchema,
} from '../../contract/agent.ts';
import { done, doneSchema } from '../../contract/schema.ts';
import { type Route, route, uuidParam } from '../../rest/route.ts';
import type { AgentService } from './agent.service.ts';

const tag = 'Agents';
const params = { id: uuidParam('AGENT_NOT_FOUND', 'Id of the agent.') };

export function agentRoutes(agents: AgentService): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/agents',
      summary: 'The agents you own.',
      tag,
      auth: 'required',
      answer: z.array(agentSchema),
      handle: ({ actor }) => agents.own(actor),
    }),
    route({
      method: 'POST',
      path: '/api/agents',
      summary: 'Create an agent: a bot user with a token. It runs from the start.',
      tag,
      auth: 'required',
      body: createAgentSchema,
      status: 201,
      answer: agentWithTokenSchema,
      shownOnce: ['token'],
      errors: ['USERNAME_TAKEN', 'AGENT_LIMIT', 'INSUFFICIENT_PAT_SCOPE', 'FORBIDDEN'],
      handle: ({ actor, body }) => agents.create(actor, body),
    }),
    route({
      method: 'GET',
      path: '/api/agents/:id',
      summary: 'An agent, for its owner and the bot itself.',
      tag,
      auth: 'required',
      params,
      answer: agentSchema,
      errors: ['AGENT_NOT_FOUND'],
      handle: ({ actor, params }) => agents.get(actor, params.id),
    }),
    route({
      method: 'PATCH',
      path: '/api/agents/:id',
      summary: 'Change name, display name, avatar or config of an agent.',
      tag,
      auth: 'required',
      params,
      body: updateAgentSchema,
      answer: agentSchema,
      errors: ['AGENT_NOT_FOUND', 'USERNAME_TAKEN', 'FORBIDDEN'],
      handle: ({ actor, params, body }) => agents.update(actor, params.id, body),
    }),
    route({
      method: 'DELETE',
      path: '/api/agents/:id',
      summary: 'Delete an agent: its tokens end at once; what it wrote stays.',
      tag,
      auth: 'required',
      params,
      answer: doneSchema,
      errors: ['AGENT_NOT_FOUND', 'FORBIDDEN'],
      async handle({ actor, params }) {
        await agents.delete(actor, params.id);
        return done;
      },
    }),
    ...lifeRoutes(agents),
  ];
}

function lifeRoutes(agents: AgentService): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/agents/:id/token',
      summary:
        'A new token for the bot; older ones hold for ten more minutes, and a webhook is paused until you confirm it.',
      tag,
      auth: 'required',
      params,
      status: 201,
      answer: agentTokenSchema,
      shownOnce: ['token'],
      errors: ['AGENT_NOT_FOUND', 'INSUFFICIENT_PAT_SCOPE', 'FORBIDDEN'],
      handle: ({ actor, params }) => agents.newToken(actor, params.id),
    }),
    route({
      method: 'POST',
      path: '/api/agents/:id/start',
      summary: "Make the bot's tokens work (again).",
      tag,
      auth: 'required',
      params,
      answer: agentDoneSchema,
      errors: ['AGENT_NOT_FOUND', 'FORBIDDEN'],
      handle: ({ actor, params }) => agents.start(actor, params.id),
    }),
    route({
      method: 'POST',
      path: '/api/agents/:id/stop',
      summary: "Refuse the bot's tokens and close its sockets until it is started again.",
      tag,
      auth: 'required',
      limit: null,
      params,
      answer: agentDoneSchema,
      errors: ['AGENT_NOT_FOUND', 'FORBIDDEN'],
      handle: ({ actor, params }) => agents.stop(actor, params.id),
    }),
    route({
      method: 'POST',
      path: '/api/agents/:id/heartbeat',
      summary: "The bot's own heartbeat: it is alive. It may report trouble (`error`).",
      tag,
      auth: 'required',
      params,
      body: heartbeatSchema,
      answer: heartbeatAnswerSchema,
      errors: ['AGENT_NOT_FOUND', 'AGENT_STOPPED', 'FORBIDDEN'],
      handle: ({ actor, params, body }) => agents.heartbeat(actor, params.id, body),
    }),
  ];
}
