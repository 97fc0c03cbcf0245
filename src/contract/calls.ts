import { accountCalls } from './account.ts';
import { accountDeletionCalls } from './account-deletion.ts';
import { accountExportCalls } from './account-export.ts';
import { agentCalls, agentClientEvents } from './agent.ts';
import { agentFeedCalls } from './agent-feed.ts';
import { agentProfileCalls } from './agent-profile.ts';
import { appCalls, appProxyCalls, appServingCalls } from './app.ts';
import { mediaCalls } from './attachment.ts';
import { auditCalls } from './audit.ts';
import { banCalls } from './ban.ts';
import { bootstrapCalls } from './bootstrap.ts';
import { botSeatCalls } from './bot-seat.ts';
import { categoryCalls } from './category.ts';
import { channelCalls, channelClientEvents } from './channel.ts';
import { channelMemberCalls } from './channel-member.ts';
import { channelOverrideCalls } from './channel-override.ts';
import { commandCalls, commandClientEvents, commandRuleCalls } from './command.ts';
import { confirmationCalls } from './confirmation.ts';
import { customStatusCalls } from './custom-status.ts';
import { directCalls } from './direct.ts';
import { documentCalls, referenceCalls } from './document.ts';
import { draftCalls } from './draft.ts';
import { emailChangeCalls } from './email-change.ts';
import { eventsCalls, roomClientEvents } from './events.ts';
import { favoriteCalls } from './favorite.ts';
import { filterCalls } from './filter.ts';
import { followCalls, followClientEvents } from './follow.ts';
import { friendCalls } from './friend.ts';
import { handoverCalls } from './handover.ts';
import { heldCalls } from './held.ts';
import { hookCalls } from './hook.ts';
import { interactionCalls, interactionClientEvents } from './interaction.ts';
import { inviteCalls } from './invite.ts';
import { joinRequestCalls } from './join-request.ts';
import { laterCalls } from './later.ts';
import { previewCalls } from './link-preview-calls.ts';
import { mailedCalls } from './mailed.ts';
import { mcpCalls } from './mcp.ts';
import { memberErasureCalls } from './member-erasure.ts';
import { membershipCalls } from './membership.ts';
import { mentionCalls } from './mention.ts';
import { messageCalls, messageClientEvents } from './message-calls.ts';
import { messagePreviewCalls } from './message-preview.ts';
import { modelProxyCalls, modelTokenCalls } from './model-proxy.ts';
import { notificationCalls } from './notification.ts';
import { levelCalls } from './notification-level.ts';
import { settingsCalls } from './notification-settings.ts';
import { oauthCalls } from './oauth.ts';
import { consentCalls, oauthAppCalls } from './oauth-app.ts';
import { oauthProtocolCalls } from './oauth-protocol.ts';
import { operatorCalls } from './operator.ts';
import { operatorTaskCalls } from './operator-tasks.ts';
import { operatorWatchCalls } from './operator-watch.ts';
import { pageCalls, resetPageCalls } from './page.ts';
import { passkeyCalls } from './passkey.ts';
import { personalTokenCalls } from './personal-token.ts';
import { pictureCalls } from './picture.ts';
import { policyCalls } from './policy.ts';
import { pollCalls, pollClientEvents } from './poll.ts';
import { presenceActiveEvents, presenceClientEvents } from './presence.ts';
import { pushCalls } from './push.ts';
import { raidCalls } from './raid.ts';
import { reactionCalls, reactionClientEvents } from './reaction.ts';
import { receiptCalls } from './read-receipt.ts';
import { rehearsalCalls } from './rehearsal.ts';
import { reportCalls } from './report.ts';
import { historyCalls, retentionCalls } from './retention.ts';
import { roleCalls } from './role.ts';
import { scheduledCalls } from './scheduled.ts';
import { searchCalls } from './search.ts';
import { secondFactorCalls } from './second-factor.ts';
import { serverCalls } from './server.ts';
import { serverEmojiCalls } from './server-emoji.ts';
import { serverInviteCalls } from './server-invite.ts';
import { serverMemberCalls } from './server-member.ts';
import { disconnectCalls, sessionCalls, sessionClientEvents } from './session.ts';
import { storageCalls } from './storage.ts';
import { streamCalls, streamClientEvents } from './stream.ts';
import { threadCalls, threadClientEvents } from './thread.ts';
import { timeoutCalls } from './timeout.ts';
import { unsubscribeCalls } from './unsubscribe.ts';
import { usernameChangeCalls } from './username-change.ts';
import { verificationCalls } from './verification.ts';
import { webhookCalls } from './webhook.ts';
import { fileCalls, folderCalls, workspaceCalls } from './workspace-calls.ts';
import { workspaceSearchCalls } from './workspace-search.ts';
import { fileVersionCalls } from './workspace-versions.ts';

/** Calls about accounts, bots and the installation. */
const ownCalls = {
  ...accountCalls,
  ...accountExportCalls,
  ...accountDeletionCalls,
  ...agentFeedCalls,
  ...agentProfileCalls,
  ...agentCalls,
  ...bootstrapCalls,
  ...botSeatCalls,
  ...confirmationCalls,
  ...documentCalls,
  ...referenceCalls,
  ...emailChangeCalls,
  ...eventsCalls,
  ...friendCalls,
  ...handoverCalls,
  ...inviteCalls,
  ...mailedCalls,
  ...mcpCalls,
  ...membershipCalls,
  ...modelProxyCalls,
  ...modelTokenCalls,
  ...notificationCalls,
  ...operatorCalls,
  ...operatorTaskCalls,
  ...operatorWatchCalls,
  ...oauthCalls,
  ...oauthAppCalls,
  ...consentCalls,
  ...oauthProtocolCalls,
  ...pageCalls,
  ...resetPageCalls,
  ...passkeyCalls,
  ...personalTokenCalls,
  ...pushCalls,
  ...policyCalls,
  ...rehearsalCalls,
  ...customStatusCalls,
  ...secondFactorCalls,
  ...sessionCalls,
  ...disconnectCalls,
  ...usernameChangeCalls,
  ...verificationCalls,
  ...webhookCalls,
  ...levelCalls,
  ...settingsCalls,
  ...unsubscribeCalls,
};

/** Calls about servers, conversations, and what is in them. */
const sharedCalls = {
  ...appCalls,
  ...appServingCalls,
  ...appProxyCalls,
  ...mediaCalls,
  ...storageCalls,
  ...auditCalls,
  ...banCalls,
  ...channelMemberCalls,
  ...channelOverrideCalls,
  ...categoryCalls,
  ...favoriteCalls,
  ...channelCalls,
  ...directCalls,
  ...commandCalls,
  ...commandRuleCalls,
  ...filterCalls,
  ...heldCalls,
  ...interactionCalls,
  ...hookCalls,
  ...joinRequestCalls,
  ...mentionCalls,
  ...messageCalls,
  ...messagePreviewCalls,
  ...previewCalls,
  ...reportCalls,
  ...pictureCalls,
  ...pollCalls,
  ...raidCalls,
  ...reactionCalls,
  ...receiptCalls,
  ...roleCalls,
  ...historyCalls,
  ...retentionCalls,
  ...searchCalls,
  ...serverEmojiCalls,
  ...serverInviteCalls,
  ...serverMemberCalls,
  ...timeoutCalls,
  ...memberErasureCalls,
  ...serverCalls,
  ...streamCalls,
  ...threadCalls,
  ...workspaceCalls,
  ...folderCalls,
  ...fileCalls,
  ...fileVersionCalls,
  ...workspaceSearchCalls,
  ...laterCalls,
  ...scheduledCalls,
  ...draftCalls,
  ...followCalls,
};

/** Every call over REST, by its name. The type is told since it is too long to be inferred for the client's declarations. */
export const allCalls: typeof ownCalls & typeof sharedCalls = { ...ownCalls, ...sharedCalls };

/** Every event that clients send, by its name on the wire. */
export const allClientEvents = {
  ...agentClientEvents,
  ...channelClientEvents,
  ...commandClientEvents,
  ...interactionClientEvents,
  ...roomClientEvents,
  ...messageClientEvents,
  ...pollClientEvents,
  ...presenceActiveEvents,
  ...presenceClientEvents,
  ...reactionClientEvents,
  ...sessionClientEvents,
  ...streamClientEvents,
  ...threadClientEvents,
  ...followClientEvents,
};
