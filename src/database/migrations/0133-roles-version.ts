import { Migration } from '@mikro-orm/migrations';

/** Counts the changes of a server's roles, so that clients know when to read them again. */
export class RolesVersion extends Migration {
  override up(): void {
    this.addSql('alter table servers add column roles_version int not null default 0');
  }
}
