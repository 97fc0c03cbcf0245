import { Migration } from '@mikro-orm/migrations';

/** The statuses that people choose to show. */
export class PresenceWishes extends Migration {
  override up(): void {
    this.addSql(`create table presence_wishes (user_id uuid not null, status text not null, primary key (user_id))`);
    this.addSql(
      `alter table presence_wishes add constraint presence_wishes_user_id_foreign foreign key (user_id) references users (id) on update cascade on delete cascade`,
    );
  }
}
