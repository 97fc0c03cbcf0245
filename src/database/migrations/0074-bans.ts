import { Migration } from '@mikro-orm/migrations';

/**
 * Bans, and decisions of a server's admins about a bot as a member: whether it stays without its owner, and whether it
 * may write in the workspace. The nodes remove bots whose owner has left, and publish it (see `strayBots`).
 */
export class Bans extends Migration {
  override up(): void {
    this.addSql('alter table server_members add column kept boolean not null default false');
    this.addSql('alter table server_members add column workspace_write boolean not null default false');
    this.addSql(`create trigger invalidate_server_rights_updated after update of kept, workspace_write on server_members
      for each row when (old.kept is distinct from new.kept or old.workspace_write is distinct from new.workspace_write)
      execute function invalidate('server-seats', 'server_id', 'user_id')`);
    this.addSql(
      `create table server_bans (id uuid not null, server_id uuid not null, user_id uuid not null, banned_by uuid null, reason text null, until timestamptz(3) null, created_at timestamptz(3) not null, primary key (id))`,
    );
    this.addSql('create unique index server_bans_user on server_bans (server_id, user_id)');
    this.addSql('create index server_bans_recent on server_bans (server_id, id)');
    for (const [column, table, rule] of [
      ['server_id', 'servers', 'cascade'],
      ['user_id', 'users', 'cascade'],
      ['banned_by', 'users', 'set null'],
    ]) {
      this.addSql(
        `alter table server_bans add constraint server_bans_${column}_foreign foreign key (${column}) references ${table} (id) on delete ${rule}`,
      );
    }
    // Bots see no invite codes, not even in the entries of their own logs.
    this.addSql(`update log_entries set data = (data::jsonb #- '{server,inviteCode}')::json from users
      where users.id = log_entries.stream_id and users.is_bot and event in ('server:joined', 'server:updated')`);
  }
}
