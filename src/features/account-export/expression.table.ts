import { type Section, section, textSection } from './section-page.table.ts';

const reactions = textSection(
  'reactions',
  'Your reactions',
  'r.message_id AS "messageId", r.emoji',
  'reactions r WHERE r.user_id = $1',
  `r.message_id || ' ' || r.emoji`,
);

const votes = textSection(
  'poll-votes',
  'Your votes in polls',
  'v.message_id AS "messageId", v.option_id AS "optionId"',
  'poll_votes v WHERE v.user_id = $1',
  `v.message_id || ' ' || lpad(v.option_id::text, 2, '0')`,
);

const emoji = section(
  'server-emoji',
  'Emoji you added to servers',
  `e.id, e.server_id AS "serverId", e.name, e.url, e.created_at AS "createdAt"`,
  'server_emoji e JOIN server_members m ON m.server_id = e.server_id AND m.user_id = $1 WHERE e.created_by = $1',
  'e.id',
);

const hooks = section(
  'incoming-webhooks',
  'Incoming webhooks you made',
  `h.id, h.channel_id AS "channelId", u.display_name AS name, u.avatar_url AS "avatarUrl", h.format,
   h.secret IS NOT NULL AS "isSigned", h.created_at AS "createdAt", h.last_used_at AS "lastUsedAt"`,
  `hooks h JOIN users u ON u.id = h.user_id JOIN channels c ON c.id = h.channel_id
   JOIN server_members m ON m.server_id = c.server_id AND m.user_id = $1 WHERE h.created_by = $1`,
  'h.id',
);

/** How someone answered others beside words, and what they made for others to do so. */
export const expressions: Section[] = [reactions, votes, emoji, hooks];
