import { Migration } from '@mikro-orm/migrations';

/** Up to when a push had what its notification stands for: what comes later is pushed too (contract §7, Push). */
export class PushedAgain extends Migration {
  override up(): void {
    this.addSql('alter table pushed_notifications add column shown_at timestamptz(3) null');
  }
}
