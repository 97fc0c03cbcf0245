import { Migration } from '@mikro-orm/migrations';

/** What the messages of bots were made from (contract §4). */
export class Answers extends Migration {
  override up(): void {
    this.addSql('alter table messages add column answers_to bigint null, add column answers_within text null');
  }
}
