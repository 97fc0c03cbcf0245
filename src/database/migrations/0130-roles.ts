import { Migration } from '@mikro-orm/migrations';

const here = 'set search_path from current';

/**
 * A server's own roles, who has them, and what channels allow or deny apart from the server (contract §5). Older nodes know
 * the fixed roles alone.
 */
export class Roles extends Migration {
  override up(): void {
    this.addSql(
      'create table server_roles (id uuid not null, server_id uuid not null, built_in text null, name text not null, color text null, position int not null, permissions text[] not null, created_at timestamptz(3) not null, updated_at timestamptz(3) not null, primary key (id))',
    );
    this.addSql('create index server_roles_server on server_roles (server_id, position)');
    this.addSql(
      'alter table server_roles add constraint server_roles_built_in unique (server_id, built_in), add constraint server_roles_server_id_foreign foreign key (server_id) references servers (id) on delete cascade',
    );
    this.addSql(
      'create table member_roles (role_id uuid not null, user_id uuid not null, server_id uuid not null, primary key (role_id, user_id))',
    );
    this.addSql('create index member_roles_member on member_roles (server_id, user_id)');
    this.addSql('create index member_roles_user_id_index on member_roles (user_id)');
    for (const [column, table, updated] of [
      ['role_id', 'server_roles', 'on update cascade '],
      ['user_id', 'users', 'on update cascade '],
      ['server_id', 'servers', ''],
    ]) {
      this.addSql(
        `alter table member_roles add constraint member_roles_${column}_foreign foreign key (${column}) references ${table} (id) ${updated}on delete cascade`,
      );
    }
    this.addSql(`create function forget_member_roles() returns trigger language plpgsql ${here} as $$ begin
      delete from member_roles r using changed c where r.server_id = c.server_id and r.user_id = c.user_id;
      return null; end $$`);
    this.addSql(`create trigger forget_member_roles after delete on server_members
      referencing old table as changed for each statement execute function forget_member_roles()`);
    this.addSql(
      'create table channel_overrides (id uuid not null, channel_id uuid not null, built_in text null, role_id uuid null, user_id uuid null, allow text[] not null, deny text[] not null, primary key (id))',
    );
    this.addSql('create index channel_overrides_role on channel_overrides (role_id)');
    this.addSql('create index channel_overrides_user on channel_overrides (user_id)');
    this.addSql(
      'create unique index channel_overrides_subject on channel_overrides (channel_id, coalesce(built_in, role_id::text, user_id::text))',
    );
    for (const [column, table] of [
      ['channel_id', 'channels'],
      ['role_id', 'server_roles'],
      ['user_id', 'users'],
    ]) {
      this.addSql(
        `alter table channel_overrides add constraint channel_overrides_${column}_foreign foreign key (${column}) references ${table} (id) on delete cascade`,
      );
    }
    this.watch('server_roles', 'server-roles', 'server_id', 'built_in, position, permissions');
    this.watch('member_roles', 'server-seats', 'server_id, user_id', 'role_id');
    this.watch('channel_overrides', 'channels', 'channel_id', 'allow, deny');
    this.holdBackOwnRoles();
  }

  /** Drops what nodes cache of a table at each change to it. */
  private watch(table: string, cache: string, key: string, values: string): void {
    const name = `invalidate_${table}`;
    const run = `execute function invalidate(${[cache, ...key.split(', ')].map((text) => `'${text}'`).join(', ')})`;
    this.addSql(`create trigger ${name}_updated after update of ${values} on ${table} for each row ${run}`);
    for (const [event, kind] of [
      ['insert', 'new'],
      ['delete', 'old'],
    ]) {
      this.addSql(`create trigger ${name}_${event} after ${event} on ${table}
        referencing ${kind} table as changed for each statement ${run}`);
    }
  }

  /** What is held back of people without a second factor is also what own roles give. */
  private holdBackOwnRoles(): void {
    const hasMore = `(m.role <> 'member' or exists (
      select from member_roles r where r.server_id = m.server_id and r.user_id = m.user_id))`;
    this.addSql(`create or replace function invalidate_protected_roles() returns trigger language plpgsql ${here} as $$ begin
      insert into invalidations (cache, keys)
        select 'server-seats', array_agg(concat_ws(':', server_id, user_id))
        from server_members m where server_id = new.id and ${hasMore} having count(*) > 0;
      return null; end $$`);
    this.addSql(`create or replace function invalidate_second_factor() returns trigger language plpgsql ${here} as $$ begin
      insert into invalidations (cache, keys) values ('users', array[new.id::text]);
      insert into invalidations (cache, keys)
        select 'server-seats', array_agg(concat_ws(':', server_id, user_id))
        from server_members m where user_id = new.id and ${hasMore} having count(*) > 0;
      return null; end $$`);
  }
}
