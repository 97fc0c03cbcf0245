import { Agent, AgentToken } from './entities/agent.entity.ts';
import { App, AppFile } from './entities/app.entity.ts';
import { Attachment } from './entities/attachment.entity.ts';
import { ServerBan } from './entities/ban.entity.ts';
import { Blob, BlobChunk } from './entities/blob.entity.ts';
import { Channel } from './entities/channel.entity.ts';
import { ChannelMember } from './entities/channel-member.entity.ts';
import { ChannelRead } from './entities/channel-read.entity.ts';
import { DmChannel } from './entities/dm-channel.entity.ts';
import { Block, Friendship } from './entities/friendship.entity.ts';
import { IdempotencyKey } from './entities/idempotency.entity.ts';
import { Invalidation } from './entities/invalidation.entity.ts';
import { InviteCode } from './entities/invite-code.entity.ts';
import { JoinRequest } from './entities/join-request.entity.ts';
import { LogRow, Stream } from './entities/log.entity.ts';
import { EmailCode, EmailVerification, PasswordReset } from './entities/mailed-secret.entity.ts';
import { Message } from './entities/message.entity.ts';
import { ModelToken, ModelUsage } from './entities/model-token.entity.ts';
import {
  Notification,
  NotificationJob,
  NotificationPreferences,
  NotificationSource,
} from './entities/notification.entity.ts';
import { OAuthAccount, OAuthState } from './entities/oauth.entity.ts';
import { PersonalToken } from './entities/personal-token.entity.ts';
import { AgentPolicy } from './entities/policy.entity.ts';
import { PresenceWish } from './entities/presence-wish.entity.ts';
import { Reaction } from './entities/reaction.entity.ts';
import { Server } from './entities/server.entity.ts';
import { ServerMember } from './entities/server-member.entity.ts';
import { Session, UsedRefreshToken } from './entities/session.entity.ts';
import { Thread } from './entities/thread.entity.ts';
import { User } from './entities/user.entity.ts';
import { Webhook, WebhookCursor } from './entities/webhook.entity.ts';
import { Workspace, WorkspaceNode, WorkspaceViewer } from './entities/workspace.entity.ts';

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
