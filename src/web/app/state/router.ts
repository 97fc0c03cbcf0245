import { computed, signal } from '@preact/signals';

/** Where in the app we are; the address says it all, so a reload and a link come to the same place. */
export type Place =
  | {
      name:
        | 'home'
        | 'friends'
        | 'discover'
        | 'notifications'
        | 'settings'
        | 'login'
        | 'register'
        | 'code'
        | 'forgot'
        | 'oauth-callback';
    }
  | { name: 'invite'; code: string }
  | { name: 'server' | 'apps'; serverId: string }
  | { name: 'files'; serverId: string; folderId: string | null }
  | ({ name: 'channel'; serverId: string } & InChannel)
  | ({ name: 'dm'; serverId: null } & InChannel);

interface InChannel {
  channelId: string;
  /** A message to show. */
  messageId: string | null;
  /** A thread that is open beside it. */
  threadId: string | null;
}

const plain = [
  'friends',
  'discover',
  'notifications',
  'settings',
  'login',
  'register',
  'code',
  'forgot',
  'oauth-callback',
] as const;
const lastPlaceKey = 'parley:place';

const path = signal(location.pathname);
export const place = computed(() => placeOf(path.value));

addEventListener('popstate', () => {
  path.value = location.pathname;
});

export function go(to: string, options: { replace?: boolean } = {}): void {
  if (to === path.value) return;
  if (options.replace) history.replaceState(null, '', to);
  else history.pushState(null, '', to);
  path.value = to;
}

function placeOf(text: string): Place {
  const parts = text
    .replace(/^\/app\/?/, '')
    .split('/')
    .map(decodeURIComponent);
  const [first = '', second, third, ...rest] = parts;
  if (first === 'invite' && second) return { name: 'invite', code: second };
  if (first === 's' && second && third === 'apps') return { name: 'apps', serverId: second };
  if (first === 's' && second && third === 'files')
    return { name: 'files', serverId: second, folderId: rest[0] ?? null };
  if (first === 's' && second && third) {
    return { name: 'channel', serverId: second, channelId: third, ...within(rest) };
  }
  if (first === 's' && second) return { name: 'server', serverId: second };
  if (first === 'dm' && second) {
    return { name: 'dm', serverId: null, channelId: second, ...within(third ? [third, ...rest] : []) };
  }
  return { name: plain.find((name) => name === first) ?? 'home' };
}

function within([first = null, second = null]: (string | null)[]): Pick<InChannel, 'messageId' | 'threadId'> {
  return first === 'thread' ? { messageId: null, threadId: second } : { messageId: first, threadId: null };
}

export const pathTo = {
  server: (serverId: string) => `/app/s/${serverId}`,
  channel: (serverId: string | null, channelId: string) =>
    serverId ? `/app/s/${serverId}/${channelId}` : `/app/dm/${channelId}`,
  message: (serverId: string | null, channelId: string, messageId: string) =>
    `${pathTo.channel(serverId, channelId)}/${messageId}`,
  thread: (serverId: string | null, channelId: string, threadId: string) =>
    `${pathTo.channel(serverId, channelId)}/thread/${threadId}`,
  apps: (serverId: string) => `/app/s/${serverId}/apps`,
  files: (serverId: string, folderId: string | null) =>
    folderId ? `/app/s/${serverId}/files/${folderId}` : `/app/s/${serverId}/files`,
  invite: (code: string) => `/app/invite/${encodeURIComponent(code)}`,
};

/** Remembers a conversation as the one to come back to. */
export function rememberPlace(): void {
  localStorage.setItem(lastPlaceKey, path.value);
}

export function rememberedPlace(): string | null {
  return localStorage.getItem(lastPlaceKey);
}

/** Lets plain left clicks on links of the app change the place without loading the page anew. */
export function followLinks(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (!link || link.target || link.origin !== location.origin || !link.pathname.startsWith('/app')) return;
  event.preventDefault();
  go(link.pathname);
}
