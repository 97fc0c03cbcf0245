import { z } from 'zod';
import { type NotificationKind, typeOfKind } from '../../contract/notification.ts';
import { id, part, smallCount, text, time } from './part.ts';
import { chosenChannels, contacts, liveMessages, people } from './selections.table.ts';

/** Notifications of messages. The others are of people, and of what their installation did. */
const kinds = [
  ...([
    'message.mention',
    'message.keyword',
    'message.reply',
    'thread.reply',
    'dm.message',
    'channel.message',
  ] as const),
] satisfies NotificationKind[];

const listed = kinds.map((kind) => `'${kind}'`).join(', ');

/** Those of people who move, about messages that do. What shows a message that is deleted is about to be withdrawn. */
const ofMessages = `notifications t WHERE t.kind IN (${listed}) AND t.user_id IN (${contacts})
  AND t.channel_id IN (${chosenChannels})
  AND ((t.reference_type = 'message' AND EXISTS (SELECT FROM messages r LEFT JOIN threads h ON h.id = r.thread_id
      WHERE r.channel_id = t.channel_id AND r.id = t.reference_id AND r.deleted_at IS NULL AND h.deleted_at IS NULL))
    OR (t.reference_type = 'channel' AND t.reference_id = t.channel_id))`;

const title = 1024;
const body = 4096;

export const notifications = part({
  table: 'notifications',
  shape: z.object({
    id,
    userId: id,
    kind: z.enum(kinds),
    title: text(title),
    body: text(body),
    referenceType: z.enum(['message', 'channel']),
    referenceId: id,
    senderId: id.nullable(),
    serverId: id.nullable(),
    channelId: id,
    scope: id,
    aggregatedCount: smallCount.min(1),
    readAt: time.nullable(),
    createdAt: time,
    updatedAt: time,
  }),
  from: `${ofMessages} ORDER BY t.id`,
  // Whoever wrote it is in the file; of other senders nothing is.
  select: { senderId: `CASE WHEN t.sender_id IN (${people}) THEN t.sender_id END` },
  refers: { userId: 'users', senderId: 'users', serverId: 'servers', channelId: 'channels' },
  derive: ({ kind }) => ({ type: kinds.flatMap((known) => (known === kind ? typeOfKind[known] : []))[0] }),
});

/** Which messages they count: one that is deleted later is taken out of them. */
export const notificationSources = part({
  table: 'notification_sources',
  shape: z.object({ messageId: id, userId: id, notificationId: id, wasRead: z.boolean(), at: time }),
  from: `notification_sources t JOIN (${liveMessages}) m ON m.id = t.message_id
    WHERE t.notification_id IN (SELECT t.id FROM ${ofMessages}) ORDER BY m.channel_id, m.seq, t.user_id`,
  refers: { messageId: 'messages', userId: 'users', notificationId: 'notifications' },
});

const level = z.enum(['all', 'mentions']);

/** What people chose to be notified of in single channels; what they muted is in lists of their own, and stays. */
export const channelLevels = part({
  table: 'channel_levels',
  shape: z.object({ channelId: id, userId: id, level }),
  from: `channel_levels t WHERE t.channel_id IN (${chosenChannels}) AND t.user_id IN (${contacts})
    ORDER BY t.channel_id, t.user_id`,
  refers: { channelId: 'channels', userId: 'users' },
});

export const serverLevels = part({
  table: 'server_levels',
  shape: z.object({ serverId: id, userId: id, level }),
  from: `server_levels t WHERE t.server_id = $1 AND t.user_id IN (${contacts}) ORDER BY t.user_id`,
  refers: { serverId: 'servers', userId: 'users' },
});

/** Of those who move, and sign in where the server goes. */
export const favorites = part({
  table: 'channel_favorites',
  shape: z.object({ channelId: id, userId: id, position: smallCount }),
  from: `channel_favorites t WHERE t.channel_id IN (${chosenChannels}) AND t.user_id IN (${contacts})
    ORDER BY t.user_id, t.channel_id`,
  refers: { channelId: 'channels', userId: 'users' },
});
