import { Migration } from '@mikro-orm/migrations';

/** Slow mode. Older nodes let everyone write as fast as before. */
export class SlowMode extends Migration {
  override up(): void {
    this.addSql('alter table channels add column slow_mode_seconds int not null default 0');
    this.addSql(`create trigger invalidate_slow_mode_updated after update of slow_mode_seconds on channels
      for each row when (old.slow_mode_seconds is distinct from new.slow_mode_seconds)
      execute function invalidate('channels', 'id')`);
    this.addSql(
      'create table slow_mode_turns (channel_id uuid not null, user_id uuid not null, sent_at timestamptz(3) not null, primary key (channel_id, user_id))',
    );
    this.addSql('create index slow_mode_turns_over on slow_mode_turns (sent_at)');
  }
}
