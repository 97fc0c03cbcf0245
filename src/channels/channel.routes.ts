import { z } from 'zod';
import { type Route, route, slugParam, uuidParam } from '../rest/route.ts';
import { channelSchema, createChannelSchema } from './channel.contract.ts';
import type { ChannelService } from './channel.service.ts';

const tag = 'Channels';
const serverId = slugParam('SERVER_NOT_FOUND', 'Id or slug of the server.');

export function channelRoutes(channels: ChannelService): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/servers/:serverId/channels',
      summary: 'Create a channel; for admins.',
      tag,
      entrance: 'user',
      params: { serverId },
      body: createChannelSchema,
      status: 201,
      answer: channelSchema,
      errors: ['SERVER_NOT_FOUND', 'NOT_A_MEMBER', 'ROLE_REQUIRED'],
      handle: ({ actor, params, body }) => channels.create(actor, params.serverId, body),
    }),
    route({
      method: 'GET',
      path: '/api/servers/:serverId/channels',
      summary: 'The channels of a server that you may see, in their order.',
      tag,
      entrance: 'user',
      params: { serverId },
      answer: z.array(channelSchema),
      errors: ['SERVER_NOT_FOUND'],
      handle: ({ actor, params }) => channels.list(actor, params.serverId),
    }),
    route({
      method: 'GET',
      path: '/api/channels/:id',
      summary: 'A channel.',
      tag,
      entrance: 'user',
      params: { id: uuidParam('CHANNEL_NOT_FOUND', 'Id of the channel.') },
      answer: channelSchema,
      errors: ['CHANNEL_NOT_FOUND'],
      handle: ({ actor, params }) => channels.get(actor, params.id),
    }),
  ];
}
