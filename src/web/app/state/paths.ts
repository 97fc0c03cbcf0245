import type { AdminSection, LaterSection, ServerSection, SettingsSection } from './router.ts';

interface MessageAddress {
  id: string;
  channelId: string;
  threadId: string | null;
}

export const pathTo = {
  server: (serverId: string) => `/app/s/${serverId}`,
  channel: (serverId: string | null, channelId: string) =>
    serverId ? `/app/s/${serverId}/${channelId}` : `/app/dm/${channelId}`,
  message: (serverId: string | null, channelId: string, messageId: string) =>
    `${pathTo.channel(serverId, channelId)}/${messageId}`,
  thread: (serverId: string | null, channelId: string, threadId: string) =>
    `${pathTo.channel(serverId, channelId)}/thread/${threadId}`,
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
  invite: (code: string) => `/app/invite/${encodeURIComponent(code)}`,
};

/** Where a notification is from: of a push as much as is needed. */
interface Place {
  kind: string;
  body: string;
  serverId: string | null;
  channelId: string | null;
  referenceType: string | null;
  referenceId: string | null;
}

/** The path of what a notification is about. */
export function pathOf({ referenceType, referenceId, serverId, channelId, kind, body }: Place): string {
  if (kind === 'server.invite' && body) return pathTo.invite(body);
  if (kind.startsWith('friendship.') || referenceType === 'handover') return '/app/friends';
  if (referenceType === 'later') return pathTo.later('saved');
  if (referenceType === 'scheduled') return pathTo.later('scheduled');
  if (kind.startsWith('account.')) return pathTo.settings('account');
  if (referenceType === 'agent' && referenceId) return pathTo.agent(referenceId);
  if (serverId && kind.endsWith('.join_request')) return pathTo.manage(serverId, 'invites');
  if (channelId && referenceType === 'message' && referenceId) return pathTo.message(serverId, channelId, referenceId);
  if (channelId) return pathTo.channel(serverId, channelId);
  return serverId ? pathTo.server(serverId) : '/app/notifications';
}
