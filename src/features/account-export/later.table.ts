import { type Section, section } from './section-page.table.ts';

/** What someone saved for later, scheduled, and has begun to write. */
export const later: Section[] = [
  section(
    'saved-for-later',
    'Saved for later',
    `l.id, l.message_id AS "messageId", l.channel_id AS "channelId", l.note, l.remind_at AS "remindAt",
     l.reminded_at AS "remindedAt", l.done_at AS "doneAt", l.created_at AS "createdAt", l.updated_at AS "updatedAt"`,
    'saved_items l WHERE l.user_id = $1',
    'l.id',
  ),
  section(
    'scheduled-messages',
    'Scheduled messages',
    `m.id, m.channel_id AS "channelId", m.thread_id AS "threadId", m.reply_to_id AS "replyToId", m.content, m.metadata,
     ARRAY(SELECT a.id FROM attachments a WHERE a.scheduled_id = m.id ORDER BY a.place) AS "attachmentIds",
     m.send_at AS "sendAt", m.status, m.failure, m.created_at AS "createdAt", m.updated_at AS "updatedAt"`,
    'scheduled_messages m WHERE m.user_id = $1',
    'm.id',
  ),
  section(
    'drafts',
    'Drafts',
    `d.place_id AS id, d.channel_id AS "channelId", d.thread_id AS "threadId", d.reply_to_id AS "replyToId", d.content,
     d.file_ids AS "attachmentIds", d.updated_at AS "updatedAt"`,
    'drafts d WHERE d.user_id = $1',
    'd.place_id',
  ),
];
