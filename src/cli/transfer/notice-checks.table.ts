/** Notifications that a file must not have, as queries that find them. */
export const wrongNotices: [query: string, sentence: string][] = [
  [
    `SELECT n.id FROM notifications n JOIN imported i ON i.kind = 'notifications' AND i.id = n.id
       JOIN channels c ON c.id = n.channel_id JOIN users u ON u.id = n.user_id
     WHERE u.is_bot OR c.server_id IS DISTINCT FROM n.server_id`,
    'notifications.jsonl: a notification is of a bot, or of a channel in another place than it says.',
  ],
  [
    `SELECT n.id FROM notifications n JOIN imported i ON i.kind = 'notifications' AND i.id = n.id
     WHERE CASE n.reference_type WHEN 'channel' THEN n.reference_id <> n.channel_id ELSE NOT EXISTS (
       SELECT FROM messages m WHERE m.channel_id = n.channel_id AND m.id = n.reference_id AND m.deleted_at IS NULL) END`,
    'notifications.jsonl: a notification shows what is not in its channel, or is deleted.',
  ],
  [
    `SELECT n.id FROM notifications n JOIN imported i ON i.kind = 'notifications' AND i.id = n.id
     WHERE n.scope <> n.channel_id::text AND NOT EXISTS (
       SELECT FROM threads t WHERE t.id::text = n.scope AND t.channel_id = n.channel_id)`,
    'notifications.jsonl: a notification is merged with those of another channel.',
  ],
  [
    `SELECT s.message_id FROM notification_sources s JOIN notifications n ON n.id = s.notification_id
       JOIN imported i ON i.kind = 'notifications' AND i.id = n.id
     WHERE s.user_id <> n.user_id OR NOT EXISTS (
       SELECT FROM messages m WHERE m.channel_id = n.channel_id AND m.id = s.message_id AND m.deleted_at IS NULL)`,
    'notification-sources.jsonl: a notification counts a message that is not for its user, or not in its channel.',
  ],
];
