import { type Section, section } from './section-page.table.ts';

/** Bots, without their tokens and the secrets of their webhooks. */
export const agents: Section[] = [
  section(
    'agents',
    'Your bots',
    `a.id, a.user_id AS "userId", u.username, u.display_name AS "displayName", u.avatar_url AS "avatarUrl", a.status,
     a.config, a.slash_commands AS "slashCommands", a.usage_snapshot AS "usageSnapshot",
     a.online_seconds AS "onlineSeconds", a.last_seen_at AS "lastSeenAt", a.last_heartbeat AS "lastHeartbeatAt",
     a.created_at AS "createdAt", a.updated_at AS "updatedAt", u.deleted_at AS "deletedAt"`,
    'agents a JOIN users u ON u.id = a.user_id WHERE a.owner_id = $1',
    'a.id',
  ),
  section(
    'agent-tokens',
    'Tokens of your bots',
    't.id, t.agent_id AS "agentId", t.created_at AS "createdAt", t.ends_at AS "endsAt"',
    'agents a JOIN agent_tokens t ON t.agent_id = a.id WHERE a.owner_id = $1',
    't.id',
  ),
  // What a server's admins have set is theirs.
  section(
    'agent-policies',
    'What your bots may do',
    `p.id, p.agent_id AS "agentId", p.server_id AS "serverId", p.channel_id AS "channelId", p.mode,
     p.mention_only AS "mentionOnly", p.reply, p.listen, p.config, p.owner_half AS "setByYou",
     p.created_at AS "createdAt", p.updated_at AS "updatedAt"`,
    'agents a JOIN agent_policies p ON p.agent_id = a.id WHERE a.owner_id = $1',
    'p.id',
  ),
  section(
    'agent-webhooks',
    'Webhooks of your bots',
    `w.agent_id AS "agentId", w.url, w.state, w.stopped_at AS "stoppedAt", w.created_at AS "createdAt",
     w.updated_at AS "updatedAt"`,
    'agents a JOIN webhooks w ON w.agent_id = a.id WHERE a.owner_id = $1',
    'w.agent_id',
  ),
  section(
    'apps',
    'Apps you published',
    `p.id, p.server_id AS "serverId", p.name, p.slug, p.type, p.status, p.description, p.icon_url AS "iconUrl", p.url,
     p.version, p.created_at AS "createdAt", p.updated_at AS "updatedAt"`,
    'apps p JOIN server_members m ON m.server_id = p.server_id AND m.user_id = $1 WHERE p.created_by = $1',
    'p.id',
  ),
];
