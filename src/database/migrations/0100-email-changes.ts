import { Migration } from '@mikro-orm/migrations';

/** Changes of addresses: those that wait for their code, and those that the old address may still undo. */
export class EmailChanges extends Migration {
  override up(): void {
    this.addSql(
      `create table email_changes (id uuid not null, user_id uuid not null, email text not null, old_email text null, code_hash text null, tries int not null default 0, undo_hash text null, changed_at timestamptz(3) null, expires_at timestamptz(3) not null, primary key (id))`,
    );
    this.addSql('create unique index email_changes_waiting_email on email_changes (email) where changed_at is null');
    this.addSql('create unique index email_changes_waiting_user on email_changes (user_id) where changed_at is null');
    this.addSql('create index email_changes_user on email_changes (user_id)');
    this.addSql('create index email_changes_kept on email_changes (old_email) where changed_at is not null');
    this.addSql('alter table email_changes add constraint email_changes_undo_hash_unique unique (undo_hash)');
    this.addSql(
      'alter table email_changes add constraint email_changes_user_id_foreign foreign key (user_id) references users (id) on delete cascade',
    );
  }
}
