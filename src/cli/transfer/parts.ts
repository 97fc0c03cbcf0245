import {
  agents,
  bans,
  categories,
  channelMembers,
  channelReads,
  channels,
  filters,
  joinRequests,
  members,
  policies,
  raids,
  servers,
  timeouts,
  users,
} from './community.table.ts';
import { blocks, directs, dms, groupMembers, groups } from './direct.table.ts';
import { polls, pollVotes, serverEmoji } from './expression.table.ts';
import { appFiles, apps, nodes, pictures, workspaces } from './files.table.ts';
import { hooks, webhooks } from './hook.table.ts';
import { channelLevels, favorites, notificationSources, notifications, serverLevels } from './notice.table.ts';
import type { Part } from './part.ts';
import { channelOverrides, commandRuleHolders, commandRules, memberRoles, serverRoles } from './roles.table.ts';
import { attachments, forwards, messages, reactions, threadFollows, threads, versions } from './talk.table.ts';

/** All parts, each after those it refers to. */
export const parts: Part[] = [
  users,
  agents,
  servers,
  raids,
  members,
  bans,
  serverRoles,
  memberRoles,
  timeouts,
  filters,
  serverEmoji,
  categories,
  channels,
  directs,
  dms,
  groups,
  groupMembers,
  blocks,
  channelOverrides,
  channelMembers,
  channelReads,
  channelLevels,
  serverLevels,
  favorites,
  webhooks,
  hooks,
  joinRequests,
  policies,
  commandRules,
  commandRuleHolders,
  threads,
  threadFollows,
  messages,
  versions,
  forwards,
  reactions,
  attachments,
  polls,
  pollVotes,
  notifications,
  notificationSources,
  workspaces,
  nodes,
  apps,
  appFiles,
  pictures,
];
