import { Migration } from '@mikro-orm/migrations';

/**
 * People delete their accounts: when, and whether their messages go too. Older nodes know nothing of it; until then the
 * account has no credentials but a password and linked accounts, and a sign-in there is noticed at the end (see
 * features/account-deletion). The indexes find what is of one user.
 */
export class AccountDeletion extends Migration {
  override up(): void {
    this.addSql(
      'alter table users add column deletes_at timestamptz(3) null, add column erases_messages boolean not null default false',
    );
    this.addSql(`create function invalidate_dms_of() returns trigger language plpgsql set search_path from current as $$ begin
      insert into invalidations (cache, keys)
        select 'dm-standing', array_agg(channel_id) from dm_channels where new.id in (low_id, high_id) having count(*) > 0;
      return null; end $$`);
    this.addSql(`create trigger invalidate_dms_of after update of deletes_at on users
      for each row when (old.deletes_at is distinct from new.deletes_at) execute function invalidate_dms_of()`);
    this.addSql('create index notifications_sender on notifications (sender_id) where sender_id is not null');
    this.addSql('create index server_bans_banned on server_bans (user_id)');
    this.addSql('create index join_requests_user on join_requests (user_id)');
  }
}
