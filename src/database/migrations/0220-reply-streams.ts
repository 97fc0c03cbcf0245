import { Migration } from '@mikro-orm/migrations';

/** The text so far of replies in progress, and which of them were stopped (contract §9). */
export class ReplyStreams extends Migration {
  override up(): void {
    this.addSql(
      `create table reply_streams (user_id uuid not null, channel_id uuid not null, stream_id text not null, thread_id uuid null, reply_to_id uuid null, content text not null, shown int not null, is_broken boolean not null, is_served boolean not null, state text not null default 'open', reason text null, stopped_by uuid null, started_at timestamptz(3) not null, seen_at timestamptz(3) not null, primary key (user_id, channel_id, stream_id))`,
    );
    this.addSql(
      'alter table reply_streams add constraint reply_streams_user_id_foreign foreign key (user_id) references users (id) on delete cascade',
    );
    this.addSql(
      'alter table reply_streams add constraint reply_streams_channel_id_foreign foreign key (channel_id) references channels (id) on delete cascade',
    );
    this.addSql(
      'alter table reply_streams add constraint reply_streams_stopped_by_foreign foreign key (stopped_by) references users (id) on delete set null',
    );
    this.addSql('create index reply_streams_channel_id_index on reply_streams (channel_id)');
    this.addSql('create index reply_streams_stopped_by_index on reply_streams (stopped_by)');
    this.addSql('create index reply_streams_seen on reply_streams (state, seen_at)');
  }
}
