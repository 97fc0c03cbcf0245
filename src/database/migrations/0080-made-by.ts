import { Migration } from '@mikro-orm/migrations';

/** Credentials record the session that made them, and end with it (contract §3). For existing ones it is unknown. */
export class MadeBy extends Migration {
  override up(): void {
    for (const table of [
      'personal_tokens',
      'agent_tokens',
      'model_tokens',
      'webhooks',
      'oauth_accounts',
      'oauth_states',
    ]) {
      this.addSql(`alter table ${table} add column made_by uuid null`);
    }
  }
}
