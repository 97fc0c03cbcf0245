import { Migration } from '@mikro-orm/migrations';

/** By which clock and in which colours people read (contract §3). */
export class Appearance extends Migration {
  override up(): void {
    this.addSql('alter table users add column hour_cycle text null, add column theme text null');
  }
}
