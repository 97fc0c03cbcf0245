import { Migration } from '@mikro-orm/migrations';

/**
 * Search finds messages in languages without spaces between words by any piece of them. 0065 makes the index for it;
 * this empty one replaces it until then.
 */
export class UnspacedWords extends Migration {
  override up(): void {
    this.addSql(
      `create index messages_search_unspaced on messages using gin (to_tsvector('simple'::regconfig, content)) where false`,
    );
  }
}
