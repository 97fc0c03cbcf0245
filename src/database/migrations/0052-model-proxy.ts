import { Migration } from '@mikro-orm/migrations';

/** Tokens of runtimes, and their usage of the models. */
export class ModelProxy extends Migration {
  override up(): void {
    this.addSql(
      `create table model_usage (user_id uuid not null, day date not null, token_id uuid not null, model text not null, requests bigint not null, prompt_tokens bigint not null, completion_tokens bigint not null, primary key (user_id, day, token_id, model))`,
    );
    this.addSql(
      `create table model_tokens (id uuid not null, user_id uuid not null, runtime_id text not null, template_slug text null, models json null, created_at timestamptz(3) not null, expires_at timestamptz(3) not null, primary key (id))`,
    );
    this.addSql(`create index model_tokens_user_id_index on model_tokens (user_id)`);
    this.addSql(
      `alter table model_usage add constraint model_usage_user_id_foreign foreign key (user_id) references users (id) on delete cascade`,
    );
    this.addSql(
      `alter table model_tokens add constraint model_tokens_user_id_foreign foreign key (user_id) references users (id) on delete cascade`,
    );
  }
}
