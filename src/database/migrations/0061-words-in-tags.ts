import { Migration } from '@mikro-orm/migrations';

/** Words in tags (`<script>`, `Promise<void>`) are found too: 0065 rebuilds the index for text without spaces. */
export class WordsInTags extends Migration {
  override up(): void {
    this.addSql('drop index messages_search_unspaced');
  }
}
