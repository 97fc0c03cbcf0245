import { Migration } from '@mikro-orm/migrations';

/** New words are sorted into the search indexes in the background (see SearchIndex), hardly ever by who sends them. */
export class SortedSearch extends Migration {
  override up(): void {
    // KiB: far more than arrives between two runs.
    for (const index of ['messages_search', 'messages_search_unspaced']) {
      this.addSql(`alter index ${index} set (gin_pending_list_limit = 32768)`);
    }
  }
}
