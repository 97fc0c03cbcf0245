import { Migration } from '@mikro-orm/migrations';

/**
 * When people were last at their devices (contract §9, Attention). Of earlier sessions nothing better is known than when they
 * were used. Nodes of the version before begin sessions without it.
 */
export class AttendedSessions extends Migration {
  override up(): void {
    this.addSql('alter table sessions add column attended_at timestamptz(3) not null default now()');
    this.addSql('update sessions set attended_at = last_seen_at');
  }
}
