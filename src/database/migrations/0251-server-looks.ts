import { Migration } from '@mikro-orm/migrations';

/** The mark and the accent colour of servers (contract §5). */
export class ServerLooks extends Migration {
  override up(): void {
    this.addSql('alter table servers add column mark text null, add column accent_color text null');
  }
}
