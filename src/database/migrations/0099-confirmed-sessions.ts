import { Migration } from '@mikro-orm/migrations';

/** Sessions record when their user last gave a password or code again (contract §3). */
export class ConfirmedSessions extends Migration {
  override up(): void {
    this.addSql('alter table sessions add column confirmed_at timestamptz(3) null');
  }
}
