import { Migration } from '@mikro-orm/migrations';

/** Words in tags (`<script>`, `Promise<void>`) are found too: the index for what has no spaces is made anew by 0065. */
export class WordsInTags extends Migration {
  override up(): void {
    this.addSql('drop index messages_search_unspaced');
  }
}
