import { type Section, section, textSection } from './section-page.table.ts';

/** What someone follows and wants to hear of, what they reported, and what was decided by them and about them. */
export const decided: Section[] = [
  section(
    'threads',
    'Threads you follow, muted or read',
    `f.thread_id AS "threadId", t.channel_id AS "channelId", f.state, f.by_choice AS "isByChoice",
     f.last_read_seq AS "lastReadSeq"`,
    'thread_follows f JOIN threads t ON t.id = f.thread_id WHERE f.user_id = $1 AND t.deleted_at IS NULL',
    'f.thread_id',
  ),
  section(
    'channel-levels',
    'Notification settings of channels',
    'l.channel_id AS "channelId", l.level',
    'channel_levels l WHERE l.user_id = $1',
    'l.channel_id',
  ),
  section(
    'favorites',
    'Favourites',
    'v.channel_id AS "channelId", v.position',
    'channel_favorites v WHERE v.user_id = $1',
    'v.channel_id',
  ),
  section(
    'server-levels',
    'Notification settings of servers',
    'l.server_id AS "serverId", l.level',
    'server_levels l WHERE l.user_id = $1',
    'l.server_id',
  ),
  textSection(
    'keywords',
    'Keywords',
    'k.text',
    'notification_keywords k WHERE k.user_id = $1',
    `to_char(k.place, 'FM0000')`,
  ),
  section(
    'instance-ban',
    'Your ban from this installation',
    'b.id, b.reason, b.until AS "bannedUntil", b.created_at AS "createdAt"',
    'instance_bans b WHERE b.user_id = $1',
    'b.id',
  ),
  section(
    'reports',
    'What you reported',
    `r.id, c.kind, c.object_id AS "objectId", c.server_id AS "serverId", r.category, r.text, r.created_at AS "createdAt",
     c.decided_at AS "decidedAt"`,
    'reports r JOIN report_cases c ON c.id = r.case_id WHERE r.reporter_id = $1',
    'r.id',
  ),
  section(
    'report-decisions',
    'Reports you decided',
    `c.id, c.kind, c.object_id AS "objectId", c.server_id AS "serverId", c.action, c.reason, c.created_at AS "createdAt",
     c.decided_at AS "decidedAt"`,
    'report_cases c WHERE c.decided_by = $1',
    'c.id',
  ),
];
