import { Migration } from '@mikro-orm/migrations';

/** What the messages of bots were made from (contract §4), also of those that wait for a moderator, and after what these may be sent. */
export class Answers extends Migration {
  override up(): void {
    this.addSql('alter table messages add column answers_to bigint null, add column answers_within text null');
    this.addSql(
      'alter table held_messages add column if_head bigint null, add column answers_to bigint null, add column answers_within text null',
    );
  }
}
