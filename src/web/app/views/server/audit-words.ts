import type { AuditActionName } from '../../../../contract/audit-catalogue.ts';

/** What someone did, in a sentence that begins with their name; `{target}` and `{channel}` are named. */
export const auditWords: Record<AuditActionName, string> = {
  'server.update': 'changed the server',
  'server.delete': 'deleted the server',
  'server.hand-over': 'handed the server over to {target}',
  'server.renew-invite': 'made a new invite link',
  'member.kick': 'removed {target}',
  'member.ban': 'banned {target}',
  'member.unban': 'lifted the ban of {target}',
  'member.role': 'changed the role of {target}',
  'join-request.approve': 'let {target} in',
  'join-request.reject': 'declined the request of {target}',
  'channel.create': 'made the channel {target}',
  'channel.update': 'changed the channel {target}',
  'channel.archive': 'archived the channel {target}',
  'channel.unarchive': 'unarchived the channel {target}',
  'channel.delete': 'deleted the channel {target}',
  'channel.order': 'put the channels in another order',
  'channel-member.add': 'let {target} into {channel}',
  'channel-member.remove': 'removed {target} from {channel}',
  'message.pin': 'pinned a message in {channel}',
  'message.unpin': 'unpinned a message in {channel}',
  'message.delete': 'deleted a message in {channel}',
  'thread.update': 'changed a thread in {channel}',
  'thread.delete': 'deleted a thread in {channel}',
  'app.create': 'made the app {target}',
  'app.update': 'changed the app {target}',
  'app.delete': 'deleted the app {target}',
  'bot.keep': 'kept the bot {target} for the server',
  'bot.release': 'no longer keeps the bot {target}',
  'bot.rights': 'changed what the bot {target} may do',
  'bot.policy': 'changed the policy of the bot {target}',
  'account.create': 'made the account {target}',
  'account.password': 'set a new password for {target}',
  'account.tier': 'changed the tier of {target}',
  'account.revoke': 'signed {target} out everywhere',
  'account.remove-factors': 'removed the second factors of {target}',
  'account.suspend': 'suspended {target}',
  'account.unsuspend': 'let {target} in again',
  'account.delete': 'had the account {target} deleted',
  'invite-codes.issue': 'made invite codes',
};

const isKnown = (action: string): action is AuditActionName => Object.hasOwn(auditWords, action);

/** The words of an action; of one that this client does not know yet, its name. */
export const wordsOf = (action: string): string => (isKnown(action) ? auditWords[action] : action);

/** The kinds of things that a server's log can be limited to, as the query names them. */
export const auditKinds = [
  { value: '', label: 'Everything' },
  { value: 'server.*', label: 'The server' },
  { value: 'member.*', label: 'Members' },
  { value: 'join-request.*', label: 'Join requests' },
  { value: 'channel.*', label: 'Channels' },
  { value: 'channel-member.*', label: 'Members of channels' },
  { value: 'message.*', label: 'Messages' },
  { value: 'thread.*', label: 'Threads' },
  { value: 'app.*', label: 'Apps' },
  { value: 'bot.*', label: 'Bots' },
];
