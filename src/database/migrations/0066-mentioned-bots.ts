import { Migration } from '@mikro-orm/migrations';

/** A message remembers the bots that it no longer mentions: what becomes of it concerns them. */
export class MentionedBots extends Migration {
  override up(): void {
    this.addSql('alter table messages add column mentioned_bots jsonb null');
  }
}
