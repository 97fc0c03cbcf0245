import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { newThread, pathTo } from './paths.ts';
import type { Scope } from './scope.ts';
import { keptKeys, type Surroundings } from './surroundings.ts';

export { pathTo } from './paths.ts';

/** A page of the app, as its address says: reloads and links lead to the same one. */
export type Route =
  | { name: 'home' | (typeof plain)[number] }
  | { name: 'invite'; code: string }
  /** An app asks to act for the user; `asked` are the parameters that it sent. */
  | { name: 'authorize' | 'device'; asked: string }
  | { name: 'later'; section: LaterSection }
  | { name: 'admin'; section: AdminSection }
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
  /** The message that a thread is to start from, which begins with its first reply. */
  parentId?: string | null;
}

const settingsSections = [
  'profile',
  'appearance',
  'account',
  'devices',
  'notifications',
  'agents',
  'tokens',
  'invites',
] as const;
export type SettingsSection = (typeof settingsSections)[number];
const laterSections = ['saved', 'done', 'scheduled', 'drafts'] as const;
export type LaterSection = (typeof laterSections)[number];
const adminSections = [
  ...(['overview', 'reports', 'people', 'bans', 'servers', 'nodes', 'storage'] as const),
  ...(['jobs', 'trials', 'settings', 'log'] as const),
] as const;
export type AdminSection = (typeof adminSections)[number];
const serverSections = [
  'overview',
  'members',
  'roles',
  'channels',
  'messages',
  'invites',
  'agents',
  'emoji',
  'filters',
  'held',
  'reports',
  'audit',
] as const;
export type ServerSection = (typeof serverSections)[number];

const plain = [
  'messages',
  'friends',
  'discover',
  'notifications',
  'threads',
  'not-sent',
  'login',
  'register',
  'code',
  'forgot',
  'oauth-callback',
  'verify-email',
  'undo-email',
] as const;

/** Which page is shown: the address decides, and links change it without loading a page. */
export class Router {
  readonly route: ReadonlySignal<Route>;
  private readonly path: Signal<string>;
  private readonly surroundings: Surroundings;

  constructor(surroundings: Surroundings, scope: Scope) {
    this.surroundings = surroundings;
    this.path = signal(surroundings.path());
    this.route = computed(() => routeOf(this.path.value));
    scope.add(
      surroundings.onMoved(() => {
        this.path.value = surroundings.path();
      }),
    );
  }

  readonly navigate = (to: string, options: { replace?: boolean } = {}): void => {
    const from = this.path.peek();
    if (to === from) return;
    // A message of the conversation that is shown already is no page to come back from.
    const replace = options.replace ?? settledPath(routeOf(to)) === (settledPath(this.route.peek()) ?? from);
    this.surroundings.setPath(to, replace);
    this.path.value = to;
  };

  /** The message that the address leads to is shown: the address leads to its conversation from now on. */
  settle(): void {
    const path = settledPath(this.route.peek());
    if (path) this.navigate(path, { replace: true });
  }

  /** Stores a conversation to return to. */
  remember(): void {
    this.surroundings.local.setItem(keptKeys.place, this.path.peek());
  }

  get remembered(): string | null {
    return this.surroundings.local.getItem(keptKeys.place);
  }

  /** @returns the path of an address that leads to a conversation or another page of this server, else null */
  pathWithin(address: string): string | null {
    if (!URL.canParse(address)) return null;
    const { origin, pathname } = new URL(address);
    return origin === this.surroundings.origin && /^\/app\/(?:s|dm|invite)\/./.test(pathname) ? pathname : null;
  }
}

/** The path of the conversation or thread around a message; null: the address does not lead to a message. */
export function settledPath(here: Route): string | null {
  if (!('messageId' in here) || here.messageId === null) return null;
  const { serverId, channelId, threadId } = here;
  return threadId ? pathTo.thread(serverId, channelId, threadId) : pathTo.channel(serverId, channelId);
}

/** @param text the path of an address */
export function routeOf(text: string): Route {
  const [first = '', ...rest] = text
    .replace(/^\/app\/?/, '')
    .split('/')
    .map(decoded);
  const [second, third, ...others] = rest;
  if (first === 'invite' && second) return { name: 'invite', code: second };
  if (first === 'authorize' || first === 'device') return { name: first, asked: second ?? '' };
  if (first === 's' && second) return inServer(second, third, others);
  if (first === 'dm' && second) {
    return { name: 'dm', serverId: null, channelId: second, ...within(third ? [third, ...others] : []) };
  }
  if (first === 'later') return { name: 'later', section: oneOf(laterSections, second) ?? 'saved' };
  if (first === 'admin') return { name: 'admin', section: oneOf(adminSections, second) ?? 'overview' };
  if (first === 'settings') {
    return { name: 'settings', section: oneOf(settingsSections, second) ?? 'profile', id: third ?? null };
  }
  return { name: oneOf(plain, first) ?? 'home' };
}

function inServer(serverId: string, what: string | undefined, rest: string[]): Route {
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

function within(parts: (string | null)[]): Omit<InChannel, 'channelId'> {
  const [first = null, threadId = null, messageId = null] = parts;
  if (first === 'thread' && threadId === newThread) return { messageId: null, threadId: null, parentId: messageId };
  return first === 'thread' ? { messageId, threadId } : { messageId: first, threadId: null };
}
