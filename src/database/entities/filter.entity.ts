import { defineEntity, p } from '@mikro-orm/core';
import type { Components } from '../../contract/component.ts';
import type { FilterAction, FilterKind } from '../../contract/filter.ts';
import type { KeptForward } from '../../contract/forwarded.ts';
import type { HeldKind, HeldReason, HeldState } from '../../contract/held.ts';
import type { NewPoll } from '../../contract/poll.ts';
import { dateNow } from '../../infrastructure/clock.ts';
import { Channel } from './channel.entity.ts';
import { Server } from './server.entity.ts';
import { User } from './user.entity.ts';

/** A word or host that a server does not want in messages (contract §6, Filters). */
const ServerFilterSchema = defineEntity({
  name: 'ServerFilter',
  tableName: 'server_filters',
  uniques: [{ name: 'server_filters_form', properties: ['serverId', 'kind', 'form'] }],
  properties: {
    id: p.uuid().primary(),
    serverId: () => p.manyToOne(Server).mapToPk().fieldName('server_id').deleteRule('cascade').index(false),
    kind: p.string().columnType('text').$type<FilterKind>(),
    /** As it was typed. */
    pattern: p.string().columnType('text'),
    /** As it is compared. */
    form: p.string().columnType('text'),
    action: p.string().columnType('text').$type<FilterAction>(),
    createdBy: () =>
      p
        .manyToOne(User)
        .mapToPk()
        .fieldName('created_by')
        .nullable()
        .deleteRule('set null')
        .index('server_filters_creator'),
    createdAt: p.datetime(3).onCreate(dateNow),
  },
});

export class ServerFilter extends ServerFilterSchema.class {}
ServerFilterSchema.setClass(ServerFilter);

/** A message, or an edit, that waits for a moderator (contract §6, Filters). */
const HeldMessageSchema = defineEntity({
  name: 'HeldMessage',
  tableName: 'held_messages',
  indexes: [
    {
      name: 'held_messages_queue',
      expression: `create index held_messages_queue on held_messages (server_id, id) where status = 'waiting'`,
    },
    { name: 'held_messages_own', properties: ['authorId', 'channelId'] },
    { name: 'held_messages_edits', properties: ['channelId', 'messageId'], where: { messageId: { $ne: null } } },
    { name: 'held_messages_expiring', properties: ['createdAt'] },
    {
      name: 'held_messages_forwarded',
      expression: `create index held_messages_forwarded on held_messages ((forward ->> 'authorId')) where forward is not null`,
    },
    {
      name: 'held_messages_nonce',
      expression:
        'create unique index held_messages_nonce on held_messages (channel_id, author_id, nonce) where nonce is not null',
    },
    {
      name: 'held_messages_sent_key',
      expression:
        'create unique index held_messages_sent_key on held_messages (channel_id, author_id, sent_key) where sent_key is not null',
    },
  ],
  properties: {
    id: p.uuid().primary(),
    serverId: () => p.manyToOne(Server).mapToPk().fieldName('server_id').deleteRule('cascade').index(false),
    channelId: () => p.manyToOne(Channel).mapToPk().fieldName('channel_id').deleteRule('cascade').index(false),
    authorId: () => p.manyToOne(User).mapToPk().fieldName('author_id').deleteRule('cascade').index(false),
    kind: p.string().columnType('text').$type<HeldKind>(),
    /** What is edited, or was published. */
    messageId: p.uuid().nullable(),
    threadId: p.uuid().nullable(),
    replyToId: p.uuid().nullable(),
    content: p.string().columnType('text'),
    /** Of an edit: the text that it replaces. */
    previousContent: p.string().columnType('text').nullable(),
    metadata: p.json<Record<string, unknown>>().columnType('json').nullable(),
    /** The poll that is sent with it. */
    poll: p.json<NewPoll>().columnType('json').nullable(),
    /** The components that are sent with it. */
    components: p.json<Components>().columnType('json').nullable(),
    /** What it forwards, as it was then; its files wait with the others. */
    forward: p.json<KeptForward>().columnType('json').nullable(),
    /** It mentions nobody, whatever is in it. */
    namesNobody: p.boolean().default(false),
    nonce: p.string().columnType('text').nullable(),
    sentKey: p.string().columnType('text').nullable(),
    /** As of messages; `ifHead` may refuse it when it is approved, too. */
    ifHead: p.bigint('number').nullable(),
    answersTo: p.bigint('number').nullable(),
    answersWithin: p.string().columnType('text').$type<'all' | 'own' | 'commands' | 'none'>().nullable(),
    reason: p.string().columnType('text').$type<HeldReason>(),
    /** The entry that it was held for, as text: entries may be removed meanwhile. */
    pattern: p.string().columnType('text').nullable(),
    status: p.string().columnType('text').$type<HeldState>(),
    /** A moderator's node is publishing it: nobody else decides until then. */
    busyUntil: p.datetime(3).nullable(),
    decidedBy: () =>
      p
        .manyToOne(User)
        .mapToPk()
        .fieldName('decided_by')
        .nullable()
        .deleteRule('set null')
        .index('held_messages_decider'),
    decidedAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3).onCreate(dateNow),
  },
});

export class HeldMessage extends HeldMessageSchema.class {}
HeldMessageSchema.setClass(HeldMessage);
