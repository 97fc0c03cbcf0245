import { Migration } from '@mikro-orm/migrations';

/** What a person has allowed an app is a token like a personal one: all that ends those ends these (contract §3, OAuth apps). */
export class AppTokens extends Migration {
  override up(): void {
    this.addSql('alter table personal_tokens add column app_id uuid null');
    this.addSql(
      'create index personal_tokens_app on personal_tokens (app_id, user_id) where app_id is not null and revoked_at is null',
    );
    this.addSql(
      'create table used_app_tokens (hash text not null, token_id uuid not null, used_at timestamptz(3) not null, successor text null, primary key (hash))',
    );
    this.addSql('create index used_app_tokens_token on used_app_tokens (token_id, used_at)');
    this.addSql(
      'alter table used_app_tokens add constraint used_app_tokens_token_id_foreign foreign key (token_id) references personal_tokens (id) on delete cascade',
    );
  }
}
