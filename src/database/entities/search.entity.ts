import { defineEntity, p } from '@mikro-orm/core';
import { Channel } from './channel.entity.ts';

/**
 * What a message is found by: words of its text and files, and facts about it. Filled in the background (see
 * features/search). Its message is no foreign key: that would refuse to let messages be partitioned.
 */
const SearchWordsSchema = defineEntity({
  name: 'SearchWords',
  tableName: 'search_words',
  indexes: [
    {
      name: 'search_words_words',
      expression: 'create index search_words_words on search_words using gin (words)',
    },
  ],
  properties: {
    messageId: p.uuid().primary(),
    channelId: p.uuid(),
    words: p.string().columnType('tsvector'),
  },
});

export class SearchWords extends SearchWordsSchema.class {}
SearchWordsSchema.setClass(SearchWords);

/** How far the messages of a channel are indexed. */
const SearchProgressSchema = defineEntity({
  name: 'SearchProgress',
  tableName: 'search_progress',
  indexes: [{ name: 'search_progress_behind', properties: ['channelId'], where: { beforeSeq: { $gt: 0 } } }],
  properties: {
    channelId: () =>
      p.manyToOne(Channel).mapToPk().fieldName('channel_id').primary().deleteRule('cascade').index(false),
    /** Up to this number of its log. */
    seq: p.bigint('number'),
    /** What was written before the index was made is indexed from this number on; 0: from the first on. */
    beforeSeq: p.bigint('number').default(0),
  },
});

export class SearchProgress extends SearchProgressSchema.class {}
SearchProgressSchema.setClass(SearchProgress);

/** A message that changed since it was indexed. Written by triggers alone (see search-notes). */
const StaleSearchSchema = defineEntity({
  name: 'StaleSearch',
  tableName: 'search_stale',
  indexes: [{ name: 'search_stale_message', properties: ['messageId'] }],
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    messageId: p.uuid(),
    /** Whether it may have words that it no longer has: it is not found until it is indexed anew. */
    isText: p.boolean(),
  },
});

export class StaleSearch extends StaleSearchSchema.class {}
StaleSearchSchema.setClass(StaleSearch);
