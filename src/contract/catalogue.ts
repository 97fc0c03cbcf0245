import { userUpdated } from './account.ts';
import { slashCommandsUpdated } from './agent.ts';
import { agentReplay } from './agent-feed.ts';
import { auditCreated } from './audit.ts';
import { memberBanned, memberUnbanned } from './ban.ts';
import { channelCreated, channelDeleted, channelMemberAdded, channelMemberRemoved, channelUpdated } from './channel.ts';
import { channelOverridden } from './channel-override.ts';
import { commandComplete } from './command.ts';
import { presenceCustomStatus } from './custom-status.ts';
import { dmCreated } from './direct.ts';
import { draftUpdated } from './draft.ts';
import { draining, errorEvent, ready, resumed } from './events.ts';
import { favoritesUpdated } from './favorite.ts';
import { threadState } from './follow.ts';
import { friendAccepted, friendRemoved, friendRequest } from './friend.ts';
import { handoverEnded, handoverOffered } from './handover.ts';
import { heldCreated, heldDecided } from './held.ts';
import { ephemeralCreated, ephemeralRemoved, interactionCreated, interactionUpdated } from './interaction.ts';
import { joinRequestCreated, joinRequestDecided } from './join-request.ts';
import { laterRemoved, laterUpdated } from './later.ts';
import { memberJoined, memberLeft, memberUpdated } from './member.ts';
import { membershipUpdated } from './membership.ts';
import {
  messageDeleted,
  messageNew,
  messagePinned,
  messageTyping,
  messageUnpinned,
  messageUpdated,
} from './message.ts';
import { notificationDeleted, notificationNew, notificationRead, notificationUpdated } from './notification.ts';
import { preferencesUpdated } from './notification-level.ts';
import { notificationSettingsUpdated } from './notification-settings.ts';
import { accountUpdated } from './personal.ts';
import { policyChanged } from './policy.ts';
import { pollUpdated, pollVoted } from './poll.ts';
import { presenceActivity, presenceChange, presenceCount, presenceSnapshot } from './presence.ts';
import { pushPreferencesUpdated } from './push.ts';
import { serverRaid } from './raid.ts';
import { reactionAdded, reactionRemoved, reactionUpdated } from './reaction.ts';
import { channelReceipts, receiptChoiceChanged } from './read-receipt.ts';
import { channelRead } from './read-state.ts';
import { reportCreated, reportUpdated } from './report.ts';
import { messagesExpired } from './retention.ts';
import { scheduledRemoved, scheduledUpdated } from './scheduled.ts';
import { serverDeleted, serverInvited, serverJoined, serverLeft, serverUpdated } from './server.ts';
import { inviteCreated, inviteDeleted, inviteUsed } from './server-invite.ts';
import { sessionRevoked, tokenExpiring } from './session.ts';
import { messageStream, streamStopped } from './stream.ts';
import { threadCreated, threadDeleted, threadUpdated } from './thread.ts';
import { memberTimedOut } from './timeout.ts';
import { workspaceChanged } from './workspace.ts';

/** All events that the server sends (contract §9). Documents, webhooks and the types of the client derive from this list. */
export const catalogue = [
  userUpdated,
  slashCommandsUpdated,
  auditCreated,
  memberBanned,
  memberUnbanned,
  memberTimedOut,
  favoritesUpdated,
  channelCreated,
  channelUpdated,
  channelDeleted,
  channelMemberAdded,
  channelMemberRemoved,
  channelOverridden,
  channelRead,
  channelReceipts,
  commandComplete,
  receiptChoiceChanged,
  dmCreated,
  ready,
  resumed,
  draining,
  errorEvent,
  friendRequest,
  friendAccepted,
  friendRemoved,
  handoverOffered,
  handoverEnded,
  heldCreated,
  heldDecided,
  interactionCreated,
  interactionUpdated,
  ephemeralCreated,
  ephemeralRemoved,
  joinRequestCreated,
  joinRequestDecided,
  membershipUpdated,
  accountUpdated,
  messageNew,
  messageUpdated,
  messageDeleted,
  messagesExpired,
  messagePinned,
  messageUnpinned,
  messageTyping,
  notificationNew,
  notificationUpdated,
  notificationRead,
  notificationDeleted,
  policyChanged,
  agentReplay,
  pollUpdated,
  pollVoted,
  presenceChange,
  presenceActivity,
  presenceCustomStatus,
  presenceSnapshot,
  presenceCount,
  reactionUpdated,
  reactionAdded,
  reactionRemoved,
  reportCreated,
  reportUpdated,
  memberJoined,
  memberUpdated,
  memberLeft,
  serverJoined,
  serverLeft,
  serverUpdated,
  serverDeleted,
  serverInvited,
  inviteCreated,
  inviteUsed,
  inviteDeleted,
  serverRaid,
  sessionRevoked,
  tokenExpiring,
  messageStream,
  streamStopped,
  threadCreated,
  threadUpdated,
  threadDeleted,
  workspaceChanged,
  laterUpdated,
  laterRemoved,
  scheduledUpdated,
  scheduledRemoved,
  draftUpdated,
  threadState,
  preferencesUpdated,
  notificationSettingsUpdated,
  pushPreferencesUpdated,
] as const;
