import { Migration } from '@mikro-orm/migrations';

/** By which pages of messages are known to be as they were, whatever was sent meanwhile. */
export class ChangedHeads extends Migration {
  override up(): void {
    this.addSql(`alter table streams add column changed_seq bigint not null default '0'`);
  }
}
