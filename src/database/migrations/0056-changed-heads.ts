import { Migration } from '@mikro-orm/migrations';

/** Shows whether a page of messages is unchanged, even when newer messages were sent. */
export class ChangedHeads extends Migration {
  override up(): void {
    this.addSql(`alter table streams add column changed_seq bigint not null default '0'`);
  }
}
