import { z } from 'zod';
import {
  channelItemSchema,
  createChannelSchema,
  markReadSchema,
  oneChannelSchema,
  positionsSchema,
  readStateSchema,
  updateChannelSchema,
} from '../../contract/channel.ts';
import { done, doneSchema } from '../../contract/schema.ts';
import { type Route, route, slugParam, uuidParam } from '../../rest/route.ts';
import type { ChannelService } from './channel.service.ts';
import type { ReadStateService } from './read-state.service.ts';

const tag = 'Channels';
const serverId = slugParam('SERVER_NOT_FOUND', 'Id or slug of the server.');
const id = uuidParam('CHANNEL_NOT_FOUND', 'Id of the channel.');

export function channelRoutes(channels: ChannelService, readStates: ReadStateService): Route[] {
  return [...ofServer(channels), ...oneChannel(channels), ...archiveRoutes(channels), readRoute(readStates)];
}

function ofServer(channels: ChannelService): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/servers/:serverId/channels',
      summary: 'Create a channel; for admins.',
      tag,
      auth: 'required',
      params: { serverId },
      body: createChannelSchema,
      status: 201,
      answer: channelItemSchema,
      errors: ['SERVER_NOT_FOUND', 'NOT_A_MEMBER', 'ROLE_REQUIRED', 'CHANNEL_LIMIT'],
      handle: ({ actor, params, body }) => channels.create(actor, params.serverId, body),
    }),
    route({
      method: 'GET',
      path: '/api/servers/:serverId/channels',
      summary: 'The channels of a server that you may see, in their order, with what you have not read in them.',
      tag,
      auth: 'required',
      params: { serverId },
      answer: z.array(channelItemSchema),
      errors: ['SERVER_NOT_FOUND'],
      handle: ({ actor, params }) => channels.list(actor, params.serverId),
    }),
    route({
      method: 'GET',
      path: '/api/servers/:serverId/channels/archived',
      summary: 'The archived channels of a server that you may see.',
      tag,
      auth: 'required',
      params: { serverId },
      answer: z.array(channelItemSchema),
      errors: ['SERVER_NOT_FOUND', 'NOT_A_MEMBER'],
      handle: ({ actor, params }) => channels.listArchived(actor, params.serverId),
    }),
    route({
      method: 'PATCH',
      path: '/api/servers/:serverId/channels/positions',
      summary: 'Put the channels of a server in order; for admins.',
      tag,
      auth: 'required',
      params: { serverId },
      body: positionsSchema,
      answer: z.array(channelItemSchema),
      errors: ['SERVER_NOT_FOUND', 'NOT_A_MEMBER', 'ROLE_REQUIRED', 'CHANNEL_NOT_FOUND'],
      handle: ({ actor, params, body }) => channels.order(actor, params.serverId, body),
    }),
  ];
}

function oneChannel(channels: ChannelService): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/channels/:id',
      summary: 'A channel.',
      tag,
      auth: 'required',
      params: { id },
      answer: oneChannelSchema,
      errors: ['CHANNEL_NOT_FOUND'],
      handle: ({ actor, params }) => channels.get(actor, params.id),
    }),
    route({
      method: 'PATCH',
      path: '/api/channels/:id',
      summary: 'Rename or describe a channel; for admins.',
      tag,
      auth: 'required',
      params: { id },
      body: updateChannelSchema,
      answer: channelItemSchema,
      errors: ['CHANNEL_NOT_FOUND', 'ROLE_REQUIRED', 'FORBIDDEN'],
      handle: ({ actor, params, body }) => channels.update(actor, params.id, body),
    }),
    route({
      method: 'DELETE',
      path: '/api/channels/:id',
      summary: 'Delete a channel and everything in it; for admins.',
      tag,
      auth: 'required',
      params: { id },
      answer: doneSchema,
      errors: ['CHANNEL_NOT_FOUND', 'ROLE_REQUIRED', 'FORBIDDEN'],
      async handle({ actor, params }) {
        await channels.delete(actor, params.id);
        return done;
      },
    }),
  ];
}

function archiveRoutes(channels: ChannelService): Route[] {
  const errors = ['CHANNEL_NOT_FOUND', 'ROLE_REQUIRED', 'FORBIDDEN'] as const;
  return [
    route({
      method: 'POST',
      path: '/api/channels/:id/archive',
      summary: 'Archive a channel: it can be read, and nothing can be sent to it; for admins.',
      tag,
      auth: 'required',
      params: { id },
      answer: channelItemSchema,
      errors: [...errors],
      handle: ({ actor, params }) => channels.archive(actor, params.id, true),
    }),
    route({
      method: 'POST',
      path: '/api/channels/:id/unarchive',
      summary: 'Unarchive a channel; for admins.',
      tag,
      auth: 'required',
      params: { id },
      answer: channelItemSchema,
      errors: [...errors],
      handle: ({ actor, params }) => channels.archive(actor, params.id, false),
    }),
  ];
}

function readRoute(readStates: ReadStateService): Route {
  return route({
    method: 'PUT',
    path: '/api/channels/:id/read',
    summary: 'Mark the channel as read up to a message or a number of its log; it never goes back.',
    tag,
    auth: 'required',
    params: { id },
    body: markReadSchema,
    answer: readStateSchema,
    errors: ['CHANNEL_NOT_FOUND', 'NOT_A_MEMBER', 'MESSAGE_NOT_FOUND'],
    handle: ({ actor, params, body }) => readStates.markRead(actor, params.id, body),
  });
}
