import type { Message } from '../../../../languages/catalogue.ts';
import type { Permission } from '../../state/rights.ts';

/** What a role may be given: not what is the owner's alone, and not to view channels, which channels decide. */
export type Given = Exclude<Permission, 'server:delete' | 'server:hand-over' | 'channel:view'>;

const server = {
  'server:update': 'Edit the server',
  'role:manage': 'Create and assign roles',
  'app:manage': 'Manage apps',
  'app:see-all': 'See all apps',
  'bot:set-policy': 'Choose who can add bots',
  'bot:keep': 'Keep bots for the server',
  'bot:set-rights': 'Choose what bots can do',
  'retention:set': 'Set how long messages are kept',
  'emoji:manage': 'Add and remove emoji',
  'audit:read': 'View the audit log',
} as const;

const people = {
  'server:invite': 'Invite people by name',
  'invite:create': 'Create invite links',
  'invite:manage': 'See and end all invite links',
  'server:regenerate-invite': 'Renew the invite code',
  'join-request:decide': 'Approve join requests',
  'server:raid': 'Hold joins for approval',
  'member:set-role': 'Change fixed roles of members',
  'member:timeout': 'Time members out',
  'member:kick': 'Remove members',
  'member:ban': 'Ban members',
  'member:delete-messages': 'Delete a member’s recent messages',
} as const;

const channels = {
  'channel:create': 'Create channels',
  'channel:update': 'Edit channels',
  'channel:order': 'Reorder channels',
  'channel:archive': 'Archive channels',
  'channel:delete': 'Delete channels',
  'channel:override': 'Manage permissions of channels',
  'channel:see-private': 'See all private channels',
  'channel:add-member': 'Add members to channels',
  'channel:remove-member': 'Remove members from channels',
} as const;

const writing = {
  'message:post': 'Write messages',
  'channel:announce': 'Write in announcement channels',
  'message:react': 'React to messages',
  'thread:start': 'Start threads',
  'file:attach': 'Add files to messages',
  'message:mention-all': 'Mention everyone',
  'message:skip-slow-mode': 'Bypass slow mode',
  'message:skip-filters': 'Bypass filters',
} as const;

const order = {
  'message:pin': 'Pin messages',
  'message:delete-others': 'Delete other people’s messages',
  'thread:manage': 'Manage threads',
  'history:read': 'View earlier versions of edited messages',
  'report:decide': 'Handle reports',
  'held:decide': 'Approve or reject held messages',
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
  { title: 'Moderation', names: namesIn(order) },
  { title: 'People', names: namesIn(people) },
  { title: 'Channels', names: namesIn(channels) },
  { title: 'The server', names: namesIn(server) },
];
