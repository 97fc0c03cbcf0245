import type { Message } from '../../../../languages/catalogue.ts';
import type { Permission } from '../../state/rights.ts';

/** What a role may be given: not what is the owner's alone, and not to view channels, which channels decide. */
export type Given = Exclude<Permission, 'server:delete' | 'server:hand-over' | 'channel:view'>;

const server = {
  'server:update': 'Change the server',
  'role:manage': 'Make and give roles',
  'app:manage': 'Manage apps',
  'app:see-all': 'See all apps',
  'bot:set-policy': 'Decide who brings agents',
  'bot:keep': 'Keep agents for the server',
  'bot:set-rights': 'Decide what agents may do',
  'retention:set': 'Set how long messages are kept',
  'emoji:manage': 'Add and remove emoji',
  'audit:read': 'Read who did what',
} as const;

const people = {
  'server:invite': 'Invite people by name',
  'invite:create': 'Make invite links',
  'invite:manage': 'See and end all invite links',
  'server:regenerate-invite': 'Renew the invite code',
  'join-request:decide': 'Decide who may join',
  'server:raid': 'Hold joins for approval',
  'member:set-role': 'Change fixed roles of members',
  'member:timeout': 'Time members out',
  'member:kick': 'Remove members',
  'member:ban': 'Ban members',
  'member:delete-messages': 'Delete last messages of a member',
} as const;

const channels = {
  'channel:create': 'Create channels',
  'channel:update': 'Change channels',
  'channel:order': 'Put channels in order',
  'channel:archive': 'Archive channels',
  'channel:delete': 'Delete channels',
  'channel:override': 'Decide who may do what in a channel',
  'channel:see-private': 'See all private channels',
  'channel:add-member': 'Add members to channels',
  'channel:remove-member': 'Take members out of channels',
} as const;

const writing = {
  'message:post': 'Write messages',
  'channel:announce': 'Write in announcement channels',
  'message:react': 'React to messages',
  'thread:start': 'Start threads',
  'file:attach': 'Add files to messages',
  'message:mention-all': 'Mention everyone',
  'message:skip-slow-mode': 'Write without waiting in slow mode',
  'message:skip-filters': 'Write past the filters',
} as const;

const order = {
  'message:pin': 'Pin messages',
  'message:delete-others': 'Delete messages of others',
  'thread:manage': 'Manage threads',
  'history:read': 'Read what edited messages said before',
  'report:decide': 'Decide about reports',
  'held:decide': 'Decide about held messages',
  'filter:manage': 'Set filters',
} as const;

/** Every permission in plain words: a new one without words does not compile. */
const words: Record<Given, Message> = { ...server, ...people, ...channels, ...writing, ...order };

const isGiven = (name: string): name is Given => Object.hasOwn(words, name);
const namesIn = (group: object) => Object.keys(group).filter(isGiven);

export const wordsFor = (name: Given): Message => words[name];

/** The permissions in groups, in the order in which they are shown. */
export const permissionGroups: readonly { title: Message; names: Given[] }[] = [
  { title: 'Writing', names: namesIn(writing) },
  { title: 'Keeping order', names: namesIn(order) },
  { title: 'People', names: namesIn(people) },
  { title: 'Channels', names: namesIn(channels) },
  { title: 'The server', names: namesIn(server) },
];
