import type { z } from 'zod';
import type {
  authSchema,
  changePasswordSchema,
  completeResetSchema,
  dashboardSchema,
  loginSchema,
  mailedSchema,
  ownUserSchema,
  registerSchema,
  smallUserSchema,
  startByEmailSchema,
  updateMeSchema,
  verifyCodeSchema,
} from '../accounts/account.contract.ts';
import type { membershipSchema, redeemSchema } from '../accounts/membership.contract.ts';
import type { createTokenSchema, newTokenSchema, personalTokenSchema } from '../accounts/personal-token.contract.ts';
import type { refreshSchema, sessionSchema, tokenPairSchema } from '../accounts/session.contract.ts';
import type {
  agentDoneSchema,
  agentSchema,
  agentTokenSchema,
  agentWithTokenSchema,
  createAgentSchema,
} from '../agents/agent.contract.ts';
import type { appListSchema, listAppsSchema } from '../apps/app.contract.ts';
import type {
  channelItemSchema,
  createChannelSchema,
  markReadSchema,
  readStateSchema,
  updateChannelSchema,
} from '../channels/channel.contract.ts';
import type { dmChannelSchema, openDmSchema } from '../direct/direct.contract.ts';
import type { logPageSchema, readLogSchema } from '../events/events.contract.ts';
import type { blockSchema, friendshipSchema, rejectedSchema, requestFriendSchema } from '../friends/friend.contract.ts';
import type { createInvitesSchema, inviteCodeSchema } from '../invites/invite.contract.ts';
import type { mediaUrlSchema, uploadAnswerSchema } from '../media/attachment.contract.ts';
import type { suggestionsSchema, suggestQuerySchema } from '../mentions/mention.contract.ts';
import type {
  editMessageSchema,
  listMessagesSchema,
  messagePageSchema,
  messageSchema,
  sendMessageSchema,
} from '../messages/message.contract.ts';
import type {
  changePreferencesSchema,
  listNotificationsSchema,
  notificationSchema,
  preferencesSchema,
  readScopeSchema,
  scopedUnreadSchema,
  unreadCountSchema,
  updatedSchema,
} from '../notifications/notification.contract.ts';
import type { reactionsAnswerSchema, reactSchema } from '../reactions/reaction.contract.ts';
import type { doneSchema } from '../schema.ts';
import type { searchMessagesSchema } from '../search/search.contract.ts';
import type {
  createServerSchema,
  discoverSchema,
  joinServerSchema,
  listMembersSchema,
  memberSchema,
  ownServerSchema,
  serverSchema,
  setRoleSchema,
  updateServerSchema,
} from '../servers/server.contract.ts';
import type { startThreadSchema, threadSchema } from '../threads/thread.contract.ts';
import type {
  createFolderSchema,
  mediaUrlAnswer,
  nodeSchema,
  workspaceSchema,
} from '../workspace/workspace.contract.ts';

/** What is sent, what may stand in a query, and what comes back, as the contracts of the server say. */
type Body<S extends z.ZodType> = z.input<S>;
type Query<S extends z.ZodType> = Partial<z.output<S>>;
type Answer<S extends z.ZodType> = z.output<S>;
type Done = Answer<typeof doneSchema>;

/** The REST methods by their names in the API documents. Only types: nothing of the server gets into a bundle. */
export interface Rest {
  'POST /api/auth/register': { body: Body<typeof registerSchema>; answer: Answer<typeof authSchema> };
  'POST /api/auth/login': { body: Body<typeof loginSchema>; answer: Answer<typeof authSchema> };
  'POST /api/auth/refresh': { body: Body<typeof refreshSchema>; answer: Answer<typeof tokenPairSchema> };
  'POST /api/auth/logout': { answer: Done };
  'POST /api/auth/email/start': { body: Body<typeof startByEmailSchema>; answer: Answer<typeof mailedSchema> };
  'POST /api/auth/email/verify': { body: Body<typeof verifyCodeSchema>; answer: Answer<typeof authSchema> };
  'POST /api/auth/password-reset/start': { body: Body<typeof startByEmailSchema>; answer: Answer<typeof mailedSchema> };
  'POST /api/auth/password-reset/complete': { body: Body<typeof completeResetSchema>; answer: Done };
  'PUT /api/auth/password': { body: Body<typeof changePasswordSchema>; answer: Done };
  'GET /api/auth/me': { answer: Answer<typeof ownUserSchema> };
  'PATCH /api/auth/me': { body: Body<typeof updateMeSchema>; answer: Answer<typeof ownUserSchema> };
  'GET /api/auth/users/:id': { answer: Answer<typeof smallUserSchema> };
  'GET /api/auth/dashboard': { answer: Answer<typeof dashboardSchema> };
  'GET /api/auth/sessions': { answer: Answer<typeof sessionSchema>[] };
  'DELETE /api/auth/sessions/:id': { answer: Done };
  'GET /api/membership/me': { answer: Answer<typeof membershipSchema> };
  'POST /api/membership/redeem-invite': { body: Body<typeof redeemSchema>; answer: Answer<typeof membershipSchema> };
  'GET /api/tokens': { answer: Answer<typeof personalTokenSchema>[] };
  'POST /api/tokens': { body: Body<typeof createTokenSchema>; answer: Answer<typeof newTokenSchema> };
  'DELETE /api/tokens/:id': { answer: Done };
  'GET /api/invite-codes': { answer: Answer<typeof inviteCodeSchema>[] };
  'POST /api/invite-codes': { body: Body<typeof createInvitesSchema>; answer: Answer<typeof inviteCodeSchema>[] };
  'PATCH /api/invite-codes/:id/deactivate': { answer: Answer<typeof inviteCodeSchema> };
  'DELETE /api/invite-codes/:id': { answer: Done };

  'GET /api/agents': { answer: Answer<typeof agentSchema>[] };
  'POST /api/agents': { body: Answer<typeof createAgentSchema>; answer: Answer<typeof agentWithTokenSchema> };
  'DELETE /api/agents/:id': { answer: Done };
  'POST /api/agents/:id/token': { answer: Answer<typeof agentTokenSchema> };
  'POST /api/agents/:id/start': { answer: Answer<typeof agentDoneSchema> };
  'POST /api/agents/:id/stop': { answer: Answer<typeof agentDoneSchema> };

  'GET /api/friends': { answer: Answer<typeof friendshipSchema>[] };
  'GET /api/friends/pending': { answer: Answer<typeof friendshipSchema>[] };
  'GET /api/friends/sent': { answer: Answer<typeof friendshipSchema>[] };
  'POST /api/friends/request': { body: Body<typeof requestFriendSchema>; answer: Answer<typeof friendshipSchema> };
  'POST /api/friends/:id/accept': { answer: Answer<typeof friendshipSchema> };
  'POST /api/friends/:id/reject': { answer: Answer<typeof rejectedSchema> };
  'DELETE /api/friends/:id': { answer: Done };
  'GET /api/friends/blocks': { answer: Answer<typeof blockSchema>[] };
  'PUT /api/friends/blocks/:userId': { answer: Answer<typeof blockSchema> };
  'DELETE /api/friends/blocks/:userId': { answer: Done };
  'GET /api/dm/channels': { answer: Answer<typeof dmChannelSchema>[] };
  'POST /api/dm/channels': { body: Body<typeof openDmSchema>; answer: Answer<typeof dmChannelSchema> };

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
  'GET /api/servers/:id': { answer: Answer<typeof serverSchema> };
  'POST /api/servers/:id/join': { body: Body<typeof joinServerSchema>; answer: Answer<typeof serverSchema> };
  'POST /api/servers/:id/leave': { answer: Done };

  'POST /api/servers/:serverId/channels': {
    body: Body<typeof createChannelSchema>;
    answer: Answer<typeof channelItemSchema>;
  };
  'GET /api/servers/:serverId/channels': { answer: Answer<typeof channelItemSchema>[] };
  'PATCH /api/channels/:id': { body: Body<typeof updateChannelSchema>; answer: Answer<typeof channelItemSchema> };
  'DELETE /api/channels/:id': { answer: Done };
  'PUT /api/channels/:id/read': { body: Body<typeof markReadSchema>; answer: Answer<typeof readStateSchema> };
  'GET /api/channels/:id': { answer: Answer<typeof channelItemSchema> };

  'POST /api/channels/:channelId/messages': {
    body: Body<typeof sendMessageSchema>;
    answer: Answer<typeof messageSchema>;
  };
  'GET /api/channels/:channelId/messages': {
    query: Query<typeof listMessagesSchema>;
    answer: Answer<typeof messagePageSchema>;
  };
  'GET /api/messages/:id': { answer: Answer<typeof messageSchema> };
  'PATCH /api/messages/:id': { body: Body<typeof editMessageSchema>; answer: Answer<typeof messageSchema> };
  'DELETE /api/messages/:id': { answer: Done };

  'GET /api/messages/:id/reactions': { answer: Answer<typeof reactionsAnswerSchema>['reactions'] };
  'POST /api/messages/:id/reactions': {
    body: Body<typeof reactSchema>;
    answer: Answer<typeof reactionsAnswerSchema>;
  };
  'DELETE /api/messages/:id/reactions/:emoji': { answer: Answer<typeof reactionsAnswerSchema> };
  'GET /api/channels/:channelId/pins': { answer: Answer<typeof messageSchema>[] };
  'PUT /api/channels/:channelId/pins/:messageId': { answer: Answer<typeof messageSchema> };
  'DELETE /api/channels/:channelId/pins/:messageId': { answer: Answer<typeof messageSchema> };
  'POST /api/messages/:id/thread': { body: Body<typeof startThreadSchema>; answer: Answer<typeof threadSchema> };
  'GET /api/channels/:channelId/threads': { answer: Answer<typeof threadSchema>[] };
  'GET /api/threads/:id': { answer: Answer<typeof threadSchema> };
  'GET /api/threads/:id/messages': {
    query: Pick<Query<typeof listMessagesSchema>, 'limit' | 'cursor' | 'after'>;
    answer: Answer<typeof messageSchema>[];
  };
  'GET /api/search/messages': { query: Query<typeof searchMessagesSchema>; answer: Answer<typeof messageSchema>[] };
  'GET /api/mentions/suggest': {
    query: Query<typeof suggestQuerySchema>;
    answer: Answer<typeof suggestionsSchema>;
  };
  'POST /api/media/upload': { form: FormData; answer: Answer<typeof uploadAnswerSchema> };
  'GET /api/attachments/:id/media-url': { answer: Answer<typeof mediaUrlSchema> };

  'GET /api/servers/:serverId/workspace': { answer: Answer<typeof workspaceSchema> };
  'GET /api/servers/:serverId/workspace/children': {
    query: { parentId?: string | null };
    answer: Answer<typeof nodeSchema>[];
  };
  'POST /api/servers/:serverId/workspace/folders': {
    body: Body<typeof createFolderSchema>;
    answer: Answer<typeof nodeSchema>;
  };
  'DELETE /api/servers/:serverId/workspace/folders/:folderId': { answer: Done };
  'POST /api/servers/:serverId/workspace/upload': { form: FormData; answer: Answer<typeof nodeSchema> };
  'DELETE /api/servers/:serverId/workspace/files/:fileId': { answer: Done };
  'GET /api/servers/:serverId/workspace/files/:fileId/media-url': { answer: Answer<typeof mediaUrlAnswer> };
  'GET /api/servers/:serverId/apps': { query: Query<typeof listAppsSchema>; answer: Answer<typeof appListSchema> };

  'GET /api/notifications': {
    query: Query<typeof listNotificationsSchema>;
    answer: Answer<typeof notificationSchema>[];
  };
  'GET /api/notifications/unread-count': { answer: Answer<typeof unreadCountSchema> };
  'GET /api/notifications/scoped-unread': { answer: Answer<typeof scopedUnreadSchema> };
  'PATCH /api/notifications/:id/read': { answer: Answer<typeof notificationSchema> };
  'POST /api/notifications/read-all': { answer: Answer<typeof updatedSchema> };
  'POST /api/notifications/read-scope': {
    body: Body<typeof readScopeSchema>;
    answer: Answer<typeof updatedSchema>;
  };
  'GET /api/notifications/preferences': { answer: Answer<typeof preferencesSchema> };
  'PATCH /api/notifications/preferences': {
    body: Body<typeof changePreferencesSchema>;
    answer: Answer<typeof preferencesSchema>;
  };

  'GET /api/channels/:id/events': { query: Query<typeof readLogSchema>; answer: Answer<typeof logPageSchema> };
  'GET /api/events': { query: Query<typeof readLogSchema>; answer: Answer<typeof logPageSchema> };
}

export type RestCall = keyof Rest;

/** The names of a path's parameters, from its text. */
type ParamNames<Path extends string> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer Tail}`
    ? Name | ParamNames<Tail>
    : Rest
  : never;

type BodyOf<C extends RestCall> = Rest[C] extends { body: infer B } ? { body: B } : unknown;
type FormOf<C extends RestCall> = Rest[C] extends { form: infer F } ? { form: F } : unknown;
type QueryOf<C extends RestCall> = Rest[C] extends { query: infer Q } ? { query?: Q } : unknown;

/** A call's parameters by their names, with `body` (or `form`) and `query` beside them. */
export type RestInput<C extends RestCall> = Record<ParamNames<C>, string> & BodyOf<C> & FormOf<C> & QueryOf<C>;
export type RestAnswer<C extends RestCall> = Rest[C]['answer'];

/** The input may be left out when there is nothing that has to be in it. */
export type RestArguments<C extends RestCall> =
  Partial<RestInput<C>> extends RestInput<C> ? [input?: RestInput<C>] : [input: RestInput<C>];
