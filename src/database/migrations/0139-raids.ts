import { Migration } from '@mikro-orm/migrations';

/** Raid mode of servers: its settings, and the last joins that it counts (contract §5). Older nodes hold no joins. */
export class Raids extends Migration {
  override up(): void {
    this.addSql(
      `create table server_raids (server_id uuid not null, mode text not null default 'off', forced boolean not null default false, joins int not null default 20, seconds int not null default 60, minutes int not null default 30, since timestamptz(3) null, exceeded_at timestamptz(3) null, recent_at timestamptz[] not null default '{}', recent_ids uuid[] not null default '{}', primary key (server_id))`,
    );
    this.addSql(
      'alter table server_raids add constraint server_raids_server_id_foreign foreign key (server_id) references servers (id) on update cascade on delete cascade',
    );
  }
}
