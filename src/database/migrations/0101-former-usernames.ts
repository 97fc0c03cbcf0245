import { Migration } from '@mikro-orm/migrations';

/** Names that people have given up, kept for them for a while. */
export class FormerUsernames extends Migration {
  override up(): void {
    this.addSql(
      'create table former_usernames (id uuid not null, user_id uuid not null, username text not null, username_key text not null, name_skeleton text not null, kept_until timestamptz(3) not null, primary key (id))',
    );
    this.addSql('create index former_usernames_key on former_usernames (username_key)');
    this.addSql('create index former_usernames_look on former_usernames (name_skeleton)');
    this.addSql('alter table former_usernames add constraint former_usernames_user unique (user_id, username_key)');
    this.addSql(
      'alter table former_usernames add constraint former_usernames_user_id_foreign foreign key (user_id) references users (id) on delete cascade',
    );
  }
}
