import { Migration } from '@mikro-orm/migrations';

const here = 'set search_path from current';

/** A server may hold back the roles of those without a second factor (contract §5). Older nodes do not. */
export class ProtectedRoles extends Migration {
  override up(): void {
    this.addSql('alter table servers add column require_second_factor boolean not null default false');
    this.addSql(`create function invalidate_protected_roles() returns trigger language plpgsql ${here} as $$ begin
      insert into invalidations (cache, keys)
        select 'server-seats', array_agg(concat_ws(':', server_id, user_id))
        from server_members where server_id = new.id and role <> 'member' having count(*) > 0;
      return null; end $$`);
    this.addSql(`create trigger invalidate_protected_roles after update of require_second_factor on servers
      for each row when (old.require_second_factor <> new.require_second_factor)
      execute function invalidate_protected_roles()`);
  }
}
