import { selectMayRead } from '../../access/channel.table.ts';

/**
 * SQL of whether someone may still be told of notification `n`: they may read where it is from, have not muted that, and have
 * not blocked who it is from, nor that bot's owner. Pushes and mails both ask by this, since they tell later.
 */
export const mayStillBeTold = `(n.channel_id IS NULL
    OR EXISTS (SELECT FROM channels c WHERE c.id = n.channel_id AND ${selectMayRead('n.user_id')}))
  AND (n.type = 'system' OR NOT EXISTS (SELECT FROM notification_preferences m WHERE m.user_id = n.user_id
    AND (n.server_id = ANY(m.muted_server_ids) OR n.channel_id = ANY(m.muted_channel_ids))))
  AND (n.kind = 'server.kicked' OR n.kind LIKE 'agent.%' OR NOT EXISTS (SELECT FROM blocks b WHERE b.user_id = n.user_id
    AND (b.blocked_id = n.sender_id OR b.blocked_id = (SELECT owner_id FROM agents WHERE user_id = n.sender_id))))`;
