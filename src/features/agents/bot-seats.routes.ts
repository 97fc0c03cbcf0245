import { botRightsSchema } from '../../contract/agent.ts';
import { done, doneSchema } from '../../contract/schema.ts';
import { memberSchema } from '../../contract/server.ts';
import { type Route, route, slugParam, uuidParam } from '../../rest/route.ts';
import type { BotSeats } from './bot-seats.ts';

const tag = 'Agents';
const params = {
  id: slugParam('SERVER_NOT_FOUND', 'Id or slug of the server.'),
  agentId: uuidParam('AGENT_NOT_FOUND', 'Id of the agent.'),
};
const errors = ['SERVER_NOT_FOUND', 'NOT_A_MEMBER', 'ROLE_REQUIRED', 'AGENT_NOT_FOUND'] as const;

export function botSeatRoutes(seats: BotSeats): Route[] {
  return [
    route({
      method: 'PUT',
      path: '/api/servers/:id/agents/:agentId/keep',
      summary: 'Keep a bot for the server: it stays without its owner, who no longer sets its policy. For admins.',
      tag,
      auth: 'required',
      params,
      answer: memberSchema,
      errors: [...errors],
      handle: ({ actor, params }) => seats.keep(actor, params.id, params.agentId),
    }),
    route({
      method: 'DELETE',
      path: '/api/servers/:id/agents/:agentId/keep',
      summary: 'Keep a bot no longer: it leaves where its owner is not. For admins.',
      tag,
      auth: 'required',
      params,
      answer: doneSchema,
      errors: [...errors],
      async handle({ actor, params }) {
        await seats.release(actor, params.id, params.agentId);
        return done;
      },
    }),
    route({
      method: 'PUT',
      path: '/api/servers/:id/agents/:agentId/rights',
      summary: 'Say whether a bot may write in the workspace; for admins.',
      tag,
      auth: 'required',
      params,
      body: botRightsSchema,
      answer: memberSchema,
      errors: [...errors],
      handle: ({ actor, params, body }) => seats.setRights(actor, params.id, params.agentId, body.workspaceWrite),
    }),
  ];
}
