import { Migration } from '@mikro-orm/migrations';

/** What people and bots say of themselves beside their presence (contract §9). */
export class CustomStatuses extends Migration {
  override up(): void {
    this.addSql(
      'create table custom_statuses (user_id uuid not null, emoji text null, text text null, until timestamptz(3) null, changed_at timestamptz(3) not null, primary key (user_id))',
    );
    this.addSql('create index custom_statuses_changed on custom_statuses (changed_at)');
    this.addSql(
      'alter table custom_statuses add constraint custom_statuses_user_id_foreign foreign key (user_id) references users (id) on update cascade on delete cascade',
    );
  }
}
