import { Migration } from '@mikro-orm/migrations';

/** In which language and by which time zone people read (contract §3). */
export class Languages extends Migration {
  override up(): void {
    this.addSql('alter table users add column language text null, add column time_zone text null');
  }
}
