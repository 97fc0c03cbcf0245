import { Migration } from '@mikro-orm/migrations';

/** A message remembers the bots that it no longer mentions: they still get its changes. */
export class MentionedBots extends Migration {
  override up(): void {
    this.addSql('alter table messages add column mentioned_bots jsonb null');
  }
}
