import { Migration } from '@mikro-orm/migrations';

/**
 * Every mailed sign-in code by itself: asking for another one ends none, and whoever asked has tries of their own. Nodes of
 * earlier versions know one code of an address; what either writes, the other finds.
 */
export class MailedCodes extends Migration {
  override up(): void {
    this.addSql(
      `create table mailed_codes (id uuid not null, email text not null, code_hash text not null, asker text not null, tries int not null default 0, other_tries int not null default 0, expires_at timestamptz(3) not null, primary key (id))`,
    );
    this.addSql('create index mailed_codes_email on mailed_codes (email)');
    this.addSql(`insert into mailed_codes (id, email, code_hash, asker, other_tries, expires_at)
      select gen_random_uuid(), email, code_hash, '', tries, expires_at from email_codes`);
    // Neither sets off the other one.
    this.addSql(`create function note_mailed_code() returns trigger language plpgsql set search_path from current as $$ begin
      insert into mailed_codes (id, email, code_hash, asker, expires_at)
        values (gen_random_uuid(), new.email, new.code_hash, '', new.expires_at);
      return null; end $$`);
    this.addSql(`create trigger note_mailed_code after insert or update of code_hash on email_codes
      for each row when (pg_trigger_depth() = 0) execute function note_mailed_code()`);
    this.addSql(`create function note_email_code() returns trigger language plpgsql set search_path from current as $$ begin
      insert into email_codes (email, code_hash, tries, expires_at) values (new.email, new.code_hash, 0, new.expires_at)
        on conflict (email) do update set code_hash = excluded.code_hash, tries = 0, expires_at = excluded.expires_at;
      return null; end $$`);
    this.addSql(`create trigger note_email_code after insert on mailed_codes
      for each row when (pg_trigger_depth() = 0) execute function note_email_code()`);
    // What has been used up, on one side is gone on the other.
    this.addSql(`create function forget_mailed_code() returns trigger language plpgsql set search_path from current as $$ begin
      delete from mailed_codes where email = old.email and code_hash = old.code_hash;
      return null; end $$`);
    this.addSql(`create trigger forget_mailed_code after delete on email_codes
      for each row when (pg_trigger_depth() = 0) execute function forget_mailed_code()`);
    this.addSql(`create function forget_email_code() returns trigger language plpgsql set search_path from current as $$ begin
      delete from email_codes where email = old.email and code_hash = old.code_hash;
      return null; end $$`);
    this.addSql(`create trigger forget_email_code after delete on mailed_codes
      for each row when (pg_trigger_depth() = 0) execute function forget_email_code()`);
  }
}
