import { defineEntity, p } from '@mikro-orm/core';
import type { Form } from '../../contract/component.ts';
import type { interactionKinds, UseState, Values } from '../../contract/interaction.ts';
import type { Invoked } from '../../contract/invoked.ts';
import { Agent } from './agent.entity.ts';
import { Channel } from './channel.entity.ts';
import { User } from './user.entity.ts';

/**
 * Who used what can be used once (contract §6, Interactions). It stays as long as its message, which is no foreign key: that
 * would refuse to let messages be partitioned.
 */
const ComponentUseSchema = defineEntity({
  name: 'ComponentUse',
  tableName: 'component_uses',
  uniques: [{ name: 'component_uses_once', properties: ['messageId', 'componentId', 'userId'] }],
  properties: {
    id: p.uuid().primary(),
    messageId: p.uuid(),
    componentId: p.string().columnType('text'),
    /** Null once the account is deleted: what can be used once does not come back. */
    userId: () => p.manyToOne(User).mapToPk().fieldName('user_id').nullable().deleteRule('set null').index(),
    channelId: () => p.manyToOne(Channel).mapToPk().fieldName('channel_id').deleteRule('cascade').index(),
    usedAt: p.datetime(3),
  },
});

export class ComponentUse extends ComponentUseSchema.class {}
ComponentUseSchema.setClass(ComponentUse);

/** Someone's use of a component or a command of a bot, with what the bot has answered so far. It is kept for a week. */
const InteractionSchema = defineEntity({
  name: 'Interaction',
  tableName: 'interactions',
  indexes: [
    { name: 'interactions_of_user', properties: ['userId', 'createdAt'] },
    {
      name: 'interactions_nonce',
      expression: 'create index interactions_nonce on interactions (user_id, nonce) where nonce is not null',
    },
    {
      name: 'interactions_parent',
      expression: 'create unique index interactions_parent on interactions (parent_id) where parent_id is not null',
    },
  ],
  properties: {
    id: p.uuid().primary(),
    kind: p.string().columnType('text').$type<(typeof interactionKinds)[number]>(),
    agentId: () => p.manyToOne(Agent).mapToPk().fieldName('agent_id').deleteRule('cascade').index(),
    userId: () => p.manyToOne(User).mapToPk().fieldName('user_id').deleteRule('cascade').index(false),
    serverId: p.uuid().nullable(),
    channelId: () => p.manyToOne(Channel).mapToPk().fieldName('channel_id').deleteRule('cascade').index(),
    threadId: p.uuid().nullable(),
    /** The message with the component. */
    messageId: p.uuid().nullable(),
    componentId: p.string().columnType('text').nullable(),
    command: p.json<Invoked>().columnType('json').nullable(),
    /** The interaction that was answered with the form that this one sends: each form is sent once. */
    parentId: p.uuid().nullable(),
    given: p.json<Values>().columnType('json'),
    nonce: p.string().columnType('text').nullable(),
    state: p.string().columnType('text').$type<UseState>().default('waiting'),
    note: p.string().columnType('text').nullable(),
    form: p.json<Form>().columnType('json').nullable(),
    /** How often the bot has said something else about it. */
    changes: p.integer().default(0),
    /** The keys of replies and ephemeral replies to it. */
    answers: p.array().columnType('text[]').default([]),
    createdAt: p.datetime(3).index(),
    updatedAt: p.datetime(3),
    endsAt: p.datetime(3),
  },
});

export class Interaction extends InteractionSchema.class {}
InteractionSchema.setClass(Interaction);

/** A reply for one person alone, until it ends. Once it was dismissed its text is gone. */
const EphemeralSchema = defineEntity({
  name: 'EphemeralReply',
  tableName: 'ephemerals',
  indexes: [{ name: 'ephemerals_of_user', properties: ['userId', 'id'] }],
  uniques: [{ name: 'ephemerals_once', properties: ['interactionId', 'key'] }],
  properties: {
    id: p.uuid().primary(),
    interactionId: () =>
      p.manyToOne(Interaction).mapToPk().fieldName('interaction_id').deleteRule('cascade').index(false),
    /** By which a repeat is recognised. */
    key: p.string().columnType('text'),
    agentId: () => p.manyToOne(Agent).mapToPk().fieldName('agent_id').deleteRule('cascade').index(),
    userId: () => p.manyToOne(User).mapToPk().fieldName('user_id').deleteRule('cascade').index(false),
    channelId: () => p.manyToOne(Channel).mapToPk().fieldName('channel_id').deleteRule('cascade').index(),
    threadId: p.uuid().nullable(),
    replyToId: p.uuid().nullable(),
    content: p.string().columnType('text'),
    createdAt: p.datetime(3),
    endsAt: p.datetime(3).index(),
    dismissedAt: p.datetime(3).nullable(),
  },
});

export class EphemeralReply extends EphemeralSchema.class {}
EphemeralSchema.setClass(EphemeralReply);
