import { Migration } from '@mikro-orm/migrations';

/**
 * Messages in languages without spaces between words are found by any piece of them. The index for it is made by 0065; this
 * one, which has nothing in it, stands for it until then.
 */
export class UnspacedWords extends Migration {
  override up(): void {
    this.addSql(
      `create index messages_search_unspaced on messages using gin (to_tsvector('simple'::regconfig, content)) where false`,
    );
  }
}
