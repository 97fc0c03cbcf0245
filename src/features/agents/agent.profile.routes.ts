import {
  addAgentsSchema,
  addedAgentsSchema,
  channelCommandsSchema,
  slashCommandsAnswerSchema,
  slashCommandsSchema,
  usageSnapshotAnswerSchema,
  usageSnapshotSchema,
} from '../../contract/agent.ts';
import { type Route, route, slugParam, uuidParam } from '../../rest/route.ts';
import type { AgentMemberships } from './agent.memberships.ts';
import type { AgentProfile } from './agent.profile.ts';

const tag = 'Agents';
const params = { id: uuidParam('AGENT_NOT_FOUND', 'Id of the agent.') };

/** Where bots are, and what they report about themselves. */
export function agentProfileRoutes(profile: AgentProfile, memberships: AgentMemberships): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/servers/:id/agents',
      summary:
        'Add bots of yours to a server that you are in, and to its channel "general", or else to its first open channel.',
      tag,
      auth: 'required',
      params: { id: slugParam('SERVER_NOT_FOUND', 'Id or slug of the server.') },
      body: addAgentsSchema,
      answer: addedAgentsSchema,
      errors: ['SERVER_NOT_FOUND', 'NOT_A_MEMBER'],
      handle: ({ actor, params, body }) => memberships.add(actor, params.id, body.agentIds),
    }),
    route({
      method: 'GET',
      path: '/api/agents/:id/slash-commands',
      summary: 'The slash commands of a bot, for its owner and the bot itself.',
      tag,
      auth: 'required',
      params,
      answer: slashCommandsAnswerSchema,
      errors: ['AGENT_NOT_FOUND'],
      handle: ({ actor, params }) => profile.commands(actor, params.id),
    }),
    route({
      method: 'PUT',
      path: '/api/agents/:id/slash-commands',
      summary: 'Set the slash commands of a bot; its channels are notified.',
      tag,
      auth: 'required',
      params,
      body: slashCommandsSchema,
      answer: slashCommandsAnswerSchema,
      errors: ['AGENT_NOT_FOUND'],
      handle: ({ actor, params, body }) => profile.setCommands(actor, params.id, body.commands),
    }),
    route({
      method: 'GET',
      path: '/api/channels/:id/slash-commands',
      summary: 'The slash commands of the bots in a channel.',
      tag,
      auth: 'required',
      params: { id: uuidParam('CHANNEL_NOT_FOUND', 'Id of the channel.') },
      answer: channelCommandsSchema,
      errors: ['CHANNEL_NOT_FOUND', 'NOT_A_MEMBER'],
      handle: ({ actor, params }) => profile.inChannel(actor, params.id),
    }),
    route({
      method: 'GET',
      path: '/api/agents/:id/usage-snapshot',
      summary: "The bot's latest usage report.",
      tag,
      auth: 'required',
      params,
      answer: usageSnapshotAnswerSchema,
      errors: ['AGENT_NOT_FOUND'],
      handle: ({ actor, params }) => profile.usage(actor, params.id),
    }),
    route({
      method: 'POST',
      path: '/api/agents/:id/usage-snapshot',
      summary: 'The bot reports its usage; its owner sees the latest report.',
      tag,
      auth: 'required',
      params,
      body: usageSnapshotSchema,
      answer: usageSnapshotAnswerSchema,
      errors: ['AGENT_NOT_FOUND', 'FORBIDDEN'],
      handle: ({ actor, params, body }) => profile.setUsage(actor, params.id, body),
    }),
  ];
}
