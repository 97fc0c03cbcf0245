import {
  agents,
  bans,
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
import { polls, pollVotes, serverEmoji } from './expression.table.ts';
import { appFiles, apps, nodes, pictures, workspaces } from './files.table.ts';
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
  channels,
  channelOverrides,
  channelMembers,
  channelReads,
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
  workspaces,
  nodes,
  apps,
  appFiles,
  pictures,
];
