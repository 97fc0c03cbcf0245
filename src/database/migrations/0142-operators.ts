import { Migration } from '@mikro-orm/migrations';

/**
 * Who operates the installation from within, and who is banned from it (contract §3). A ban is a suspension that keeps out
 * new accounts too, so that older nodes refuse the banned as they refuse the suspended.
 */
export class Operators extends Migration {
  override up(): void {
    this.addSql(
      'alter table users add column is_operator boolean not null default false, add column suspended_until timestamptz(3) null',
    );
    this.addSql('create index users_operators on users (id) where is_operator');
    this.addSql('create index users_suspended_until on users (suspended_until) where suspended_until is not null');
    this.addSql(
      'create table instance_bans (id uuid not null, user_id uuid not null, reason text null, until timestamptz(3) null, banned_by uuid null, created_at timestamptz(3) not null, primary key (id))',
    );
    this.addSql('alter table instance_bans add constraint instance_bans_user_id_unique unique (user_id)');
    this.addSql('create index instance_bans_banned_by_index on instance_bans (banned_by)');
    this.addSql('create table banned_addresses (hash text not null, ban_id uuid not null, primary key (hash, ban_id))');
    this.addSql('create index banned_addresses_ban_id_index on banned_addresses (ban_id)');
    for (const [table, column, other, rule] of [
      ['instance_bans', 'user_id', 'users', 'cascade'],
      ['instance_bans', 'banned_by', 'users', 'set null'],
      ['banned_addresses', 'ban_id', 'instance_bans', 'cascade'],
    ]) {
      this.addSql(
        `alter table ${table} add constraint ${table}_${column}_foreign foreign key (${column}) references ${other} (id) on delete ${rule}`,
      );
    }
  }
}
