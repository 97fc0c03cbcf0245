import { Migration } from '@mikro-orm/migrations';
import { hasUnspaced, unspacedWords } from '../unspaced.ts';

/** Messages in languages without spaces between words are found by any piece of them. */
export class UnspacedWords extends Migration {
  override up(): void {
    this.addSql(
      `create index messages_search_unspaced on messages using gin (${unspacedWords('content', 'channel_id')})
       where ${hasUnspaced('content')}`,
    );
  }
}
