import { AccountExport } from './entities/account-export.entity.ts';
import {
  Agent,
  AgentPolicy,
  AgentToken,
  ModelToken,
  ModelUsage,
  Webhook,
  WebhookCursor,
} from './entities/agent.entity.ts';
import { AgentFeed, Rehearsal, RehearsalFeed, RehearsalSend } from './entities/agent-feed.entity.ts';
import { App, AppFile } from './entities/app.entity.ts';
import { AuditEntry } from './entities/audit.entity.ts';
import { Blob, BlobChunk, LooseObject } from './entities/blob.entity.ts';
import {
  Category,
  Channel,
  ChannelFavorite,
  ChannelMember,
  ChannelRead,
  DmChannel,
  GroupChannel,
  GroupMember,
  JoinRequest,
  SlowModeTurn,
} from './entities/channel.entity.ts';
import { ClusterNode } from './entities/cluster-node.entity.ts';
import { CommandFile, CommandRule, CommandRuleHolder } from './entities/command.entity.ts';
import { CustomStatus } from './entities/custom-status.entity.ts';
import { ServerEmoji } from './entities/emoji.entity.ts';
import { HeldMessage, ServerFilter } from './entities/filter.entity.ts';
import { ChannelLevelRow, ServerLevelRow, ThreadFollow } from './entities/follow.entity.ts';
import { FormerName } from './entities/former-name.entity.ts';
import { Block, Friendship } from './entities/friendship.entity.ts';
import { Handover } from './entities/handover.entity.ts';
import { Hook } from './entities/hook.entity.ts';
import { Import, ImportChannel, ImportPerson, ImportRecord } from './entities/import.entity.ts';
import { BannedAddress, InstanceBan } from './entities/instance-ban.entity.ts';
import { ComponentUse, EphemeralReply, Interaction } from './entities/interaction.entity.ts';
import { InviteCode } from './entities/invite-code.entity.ts';
import { Job } from './entities/job.entity.ts';
import { Draft, SavedItem, ScheduledMessage } from './entities/later.entity.ts';
import { LinkPage, LinkPageWait } from './entities/link-page.entity.ts';
import { IdempotencyKey, Invalidation, LogRow, MovedLog, Stream } from './entities/log.entity.ts';
import { EmailCode, MailedCode } from './entities/mailed-code.entity.ts';
import { McpSubscription } from './entities/mcp.entity.ts';
import { Attachment, Message, MessageForward, MessageVersion, Reaction, Thread } from './entities/message.entity.ts';
import {
  Digest,
  Notification,
  NotificationKeyword,
  NotificationPreferences,
  NotificationSource,
} from './entities/notification.entity.ts';
import { OAuthApp, OAuthCode, OAuthDevice, UsedAppToken } from './entities/oauth-app.entity.ts';
import { Picture } from './entities/picture.entity.ts';
import { Poll, PollVote } from './entities/poll.entity.ts';
import { PresenceWish } from './entities/presence-wish.entity.ts';
import { PushedNotification, PushPreferences, PushSubscription } from './entities/push.entity.ts';
import { ReadReceiptChoice } from './entities/read-receipt.entity.ts';
import { ReplyStream } from './entities/reply-stream.entity.ts';
import { Report, ReportCase } from './entities/report.entity.ts';
import { ChannelOverride, MemberRole, ServerRole } from './entities/role.entity.ts';
import { SearchProgress, SearchWords, StaleSearch } from './entities/search.entity.ts';
import { Passkey, PasskeyChallenge, RecoveryCode, SignInTicket, TotpFactor } from './entities/second-factor.entity.ts';
import { FormerUsername, KnownDevice, SecurityNotice } from './entities/security.entity.ts';
import { Server, ServerBan, ServerMember, ServerTimeout } from './entities/server.entity.ts';
import { ServerInvite } from './entities/server-invite.entity.ts';
import { ServerRaid } from './entities/server-raid.entity.ts';
import { StorageBackfill, StorageChange, StorageQuota, StorageUsage } from './entities/storage.entity.ts';
import {
  EmailChange,
  EmailVerification,
  OAuthAccount,
  OAuthState,
  PasswordReset,
  PersonalToken,
  Session,
  UsedRefreshToken,
  User,
} from './entities/user.entity.ts';
import { Workspace, WorkspaceNode, WorkspaceVersion, WorkspaceViewer } from './entities/workspace.entity.ts';
import { StaleNode, WorkspaceWords } from './entities/workspace-words.entity.ts';

/** All tables. A new one is listed here, and gets a migration. */
export const entities = [
  User,
  Session,
  UsedRefreshToken,
  PersonalToken,
  OAuthApp,
  OAuthCode,
  OAuthDevice,
  UsedAppToken,
  EmailCode,
  MailedCode,
  PasswordReset,
  EmailChange,
  EmailVerification,
  FormerUsername,
  KnownDevice,
  SecurityNotice,
  OAuthAccount,
  OAuthState,
  AccountExport,
  TotpFactor,
  RecoveryCode,
  Passkey,
  PasskeyChallenge,
  SignInTicket,
  InviteCode,
  Server,
  ServerMember,
  ServerBan,
  ServerInvite,
  ServerRaid,
  ServerRole,
  MemberRole,
  ServerTimeout,
  Category,
  Channel,
  ChannelFavorite,
  ChannelMember,
  ChannelOverride,
  ChannelRead,
  SlowModeTurn,
  ServerFilter,
  HeldMessage,
  Message,
  MessageVersion,
  MessageForward,
  Thread,
  Reaction,
  Attachment,
  LinkPage,
  LinkPageWait,
  JoinRequest,
  Stream,
  LogRow,
  Invalidation,
  MovedLog,
  SearchWords,
  SearchProgress,
  StaleSearch,
  IdempotencyKey,
  Blob,
  BlobChunk,
  LooseObject,
  Picture,
  Friendship,
  Block,
  DmChannel,
  GroupChannel,
  GroupMember,
  Agent,
  AgentToken,
  AgentPolicy,
  Webhook,
  WebhookCursor,
  AgentFeed,
  Rehearsal,
  RehearsalFeed,
  RehearsalSend,
  Notification,
  NotificationPreferences,
  NotificationSource,
  Job,
  PresenceWish,
  CustomStatus,
  ReadReceiptChoice,
  McpSubscription,
  Workspace,
  WorkspaceNode,
  WorkspaceVersion,
  WorkspaceViewer,
  WorkspaceWords,
  StaleNode,
  App,
  AppFile,
  ModelToken,
  ModelUsage,
  FormerName,
  Handover,
  ReportCase,
  Report,
  InstanceBan,
  BannedAddress,
  AuditEntry,
  SavedItem,
  ScheduledMessage,
  Draft,
  ThreadFollow,
  ChannelLevelRow,
  ServerLevelRow,
  NotificationKeyword,
  Digest,
  PushSubscription,
  PushedNotification,
  PushPreferences,
  Poll,
  PollVote,
  ServerEmoji,
  CommandRule,
  CommandRuleHolder,
  CommandFile,
  ComponentUse,
  Import,
  ImportChannel,
  ImportPerson,
  ImportRecord,
  Interaction,
  EphemeralReply,
  Hook,
  ReplyStream,
  ClusterNode,
  StorageUsage,
  StorageChange,
  StorageQuota,
  StorageBackfill,
];
