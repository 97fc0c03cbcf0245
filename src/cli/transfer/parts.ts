import {
  agents,
  bans,
  channelMembers,
  channelReads,
  channels,
  joinRequests,
  members,
  policies,
  servers,
  users,
} from './community.parts.ts';
import { appFiles, apps, nodes, workspaces } from './files.parts.ts';
import type { Part } from './part.ts';
import { attachments, messages, reactions, threads } from './talk.parts.ts';

/** All parts, each after those it refers to. */
export const parts: Part[] = [
  users,
  agents,
  servers,
  members,
  bans,
  channels,
  channelMembers,
  channelReads,
  joinRequests,
  policies,
  threads,
  messages,
  reactions,
  attachments,
  workspaces,
  nodes,
  apps,
  appFiles,
];
