import { Migration } from '@mikro-orm/migrations';

/** Who shows others how far they have read (contract §7). */
export class ReadReceipts extends Migration {
  override up(): void {
    this.addSql(
      'create table read_receipt_choices (user_id uuid not null, since timestamptz(3) not null, primary key (user_id))',
    );
    this.addSql(
      'alter table read_receipt_choices add constraint read_receipt_choices_user_id_foreign foreign key (user_id) references users (id) on update cascade on delete cascade',
    );
  }
}
