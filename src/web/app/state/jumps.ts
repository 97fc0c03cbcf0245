import type { Message } from '../../../languages/catalogue.ts';
import { pathTo } from './paths.ts';

/** A page that is two keys away: `g`, and its own. */
export interface Jump {
  key: string;
  label: Message;
  /** Null: there is none in no server. */
  path(serverId: string | null): string | null;
}

export const jumps: readonly Jump[] = [
  { key: 'h', label: 'Friends and messages', path: () => '/app/messages' },
  { key: 'n', label: 'Notifications', path: () => '/app/notifications' },
  { key: 't', label: 'Threads', path: () => pathTo.threads },
  { key: 'l', label: 'Later', path: () => pathTo.later('saved') },
  { key: 'd', label: 'Drafts', path: () => pathTo.later('drafts') },
  { key: 'e', label: 'Discover servers', path: () => '/app/discover' },
  { key: 'w', label: 'Files', path: (serverId) => serverId && pathTo.files(serverId, null) },
  { key: 's', label: 'Settings', path: () => pathTo.settings('profile') },
];
