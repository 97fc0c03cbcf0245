import { Migration } from '@mikro-orm/migrations';

/** Drafts keep the files that are to be sent with them (contract §7, Later). */
export class DraftFiles extends Migration {
  override up(): void {
    this.addSql(`alter table drafts add column file_ids uuid[] not null default '{}'`);
  }
}
