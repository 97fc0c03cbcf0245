import { EmailCode, EmailVerification, PasswordReset } from '../accounts/mailed/mailed-secret.entity.ts';
import { OAuthAccount, OAuthState } from '../accounts/oauth/oauth.entity.ts';
import { PersonalToken } from '../accounts/personal-tokens/personal-token.entity.ts';
import { Session, UsedRefreshToken } from '../accounts/sessions/session.entity.ts';
import { User } from '../accounts/user.entity.ts';
import { Agent, AgentToken } from '../agents/agent.entity.ts';
import { AgentPolicy } from '../agents/policies/policy.entity.ts';
import { Webhook, WebhookCursor } from '../agents/webhooks/webhook.entity.ts';
import { App, AppFile } from '../apps/app.entity.ts';
import { Blob, BlobChunk } from '../blobs/blob.entity.ts';
import { Channel } from '../channels/channel.entity.ts';
import { ChannelMember } from '../channels/channel-member.entity.ts';
import { ChannelRead } from '../channels/channel-read.entity.ts';
import { Invalidation } from '../delivery/invalidation.entity.ts';
import { LogRow, Stream } from '../delivery/log.entity.ts';
import { DmChannel } from '../direct/dm-channel.entity.ts';
import { Block, Friendship } from '../friends/friendship.entity.ts';
import { InviteCode } from '../invites/invite-code.entity.ts';
import { JoinRequest } from '../join-requests/join-request.entity.ts';
import { Attachment } from '../media/attachment.entity.ts';
import { Message } from '../messages/message.entity.ts';
import { ModelToken, ModelUsage } from '../model-proxy/model-token.entity.ts';
import {
  Notification,
  NotificationJob,
  NotificationPreferences,
  NotificationSource,
} from '../notifications/notification.entity.ts';
import { PresenceWish } from '../presence/presence-wish.entity.ts';
import { Reaction } from '../reactions/reaction.entity.ts';
import { IdempotencyKey } from '../rest/idempotency.entity.ts';
import { ServerBan } from '../servers/ban.entity.ts';
import { Server } from '../servers/server.entity.ts';
import { ServerMember } from '../servers/server-member.entity.ts';
import { Thread } from '../threads/thread.entity.ts';
import { Workspace, WorkspaceNode, WorkspaceViewer } from '../workspace/workspace.entity.ts';

/** All tables. A new one is listed here, and gets a migration. */
export const entities = [
  User,
  Session,
  UsedRefreshToken,
  PersonalToken,
  EmailCode,
  PasswordReset,
  EmailVerification,
  OAuthAccount,
  OAuthState,
  InviteCode,
  Server,
  ServerMember,
  ServerBan,
  Channel,
  ChannelMember,
  ChannelRead,
  Message,
  Thread,
  Reaction,
  Attachment,
  JoinRequest,
  Stream,
  LogRow,
  Invalidation,
  IdempotencyKey,
  Blob,
  BlobChunk,
  Friendship,
  Block,
  DmChannel,
  Agent,
  AgentToken,
  AgentPolicy,
  Webhook,
  WebhookCursor,
  Notification,
  NotificationPreferences,
  NotificationSource,
  NotificationJob,
  PresenceWish,
  Workspace,
  WorkspaceNode,
  WorkspaceViewer,
  App,
  AppFile,
  ModelToken,
  ModelUsage,
];
