import { z } from 'zod';
import { AppError } from './errors.ts';

/** What a personal access token may be limited to (contract §3). */
const areas = ['messages', 'servers', 'workspace', 'agents', 'account'] as const;
export type Area = (typeof areas)[number];

/** `user`: every area. `write` includes `read`. */
export const scopes = ['user', ...areas].flatMap((of) => [`${of}:read`, `${of}:write`]);

/** The scopes of a personal access token; null for sessions and bots, which need none. */
export type Granted = readonly string[] | null;

/** The area of each group of calls and events; null: it takes any token. */
const areaOfGroup = {
  Accounts: 'account',
  Agents: 'agents',
  Apps: 'servers',
  Channels: 'servers',
  'Direct messages': 'messages',
  Documents: null,
  Events: 'messages',
  Friends: 'account',
  'Identity providers': 'account',
  Interactions: 'messages',
  'Incoming webhooks': 'servers',
  'Invite codes': 'account',
  'Join requests': 'servers',
  Later: 'messages',
  Media: 'messages',
  Membership: 'account',
  Mentions: 'messages',
  Messages: 'messages',
  'Model Context Protocol': null,
  Models: 'agents',
  Notifications: 'messages',
  'OAuth apps': 'account',
  Operators: 'account',
  Pages: null,
  'Personal access tokens': 'account',
  Presence: 'messages',
  'Read receipts': 'messages',
  Reactions: 'messages',
  Polls: 'messages',
  Reports: 'messages',
  Rooms: 'messages',
  Search: 'messages',
  Servers: 'servers',
  Sessions: 'account',
  Threads: 'messages',
  Webhooks: 'agents',
  Workspace: 'workspace',
} as const satisfies Record<string, Area | null>;

/** The name of a group of calls and events. */
export type Group = keyof typeof areaOfGroup;

/** What a call or an event needs of a personal access token. */
export interface Needed {
  tag: Group;
  /** In place of the area of its group. */
  areas?: readonly Area[];
}

/** The scopes that a token needs for a call, each of them. */
export const scopesOfCall = (call: Needed & { method: string }): string[] => scopesFor(call, call.method !== 'GET');

/** The same for an event that a client sends. */
export const scopesOfEvent = (event: Needed & { readOnly?: boolean }): string[] => scopesFor(event, !event.readOnly);

/** What a socket needs: the rooms of its user contain messages. */
export const scopesOfSockets = ['messages:read'];

function scopesFor({ tag, areas }: Needed, changes: boolean): string[] {
  const own = areaOfGroup[tag];
  return (areas ?? (own ? [own] : [])).map((area) => `${area}:${changes ? 'write' : 'read'}`);
}

/** Whether a token has all of these scopes; sessions and bots need none. */
export const hasScopes = (granted: Granted, needed: readonly string[]): boolean =>
  granted === null || needed.every((scope) => holds(granted, scope));

/** @throws AppError INSUFFICIENT_PAT_SCOPE, naming the first that is missing */
export function requireScopes(granted: readonly string[], needed: readonly string[]): void {
  const missing = needed.find((scope) => !holds(granted, scope));
  if (missing === undefined) return;
  const message = `This needs a personal access token with the scope ${missing}.`;
  throw new AppError('INSUFFICIENT_PAT_SCOPE', { message });
}

function holds(granted: readonly string[], scope: string): boolean {
  const [area, may] = scope.split(':');
  const enough = may === 'read' ? ['read', 'write'] : ['write'];
  return enough.some((right) => granted.includes(`${area}:${right}`) || granted.includes(`user:${right}`));
}

/** Each once, in the order of their declaration. */
const inOrder = (given: readonly string[]): string[] => scopes.filter((scope) => given.includes(scope));

const one = z.enum(scopes);

/** Several with spaces between them, as OAuth writes them. */
export const scopeTextSchema = z
  .string()
  .regex(new RegExp(`^(?:${scopes.join('|')})(?: (?:${scopes.join('|')}))*$`), `must be of: ${scopes.join(', ')}`)
  .meta({ examples: ['messages:read servers:read'] })
  .transform((text) => inOrder(text.split(' ')));

export const scopeListSchema = z.array(one).min(1).max(scopes.length).transform(inOrder);
