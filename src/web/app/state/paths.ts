import { placePaths } from '../../../contract/notification-path.ts';
import type { AdminSection, LaterSection, ServerSection, SettingsSection } from './router.ts';

/** In place of the id of a thread: one that begins with what is written next. */
export const newThread = 'new';

interface MessageAddress {
  id: string;
  channelId: string;
  threadId: string | null;
}

export const pathTo = {
  ...placePaths,
  thread: (serverId: string | null, channelId: string, threadId: string) =>
    `${pathTo.channel(serverId, channelId)}/thread/${threadId}`,
  /** A thread of a message that has none yet. */
  newThread: (serverId: string | null, channelId: string, messageId: string) =>
    `${pathTo.thread(serverId, channelId, newThread)}/${messageId}`,
  /** A message in its channel, or in its thread. */
  messageOrThread: (serverId: string | null, { channelId, threadId, id }: MessageAddress) =>
    threadId ? `${pathTo.thread(serverId, channelId, threadId)}/${id}` : pathTo.message(serverId, channelId, id),
  homePage: (serverId: string) => `/app/s/${serverId}/home`,
  apps: (serverId: string) => `/app/s/${serverId}/apps`,
  app: (serverId: string, appId: string) => `/app/s/${serverId}/apps/${appId}`,
  manage: (serverId: string, section: ServerSection) => `/app/s/${serverId}/manage/${section}`,
  admin: (section: AdminSection) => `/app/admin/${section}`,
  settings: (section: SettingsSection) => `/app/settings/${section}`,
  agent: (agentId: string) => `/app/settings/agents/${agentId}`,
  files: (serverId: string, folderId: string | null) =>
    folderId ? `/app/s/${serverId}/files/${folderId}` : `/app/s/${serverId}/files`,
  later: (section: LaterSection) => `/app/later/${section}`,
  notSent: '/app/not-sent',
  threads: '/app/threads',
};
