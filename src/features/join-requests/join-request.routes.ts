import { z } from 'zod';
import {
  channelAccessSchema,
  decideSchema,
  joinRequestSchema,
  requestedSchema,
  serverAccessSchema,
} from '../../contract/join-request.ts';
import { type Route, route, slugParam, uuidParam } from '../../rest/route.ts';
import type { JoinRequestService } from './join-request.service.ts';

const tag = 'Join requests';
const server = slugParam('SERVER_NOT_FOUND', 'Id or slug of the server.');
const channel = uuidParam('CHANNEL_NOT_FOUND', 'Id of the channel.');
const request = uuidParam('JOIN_REQUEST_NOT_FOUND', 'Id of the request.');

export function joinRequestRoutes(requests: JoinRequestService): Route[] {
  return [...accessRoutes(requests), ...askRoutes(requests), ...decideRoutes(requests)];
}

function accessRoutes(requests: JoinRequestService): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/servers/:id/access',
      summary: 'How you stand to a server.',
      tag,
      auth: 'required',
      params: { id: server },
      answer: serverAccessSchema,
      errors: ['SERVER_NOT_FOUND'],
      handle: ({ actor, params }) => requests.serverAccess(actor, params.id),
    }),
    route({
      method: 'GET',
      path: '/api/channels/:id/access',
      summary: 'Your access to a channel.',
      tag,
      auth: 'required',
      params: { id: channel },
      answer: channelAccessSchema,
      errors: ['CHANNEL_NOT_FOUND'],
      handle: ({ actor, params }) => requests.channelAccess(actor, params.id),
    }),
  ];
}

function askRoutes(requests: JoinRequestService): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/servers/:id/join-requests',
      summary: 'Ask to be let into a server; its admins decide.',
      tag,
      auth: 'required',
      params: { id: server },
      status: 202,
      answer: requestedSchema,
      errors: ['SERVER_NOT_FOUND', 'ALREADY_MEMBER', 'FORBIDDEN', 'BANNED'],
      handle: async ({ actor, params }) => ({ ok: true as const, ...(await requests.askServer(actor, params.id)) }),
    }),
    route({
      method: 'POST',
      path: '/api/channels/:id/join-requests',
      summary: 'Ask to be let into a private channel of a server of yours; its admins decide.',
      tag,
      auth: 'required',
      params: { id: channel },
      status: 202,
      answer: requestedSchema,
      errors: ['CHANNEL_NOT_FOUND', 'ALREADY_MEMBER'],
      handle: async ({ actor, params }) => ({ ok: true as const, ...(await requests.askChannel(actor, params.id)) }),
    }),
  ];
}

function decideRoutes(requests: JoinRequestService): Route[] {
  const errors = ['JOIN_REQUEST_NOT_FOUND', 'JOIN_REQUEST_DECIDED', 'ROLE_REQUIRED'] as const;
  return [
    route({
      method: 'GET',
      path: '/api/servers/:id/join-requests',
      summary: 'The requests that wait for a decision, for the server and its channels; for admins.',
      tag,
      auth: 'required',
      params: { id: server },
      answer: z.array(joinRequestSchema),
      errors: ['SERVER_NOT_FOUND', 'NOT_A_MEMBER', 'ROLE_REQUIRED'],
      handle: ({ actor, params }) => requests.pending(actor, params.id),
    }),
    route({
      method: 'PATCH',
      path: '/api/servers/join-requests/:requestId',
      summary: 'Approve or reject a request to join a server; for admins.',
      tag,
      auth: 'required',
      params: { requestId: request },
      body: decideSchema,
      answer: joinRequestSchema,
      errors: [...errors, 'BANNED'],
      handle: ({ actor, params, body }) => requests.decide(actor, params.requestId, body.status, 'server'),
    }),
    route({
      method: 'PATCH',
      path: '/api/channel-join-requests/:requestId',
      summary: 'Approve or reject a request to join a channel; for admins.',
      tag,
      auth: 'required',
      params: { requestId: request },
      body: decideSchema,
      answer: joinRequestSchema,
      errors: [...errors, 'NOT_IN_SERVER'],
      handle: ({ actor, params, body }) => requests.decide(actor, params.requestId, body.status, 'channel'),
    }),
  ];
}
