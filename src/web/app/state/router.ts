import { computed, signal } from '@preact/signals';
import { keptKeys } from './kept.ts';

/** The current place in the app; the address determines it, so reloads and links lead to the same place. */
export type Place =
  | { name: 'home' | (typeof plain)[number] }
  | { name: 'invite'; code: string }
  | { name: 'settings'; section: SettingsSection; id: string | null }
  | { name: 'server' | 'home-page'; serverId: string }
  | { name: 'manage'; serverId: string; section: ServerSection }
  | { name: 'apps'; serverId: string; appId: string | null }
  | { name: 'files'; serverId: string; folderId: string | null }
  | ({ name: 'channel'; serverId: string } & InChannel)
  | ({ name: 'dm'; serverId: null } & InChannel);

interface InChannel {
  channelId: string;
  /** A message to show; in the thread, if one is open. */
  messageId: string | null;
  /** A thread open beside the channel. */
  threadId: string | null;
}

const settingsSections = ['profile', 'account', 'devices', 'notifications', 'agents', 'tokens', 'invites'] as const;
export type SettingsSection = (typeof settingsSections)[number];
const serverSections = ['overview', 'members', 'channels', 'invites', 'agents'] as const;
export type ServerSection = (typeof serverSections)[number];

const plain = [
  'messages',
  'friends',
  'discover',
  'notifications',
  'not-sent',
  'login',
  'register',
  'code',
  'forgot',
  'oauth-callback',
  'verify-email',
] as const;

const path = signal(location.pathname);
export const place = computed(() => placeOf(path.value));

addEventListener('popstate', () => {
  path.value = location.pathname;
});

export function go(to: string, options: { replace?: boolean } = {}): void {
  if (to === path.value) return;
  // Behind an open dialog nothing can have the focus, so the new place would not get it.
  for (const dialog of document.querySelectorAll<HTMLDialogElement>('dialog[open]')) dialog.close();
  if (options.replace) history.replaceState(null, '', to);
  else history.pushState(null, '', to);
  path.value = to;
}

/** @param text the path of an address */
export function placeOf(text: string): Place {
  const [first = '', ...rest] = text
    .replace(/^\/app\/?/, '')
    .split('/')
    .map(decoded);
  const [second, third, ...others] = rest;
  if (first === 'invite' && second) return { name: 'invite', code: second };
  if (first === 's' && second) return inServer(second, third, others);
  if (first === 'dm' && second) {
    return { name: 'dm', serverId: null, channelId: second, ...within(third ? [third, ...others] : []) };
  }
  if (first === 'settings') {
    return { name: 'settings', section: oneOf(settingsSections, second) ?? 'profile', id: third ?? null };
  }
  return { name: oneOf(plain, first) ?? 'home' };
}

/** @returns the path of an address that leads to a conversation or another page of this server, else null */
export function pathWithin(address: string): string | null {
  if (!URL.canParse(address)) return null;
  const { origin, pathname } = new URL(address);
  return origin === location.origin && /^\/app\/(?:s|dm|invite)\/./.test(pathname) ? pathname : null;
}

function inServer(serverId: string, what: string | undefined, rest: string[]): Place {
  const [first = null] = rest;
  if (!what) return { name: 'server', serverId };
  if (what === 'home') return { name: 'home-page', serverId };
  if (what === 'apps') return { name: 'apps', serverId, appId: first };
  if (what === 'files') return { name: 'files', serverId, folderId: first };
  if (what === 'manage') return { name: 'manage', serverId, section: oneOf(serverSections, first) ?? 'overview' };
  return { name: 'channel', serverId, channelId: what, ...within(rest) };
}

function oneOf<T extends string>(list: readonly T[], text: string | null | undefined): T | undefined {
  return list.find((one) => one === text);
}

/** A malformed escape is no reason to show nothing at all. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function within(parts: (string | null)[]): Pick<InChannel, 'messageId' | 'threadId'> {
  const [first = null, threadId = null, messageId = null] = parts;
  return first === 'thread' ? { messageId, threadId } : { messageId: first, threadId: null };
}

interface Said {
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
  /** The location of a message: its channel, or its thread. */
  said: (serverId: string | null, { channelId, threadId, id }: Said) =>
    threadId ? `${pathTo.thread(serverId, channelId, threadId)}/${id}` : pathTo.message(serverId, channelId, id),
  homePage: (serverId: string) => `/app/s/${serverId}/home`,
  apps: (serverId: string) => `/app/s/${serverId}/apps`,
  app: (serverId: string, appId: string) => `/app/s/${serverId}/apps/${appId}`,
  manage: (serverId: string, section: ServerSection) => `/app/s/${serverId}/manage/${section}`,
  settings: (section: SettingsSection) => `/app/settings/${section}`,
  agent: (agentId: string) => `/app/settings/agents/${agentId}`,
  files: (serverId: string, folderId: string | null) =>
    folderId ? `/app/s/${serverId}/files/${folderId}` : `/app/s/${serverId}/files`,
  notSent: '/app/not-sent',
  invite: (code: string) => `/app/invite/${encodeURIComponent(code)}`,
};

/** Whether lists and the selected item are shown side by side. */
export const isWide = (): boolean => matchMedia('(min-width: 700px)').matches;

/** Remembers a conversation to return to. */
export function rememberPlace(): void {
  localStorage.setItem(keptKeys.place, path.value);
}

export function rememberedPlace(): string | null {
  return localStorage.getItem(keptKeys.place);
}

/** Makes plain left clicks on links within the app change the place without reloading the page. */
export function followLinks(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (!link || link.target || link.origin !== location.origin || !link.pathname.startsWith('/app')) return;
  event.preventDefault();
  go(link.pathname);
}
