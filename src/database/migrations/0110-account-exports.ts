import { Migration } from '@mikro-orm/migrations';

/** Exports of accounts, one for each account at a time. */
export class AccountExports extends Migration {
  override up(): void {
    this.addSql(
      `create table account_exports (id uuid not null, user_id uuid not null, state text not null, blob_id uuid null, size bigint null, created_at timestamptz(3) not null, ended_at timestamptz(3) null, expires_at timestamptz(3) null, primary key (id))`,
    );
    this.addSql('alter table account_exports add constraint account_exports_user_id_unique unique (user_id)');
    this.addSql('create index account_exports_blob_id_index on account_exports (blob_id)');
    this.addSql('create index account_exports_expires on account_exports (expires_at)');
    this.addSql(
      'alter table account_exports add constraint account_exports_user_id_foreign foreign key (user_id) references users (id) on delete cascade',
    );
    this.addSql(
      'alter table account_exports add constraint account_exports_blob_id_foreign foreign key (blob_id) references blobs (id) on delete no action',
    );
  }
}
