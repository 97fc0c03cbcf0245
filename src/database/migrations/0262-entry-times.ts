import { Migration } from '@mikro-orm/migrations';

/** When someone came into a channel, by the clock that events are stamped with: deliveries begin at the first one since. */
export class EntryTimes extends Migration {
  override up(): void {
    this.addSql('alter table channel_members alter column joined_at set default now()');
  }
}
