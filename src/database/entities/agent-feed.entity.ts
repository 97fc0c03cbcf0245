import { defineEntity, p } from '@mikro-orm/core';
import { Agent } from './agent.entity.ts';
import { Channel } from './channel.entity.ts';

/** How far a bot has polled the log of one room (contract §4). */
const AgentFeedSchema = defineEntity({
  name: 'AgentFeed',
  tableName: 'agent_feeds',
  primaryKeys: ['agentId', 'streamId'],
  properties: {
    agentId: () => p.manyToOne(Agent).mapToPk().fieldName('agent_id').primary().deleteRule('cascade').index(false),
    /** The channel, or the bot's own user. */
    streamId: p.uuid().primary(),
    /** The position of its last poll. */
    seq: p.bigint('number'),
    polledAt: p.datetime(3).defaultRaw('now()'),
    /** Its owner has it read again from behind this number; null: it goes on. */
    replayAfter: p.bigint('number').nullable(),
    /** How often it was told that. */
    told: p.integer().default(0),
  },
});

export class AgentFeed extends AgentFeedSchema.class {}
AgentFeedSchema.setClass(AgentFeed);

/** A new version of a bot that is tried on the log of the last days; its token has the same id. */
const RehearsalSchema = defineEntity({
  name: 'Rehearsal',
  tableName: 'rehearsals',
  indexes: [{ name: 'rehearsals_of_agent', properties: ['agentId', 'id'] }],
  properties: {
    id: p.uuid().primary(),
    agentId: () => p.manyToOne(Agent).mapToPk().fieldName('agent_id').deleteRule('cascade').index(false),
    name: p.string().columnType('text'),
    /** The events from here on are played again. */
    since: p.datetime(3),
    createdAt: p.datetime(3).defaultRaw('now()'),
    endsAt: p.datetime(3),
    /** How many messages it has captured. */
    captured: p.integer().default(0),
    /** How long their texts are together. */
    capturedBytes: p.integer().default(0),
  },
});

export class Rehearsal extends RehearsalSchema.class {}
RehearsalSchema.setClass(Rehearsal);

/** The part of a room's log that is played again in a rehearsal. */
const RehearsalFeedSchema = defineEntity({
  name: 'RehearsalFeed',
  tableName: 'rehearsal_feeds',
  primaryKeys: ['rehearsalId', 'streamId'],
  properties: {
    rehearsalId: () =>
      p.manyToOne(Rehearsal).mapToPk().fieldName('rehearsal_id').primary().deleteRule('cascade').index(false),
    streamId: p.uuid().primary(),
    fromSeq: p.bigint('number'),
    untilSeq: p.bigint('number'),
    /** Up to where it was given; null: it has not begun there. */
    givenSeq: p.bigint('number').nullable(),
  },
});

export class RehearsalFeed extends RehearsalFeedSchema.class {}
RehearsalFeedSchema.setClass(RehearsalFeed);

/** A message that a rehearsing bot would have sent. */
const RehearsalSendSchema = defineEntity({
  name: 'RehearsalSend',
  tableName: 'rehearsal_sends',
  indexes: [{ name: 'rehearsal_sends_in_order', properties: ['rehearsalId', 'id'] }],
  uniques: [
    {
      name: 'rehearsal_sends_once',
      properties: ['rehearsalId', 'channelId', 'onceKey'],
      where: { onceKey: { $ne: null } },
    },
  ],
  properties: {
    id: p.uuid().primary(),
    rehearsalId: () => p.manyToOne(Rehearsal).mapToPk().fieldName('rehearsal_id').deleteRule('cascade').index(false),
    channelId: () => p.manyToOne(Channel).mapToPk().fieldName('channel_id').deleteRule('cascade').index(),
    threadId: p.uuid().nullable(),
    replyToId: p.uuid().nullable(),
    answersTo: p.bigint('number').nullable(),
    content: p.text(),
    /** Its nonce or the key of its request. */
    onceKey: p.string().columnType('text').nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
});

export class RehearsalSend extends RehearsalSendSchema.class {}
RehearsalSendSchema.setClass(RehearsalSend);
