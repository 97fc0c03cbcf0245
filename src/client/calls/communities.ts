import type { banMemberSchema, banSchema, listBansSchema } from '../../contract/ban.ts';
import type {
  addChannelMemberSchema,
  channelItemSchema,
  createChannelSchema,
  markReadSchema,
  oneChannelSchema,
  positionsSchema,
  readStateSchema,
  updateChannelSchema,
} from '../../contract/channel.ts';
import type {
  channelAccessSchema,
  decideSchema,
  joinRequestSchema,
  requestedSchema,
  serverAccessSchema,
} from '../../contract/join-request.ts';
import type {
  createServerSchema,
  discoverSchema,
  inviteMemberSchema,
  joinServerSchema,
  listMembersSchema,
  memberSchema,
  ownServerSchema,
  serverSchema,
  setRoleSchema,
  updateServerSchema,
} from '../../contract/server.ts';
import type { Answer, Body, Done, Query } from './shapes.ts';

/** Servers, their members and their channels. */
export interface CommunityCalls {
  'POST /api/servers': { body: Body<typeof createServerSchema>; answer: Answer<typeof serverSchema> };
  'GET /api/servers': { answer: Answer<typeof ownServerSchema>[] };
  'GET /api/servers/discover': { query: Query<typeof discoverSchema>; answer: Answer<typeof serverSchema>[] };
  'GET /api/servers/invite/:code': { answer: Answer<typeof serverSchema> };
  'PATCH /api/servers/:id': { body: Body<typeof updateServerSchema>; answer: Answer<typeof serverSchema> };
  'DELETE /api/servers/:id': { answer: Done };
  'POST /api/servers/:id/invite/regenerate': { answer: { inviteCode: string } };
  'GET /api/servers/:id/members': { query: Query<typeof listMembersSchema>; answer: Answer<typeof memberSchema>[] };
  'PATCH /api/servers/:id/members/:userId': { body: Body<typeof setRoleSchema>; answer: Answer<typeof memberSchema> };
  'DELETE /api/servers/:id/members/:userId': { answer: Done };
  'POST /api/servers/:id/bans': { body: Body<typeof banMemberSchema>; answer: Answer<typeof banSchema> };
  'GET /api/servers/:id/bans': { query: Query<typeof listBansSchema>; answer: Answer<typeof banSchema>[] };
  'DELETE /api/servers/:id/bans/:userId': { answer: Done };
  'GET /api/servers/:id': { answer: Answer<typeof serverSchema> };
  'POST /api/servers/:id/join': { body: Body<typeof joinServerSchema>; answer: Answer<typeof serverSchema> & Done };
  'POST /api/servers/:id/leave': { answer: Done };

  'POST /api/servers/:serverId/channels': {
    body: Body<typeof createChannelSchema>;
    answer: Answer<typeof channelItemSchema>;
  };
  'GET /api/servers/:serverId/channels': { answer: Answer<typeof channelItemSchema>[] };
  'PATCH /api/channels/:id': { body: Body<typeof updateChannelSchema>; answer: Answer<typeof channelItemSchema> };
  'DELETE /api/channels/:id': { answer: Done };
  'PUT /api/channels/:id/read': { body: Body<typeof markReadSchema>; answer: Answer<typeof readStateSchema> };
  'GET /api/channels/:id': { answer: Answer<typeof oneChannelSchema> };

  'GET /api/servers/:serverId/channels/archived': { answer: Answer<typeof channelItemSchema>[] };
  'PATCH /api/servers/:serverId/channels/positions': {
    body: Body<typeof positionsSchema>;
    answer: Answer<typeof channelItemSchema>[];
  };
  'POST /api/channels/:id/archive': { answer: Answer<typeof channelItemSchema> };
  'POST /api/channels/:id/unarchive': { answer: Answer<typeof channelItemSchema> };
  'GET /api/channels/:id/members': { query: Query<typeof listMembersSchema>; answer: Answer<typeof memberSchema>[] };
  'POST /api/channels/:id/members': {
    body: Body<typeof addChannelMemberSchema>;
    answer: Answer<typeof memberSchema> & Done;
  };
  'DELETE /api/channels/:id/members/:userId': { answer: Done };

  'POST /api/servers/:id/invite-member': { body: Body<typeof inviteMemberSchema>; answer: Done };
  'GET /api/servers/:id/access': { answer: Answer<typeof serverAccessSchema> };
  'GET /api/channels/:id/access': { answer: Answer<typeof channelAccessSchema> };
  'GET /api/servers/:id/join-requests': { answer: Answer<typeof joinRequestSchema>[] };
  'POST /api/servers/:id/join-requests': { answer: Answer<typeof requestedSchema> };
  'POST /api/channels/:id/join-requests': { answer: Answer<typeof requestedSchema> };
  'PATCH /api/servers/join-requests/:requestId': {
    body: Body<typeof decideSchema>;
    answer: Answer<typeof joinRequestSchema>;
  };
  'PATCH /api/channel-join-requests/:requestId': {
    body: Body<typeof decideSchema>;
    answer: Answer<typeof joinRequestSchema>;
  };
}
