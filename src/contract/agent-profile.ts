import {
  addAgentsSchema,
  addedAgentsSchema,
  agentParam,
  channelCommandsSchema,
  slashCommandsAnswerSchema,
  slashCommandsSchema,
  usageSnapshotAnswerSchema,
  usageSnapshotSchema,
} from './agent.ts';
import { calls, slugParam, uuidParam } from './call.ts';

const params = { id: agentParam };

/** Adding bots to servers, and bots' reports about themselves. */
export const agentProfileCalls = calls('Agents', {
  addAgents: {
    method: 'POST',
    path: '/api/servers/:id/agents',
    summary:
      'Add bots of yours to a server that you are in, and to its channel "general", or else to its first open channel.',
    params: { id: slugParam('SERVER_NOT_FOUND', 'Id or slug of the server.') },
    body: addAgentsSchema,
    answer: addedAgentsSchema,
    errors: ['SERVER_NOT_FOUND', 'NOT_A_MEMBER', 'TIMED_OUT'],
  },
  listSlashCommands: {
    method: 'GET',
    path: '/api/agents/:id/slash-commands',
    summary: 'The slash commands of a bot, for its owner and the bot itself.',
    params,
    answer: slashCommandsAnswerSchema,
    errors: ['AGENT_NOT_FOUND'],
  },
  setSlashCommands: {
    method: 'PUT',
    path: '/api/agents/:id/slash-commands',
    summary: 'Set the slash commands of a bot; its channels are notified.',
    params,
    body: slashCommandsSchema,
    answer: slashCommandsAnswerSchema,
    errors: ['AGENT_NOT_FOUND'],
  },
  listChannelSlashCommands: {
    method: 'GET',
    path: '/api/channels/:id/slash-commands',
    summary: 'The slash commands of the bots in a channel, as far as you may use them.',
    params: { id: uuidParam('CHANNEL_NOT_FOUND', 'Id of the channel.') },
    answer: channelCommandsSchema,
    errors: ['CHANNEL_NOT_FOUND', 'NOT_A_MEMBER'],
  },
  getUsageSnapshot: {
    method: 'GET',
    path: '/api/agents/:id/usage-snapshot',
    summary: "The bot's latest usage report.",
    params,
    answer: usageSnapshotAnswerSchema,
    errors: ['AGENT_NOT_FOUND'],
  },
  setUsageSnapshot: {
    method: 'POST',
    path: '/api/agents/:id/usage-snapshot',
    summary: 'The bot reports its usage; its owner sees the latest report.',
    params,
    body: usageSnapshotSchema,
    answer: usageSnapshotAnswerSchema,
    errors: ['AGENT_NOT_FOUND', 'FORBIDDEN'],
  },
});
