/** What stores bytes: files of messages, sent or not; pictures; files of workspaces; files of apps. */
export const storageKinds = ['messages', 'pictures', 'workspaces', 'apps'] as const;

/** Whose quota has no room: the account's, the server's, that of all files here, or of a workspace or of apps of a server. */
export type QuotaOwner = 'account' | 'server' | 'installation' | 'workspace' | 'apps';
