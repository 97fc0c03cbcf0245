/** Paths of the web client that more than the web client names. */
export const placePaths = {
  server: (serverId: string) => `/app/s/${serverId}`,
  channel: (serverId: string | null, channelId: string) =>
    serverId ? `/app/s/${serverId}/${channelId}` : `/app/dm/${channelId}`,
  message: (serverId: string | null, channelId: string, messageId: string) =>
    `${placePaths.channel(serverId, channelId)}/${messageId}`,
  invite: (code: string) => `/app/invite/${encodeURIComponent(code)}`,
};

/** Where a notification is from: of pushes and mails as much as is needed. */
interface NotificationPlace {
  kind: string;
  /** Of an invitation the code to join with; empty: it is not to be told. */
  body: string;
  serverId: string | null;
  channelId: string | null;
  referenceType: string | null;
  referenceId: string | null;
}

/** Where the web client shows what a notification is about. */
export function notificationPath(place: NotificationPlace): string {
  const { referenceType, referenceId, serverId, channelId, kind, body } = place;
  if (kind === 'server.invite' && body) return placePaths.invite(body);
  if (kind.startsWith('friendship.') || referenceType === 'handover') return '/app/friends';
  if (referenceType === 'later') return '/app/later/saved';
  if (referenceType === 'scheduled') return '/app/later/scheduled';
  if (kind.startsWith('account.')) return '/app/settings/account';
  if (referenceType === 'agent' && referenceId) return `/app/settings/agents/${referenceId}`;
  if (serverId && kind.endsWith('.join_request')) return `${placePaths.server(serverId)}/manage/invites`;
  if (channelId && referenceType === 'message' && referenceId)
    return placePaths.message(serverId, channelId, referenceId);
  if (channelId) return placePaths.channel(serverId, channelId);
  return serverId ? placePaths.server(serverId) : '/app/notifications';
}
