import { Migration } from '@mikro-orm/migrations';

/** Files that are shown only to those who ask for it (contract §6, Spoilers). */
export class SpoilerFiles extends Migration {
  override up(): void {
    this.addSql('alter table attachments add column is_spoiler boolean not null default false');
  }
}
