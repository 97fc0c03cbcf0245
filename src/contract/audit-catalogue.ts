import { appCreate, appDelete, appUpdate } from './app.ts';
import { memberBan, memberUnban } from './ban.ts';
import { botKeep, botRelease, botRights } from './bot-seat.ts';
import {
  categoryCreate,
  categoryDelete,
  categoryOrder,
  categoryUpdate,
  channelArchive,
  channelCreate,
  channelDelete,
  channelOrder,
  channelOverride,
  channelUnarchive,
  channelUpdate,
} from './channel-actions.ts';
import { channelMemberAdd, channelMemberRemove } from './channel-member.ts';
import { botCommands } from './command.ts';
import { hookCreate, hookDelete, hookRenew, hookUpdate } from './hook-actions.ts';
import { inviteCreate, inviteDelete, raidBegin, raidEnd, raidUpdate } from './invite-actions.ts';
import { joinRequestApprove, joinRequestReject } from './join-request.ts';
import { previewsRemove } from './link-preview-calls.ts';
import { messageDelete, messagePin, messageUnpin } from './message-calls.ts';
import {
  filterAdd,
  filterRemove,
  heldApprove,
  heldReject,
  memberDeleteMessages,
  memberTimeout,
  memberTimeoutEnd,
  reportDecide,
  reportEscalate,
} from './moderation-actions.ts';
import {
  accountCreate,
  accountDelete,
  accountPassword,
  accountRemoveFactors,
  accountReset,
  accountRevoke,
  accountSuspend,
  accountTier,
  accountUnsuspend,
  instanceBan,
  instanceUnban,
  inviteCodesIssue,
  jobDiscard,
  jobRetry,
  operatorGrant,
  operatorRevoke,
  quotaSet,
} from './operating.ts';
import { botPolicy } from './policy.ts';
import { pollClose } from './poll.ts';
import {
  memberRoleAdd,
  memberRoleRemove,
  roleCreate,
  roleDelete,
  roleOrder,
  roleReset,
  roleUpdate,
} from './role-actions.ts';
import { serverDelete, serverRenewInvite, serverUpdate } from './server-actions.ts';
import { emojiAdd, emojiRemove } from './server-emoji.ts';
import { memberKick, memberRole, serverHandOver } from './server-member.ts';
import { threadDelete, threadUpdate } from './thread.ts';

/** All actions of the audit log (contract §5). Its tests and the words of the web client derive from this list. */
export const auditActions = [
  ...([serverUpdate, serverDelete, serverHandOver, serverRenewInvite] as const),
  ...([memberKick, memberBan, memberUnban, memberRole, joinRequestApprove, joinRequestReject] as const),
  ...([channelCreate, channelUpdate, channelArchive, channelUnarchive, channelDelete, channelOrder] as const),
  ...([categoryCreate, categoryUpdate, categoryDelete, categoryOrder] as const),
  ...([channelMemberAdd, channelMemberRemove, channelOverride] as const),
  ...([hookCreate, hookUpdate, hookRenew, hookDelete] as const),
  ...([roleCreate, roleUpdate, roleDelete, roleReset, roleOrder, memberRoleAdd, memberRoleRemove] as const),
  ...([memberTimeout, memberTimeoutEnd, memberDeleteMessages, reportDecide, reportEscalate] as const),
  ...([filterAdd, filterRemove, heldApprove, heldReject, emojiAdd, emojiRemove, pollClose] as const),
  ...([inviteCreate, inviteDelete, raidUpdate, raidBegin, raidEnd] as const),
  ...([messagePin, messageUnpin, messageDelete, previewsRemove, threadUpdate, threadDelete] as const),
  ...([appCreate, appUpdate, appDelete, botKeep, botRelease, botRights, botPolicy, botCommands] as const),
  ...([accountCreate, accountPassword, accountReset, accountTier, accountRevoke, accountRemoveFactors] as const),
  ...([accountSuspend, accountUnsuspend, accountDelete, inviteCodesIssue] as const),
  ...([operatorGrant, operatorRevoke, instanceBan, instanceUnban, jobRetry, jobDiscard, quotaSet] as const),
] as const;

export type AuditActionName = (typeof auditActions)[number]['name'];
