import { Migration } from '@mikro-orm/migrations';

/** From where accounts were signed in to, and what their owners are mailed. */
export class SecurityNotices extends Migration {
  override up(): void {
    this.addSql(
      'create table known_devices (id uuid not null, user_id uuid not null, device text not null, place text not null, seen_at timestamptz(3) not null, primary key (id))',
    );
    this.addSql('alter table known_devices add constraint known_devices_user unique (user_id, device, place)');
    this.addSql(
      'alter table known_devices add constraint known_devices_user_id_foreign foreign key (user_id) references users (id) on delete cascade',
    );
    this.addSql(
      'create table security_notices (id uuid not null, user_id uuid not null, email text not null, kind text not null, detail text null, device text null, place text null, created_at timestamptz(3) not null, mail_at timestamptz(3) not null, mailed_at timestamptz(3) null, primary key (id))',
    );
    this.addSql('create index security_notices_user on security_notices (user_id, mail_at)');
    this.addSql(
      'alter table security_notices add constraint security_notices_user_id_foreign foreign key (user_id) references users (id) on delete cascade',
    );
  }
}
