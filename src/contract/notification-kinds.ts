/** The type of a notification determines how it is shown and whether it is wanted (contract §7). */
export const notificationTypes = ['mention', 'reply', 'dm', 'system'] as const;
export type NotificationType = (typeof notificationTypes)[number];

/** All kinds of notifications, with their types. */
export const typeOfKind = {
  'message.mention': 'mention',
  'message.reply': 'reply',
  'thread.reply': 'reply',
  'dm.message': 'dm',
  'friendship.request': 'system',
  'friendship.accepted': 'system',
  'server.member_joined': 'system',
  'server.kicked': 'system',
  'server.banned': 'system',
  'server.invite': 'system',
  'server.join_request': 'system',
  'channel.member_added': 'system',
  'channel.join_request': 'system',
  'agent.webhook_stopped': 'system',
  'agent.webhook_set': 'system',
  'agent.token_created': 'system',
} as const satisfies Record<string, NotificationType>;

export type NotificationKind = keyof typeof typeOfKind;

export const strategies = ['all', 'mention_only', 'none'] as const;
export type Strategy = (typeof strategies)[number];
