import { Migration } from '@mikro-orm/migrations';
import { hasUnspaced, unspacedWords } from '../unspaced.ts';

/** Words in tags (`<script>`, `Promise<void>`) are found too; the index for what has no spaces takes them in. */
export class WordsInTags extends Migration {
  override up(): void {
    this.addSql('drop index messages_search_unspaced');
    this.addSql(
      `create index messages_search_unspaced on messages using gin (${unspacedWords('content', 'channel_id')})
       with (gin_pending_list_limit = 32768) where ${hasUnspaced('content')}`,
    );
  }
}
