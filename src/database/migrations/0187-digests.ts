import { Migration } from '@mikro-orm/migrations';

/** When people were last mailed what they missed (contract §7). */
export class Digests extends Migration {
  override up(): void {
    this.addSql(
      'create table digests (user_id uuid not null, job_id uuid not null, sent_at timestamptz(3) not null, primary key (user_id))',
    );
    this.addSql(
      'alter table digests add constraint digests_user_id_foreign foreign key (user_id) references users (id) on update cascade on delete cascade',
    );
  }
}
