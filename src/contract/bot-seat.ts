import { agentParam, botRightsSchema } from './agent.ts';
import { auditAction } from './audit-action.ts';
import { calls, slugParam } from './call.ts';
import { memberSchema } from './member.ts';
import { doneSchema } from './schema.ts';

const params = { id: slugParam('SERVER_NOT_FOUND', 'Id or slug of the server.'), agentId: agentParam };
const errors = ['SERVER_NOT_FOUND', 'NOT_A_MEMBER', 'ROLE_REQUIRED', 'AGENT_NOT_FOUND'] as const;

export const botKeep = auditAction({ name: 'bot.keep', summary: 'The server keeps a bot, whoever owns it.' });

export const botRelease = auditAction({ name: 'bot.release', summary: 'The server keeps a bot no longer.' });

export const botRights = auditAction({
  name: 'bot.rights',
  summary: 'A bot may write in the workspace, or no longer.',
  fields: ['workspaceWrite'],
});

/** A server's admins decide about a bot in it. */
export const botSeatCalls = calls('Agents', {
  keepBot: {
    method: 'PUT',
    path: '/api/servers/:id/agents/:agentId/keep',
    summary: 'Keep a bot for the server: it stays without its owner, who no longer sets its policy. For admins.',
    params,
    answer: memberSchema,
    errors,
    audit: [botKeep],
  },
  releaseBot: {
    method: 'DELETE',
    path: '/api/servers/:id/agents/:agentId/keep',
    summary: 'Keep a bot no longer: it leaves where its owner is not. For admins.',
    params,
    answer: doneSchema,
    errors,
    audit: [botRelease],
  },
  setBotRights: {
    method: 'PUT',
    path: '/api/servers/:id/agents/:agentId/rights',
    summary: 'Say whether a bot may write in the workspace; for admins.',
    params,
    body: botRightsSchema,
    answer: memberSchema,
    errors,
    audit: [botRights],
  },
});
