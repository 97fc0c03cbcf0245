import { Migration } from '@mikro-orm/migrations';

/**
 * Invite links of servers, whom they brought, and the joins that wait for approval (contract §5). Older nodes know the one
 * code of a server alone. They too end requests that hold a use of a link, so a trigger gives it back.
 */
export class ServerInvites extends Migration {
  override up(): void {
    this.addSql(
      'create table server_invites (id uuid not null, server_id uuid not null, code text not null, channel_id uuid null, created_by uuid null, max_uses int null, uses int not null default 0, expires_at timestamptz(3) null, revoked_at timestamptz(3) null, revoked_by uuid null, over_at timestamptz(3) null, created_at timestamptz(3) not null, primary key (id))',
    );
    this.addSql('create index server_invites_server on server_invites (server_id, id)');
    this.addSql('create index server_invites_maker on server_invites (created_by) where created_by is not null');
    this.addSql('create index server_invites_channel on server_invites (channel_id) where channel_id is not null');
    this.addSql('create index server_invites_over on server_invites (over_at) where over_at is not null');
    this.addSql('alter table server_invites add constraint server_invites_code_unique unique (code)');
    this.refer('server_invites', 'server_id', 'servers', 'cascade');
    this.refer('server_invites', 'channel_id', 'channels', 'set null');
    this.refer('server_invites', 'created_by', 'users', 'set null');
    this.refer('server_invites', 'revoked_by', 'users', 'set null');
    this.addSql('alter table server_members add column invited_by uuid null, add column invite_id uuid null');
    this.refer('server_members', 'invited_by', 'users', 'set null', 'not valid');
    this.addSql(
      'alter table join_requests add column held boolean not null default false, add column invite_id uuid null',
    );
    this.addSql('create index join_requests_invite on join_requests (invite_id) where invite_id is not null');
    this.giveBack();
  }

  private refer(table: string, column: string, to: string, rule: string, more = ''): void {
    this.addSql(
      `alter table ${table} add constraint ${table}_${column}_foreign foreign key (${column}) references ${to} (id) on delete ${rule} ${more}`,
    );
  }

  /** A pending request has taken a use of its link. */
  private giveBack(): void {
    this.addSql(`create function give_back_invite_use() returns trigger language plpgsql set search_path from current as $$ begin
      update server_invites set uses = uses - 1,
          over_at = case when revoked_at is null and max_uses is not null and uses >= max_uses then expires_at else over_at end
        where id = old.invite_id and uses > 0;
      return null; end $$`);
    const isTaken = `old.status = 'pending' and old.invite_id is not null`;
    this.addSql(
      `create trigger give_back_invite_use_deleted after delete on join_requests for each row when (${isTaken}) execute function give_back_invite_use()`,
    );
    this.addSql(`create trigger give_back_invite_use_updated after update of status, invite_id on join_requests for each row
      when (${isTaken} and (new.status = 'rejected' or new.invite_id is distinct from old.invite_id))
      execute function give_back_invite_use()`);
  }
}
