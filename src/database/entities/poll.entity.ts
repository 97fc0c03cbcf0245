import { defineEntity, p } from '@mikro-orm/core';
import { dateNow } from '../../infrastructure/clock.ts';
import { Channel } from './channel.entity.ts';
import { User } from './user.entity.ts';

/**
 * The poll of a message (contract §6, Polls). Its message is no foreign key: that would refuse to let messages be
 * partitioned. What its votes come to is counted here, so that nothing ever counts them.
 */
const PollSchema = defineEntity({
  name: 'Poll',
  tableName: 'polls',
  indexes: [
    {
      name: 'polls_closing',
      expression: 'create index polls_closing on polls (closes_at) where closed_at is null and closes_at is not null',
    },
  ],
  properties: {
    messageId: p.uuid().primary(),
    channelId: () => p.manyToOne(Channel).mapToPk().fieldName('channel_id').deleteRule('cascade').index(),
    question: p.string().columnType('text'),
    options: p.array().columnType('text[]'),
    /** Votes for each option, in their order. */
    counts: p.array((text) => Number(text)).columnType('int[]'),
    voterCount: p.integer().default(0),
    multiple: p.boolean(),
    anonymous: p.boolean(),
    closesAt: p.datetime(3).nullable(),
    closedAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3).onCreate(dateNow),
    /** When the channel was last told of its votes. */
    toldAt: p.datetime(3).nullable(),
    /** Since when it is to be told; null: it knows. */
    untoldSince: p.datetime(3).nullable(),
  },
});

export class Poll extends PollSchema.class {}
PollSchema.setClass(Poll);

/** What someone chose. Of an anonymous poll only they themselves are ever shown it. */
const PollVoteSchema = defineEntity({
  name: 'PollVote',
  tableName: 'poll_votes',
  primaryKeys: ['messageId', 'optionId', 'userId'],
  indexes: [{ name: 'poll_votes_of_user', properties: ['userId', 'messageId'] }],
  properties: {
    messageId: () => p.manyToOne(Poll).mapToPk().fieldName('message_id').primary().deleteRule('cascade').index(false),
    /** 1, 2, 3, … */
    optionId: p.smallint().primary(),
    userId: () => p.manyToOne(User).mapToPk().fieldName('user_id').primary().deleteRule('cascade').index(false),
  },
});

export class PollVote extends PollVoteSchema.class {}
PollVoteSchema.setClass(PollVote);
