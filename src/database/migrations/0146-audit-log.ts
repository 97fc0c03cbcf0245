import { Migration } from '@mikro-orm/migrations';

const here = 'set search_path from current';

/**
 * Who did what to whom (contract §5). Nobody changes an entry, and none goes before its time: whatever asks, a node, a command
 * or an operator's SQL. Entries go once they are older than the days that the transaction names, by default 90; never before
 * seven are over.
 */
export class AuditLog extends Migration {
  override up(): void {
    this.addSql(
      'create table audit_entries (id uuid not null, server_id uuid null, channel_id uuid null, action text not null, source text not null, actor_id uuid null, token_kind text null, token_id uuid null, target_kind text null, target_id uuid null, target_label text null, before json null, after json null, reason text null, created_at timestamptz(3) not null, primary key (id))',
    );
    this.addSql('create index audit_entries_server on audit_entries (server_id, id)');
    for (const column of ['actor_id', 'target_id', 'channel_id', 'action']) {
      const name = column.replace('_id', '');
      this.addSql(`create index audit_entries_${name} on audit_entries (server_id, ${column}, id)`);
    }
    this.addSql(`create function keep_audit_entries() returns trigger language plpgsql ${here} as $$
      declare days int := greatest(7, coalesce(nullif(current_setting('parley.audit_keep_days', true), ''), '90')::int);
      begin
        if tg_op = 'DELETE' and old.created_at < now() - make_interval(days => days) then return old; end if;
        raise exception 'The audit log is only added to; % is refused.', tg_op using errcode = 'insufficient_privilege';
      end $$`);
    this.addSql(`create trigger audit_entries_kept before update or delete on audit_entries
      for each row execute function keep_audit_entries()`);
    this.addSql(`create function refuse_truncated_audit() returns trigger language plpgsql ${here} as $$ begin
      raise exception 'The audit log is only added to; % is refused.', tg_op using errcode = 'insufficient_privilege';
      end $$`);
    this.addSql(`create trigger audit_entries_not_truncated before truncate on audit_entries
      for each statement execute function refuse_truncated_audit()`);
  }
}
