import { Migration } from '@mikro-orm/migrations';

/** Channels and servers can be muted for a time (contract §7). */
export class MuteEnds extends Migration {
  override up(): void {
    this.addSql("alter table notification_preferences add column mute_ends jsonb not null default '{}'");
  }
}
