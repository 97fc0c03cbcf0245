import { Migration } from '@mikro-orm/migrations';

const ofUser = (table: string, column: string) =>
  `alter table ${table} add constraint ${table}_${column}_foreign foreign key (${column}) references users (id) on delete cascade`;

/** What people saved for later, their scheduled messages and their drafts (contract §7, Later). */
export class Later extends Migration {
  override up(): void {
    this.addSql(
      'create table saved_items (id uuid not null, user_id uuid not null, message_id uuid null, channel_id uuid null, note text null, remind_at timestamptz(3) null, reminded_at timestamptz(3) null, done_at timestamptz(3) null, created_at timestamptz(3) not null, updated_at timestamptz(3) not null, primary key (id))',
    );
    this.addSql('create index saved_items_of_user on saved_items (user_id, id)');
    this.addSql(
      'create unique index saved_items_message on saved_items (user_id, message_id) where message_id is not null',
    );
    this.addSql(ofUser('saved_items', 'user_id'));
    this.addSql(
      `create table scheduled_messages (id uuid not null, user_id uuid not null, channel_id uuid not null, thread_id uuid null, reply_to_id uuid null, content text not null, metadata json null, send_at timestamptz(3) not null, place int not null, status text not null default 'waiting', marks int not null default 0, failure text null, created_at timestamptz(3) not null, updated_at timestamptz(3) not null, primary key (id))`,
    );
    this.addSql('create index scheduled_messages_lane on scheduled_messages (user_id, channel_id, send_at, place)');
    this.addSql(ofUser('scheduled_messages', 'user_id'));
    // Files of what is scheduled are kept until it is sent or cancelled.
    this.addSql(
      'alter table attachments add column scheduled_id uuid null constraint attachments_scheduled_id_foreign references scheduled_messages (id) on delete set null',
    );
    this.addSql(
      `create table drafts (user_id uuid not null, place_id uuid not null, channel_id uuid not null, thread_id uuid null, reply_to_id uuid null, content text not null, revision bigint not null, updated_at timestamptz(3) not null, primary key (user_id, place_id))`,
    );
    this.addSql('create index drafts_channel_id_index on drafts (channel_id)');
    this.addSql(ofUser('drafts', 'user_id'));
    this.addSql(
      'alter table drafts add constraint drafts_channel_id_foreign foreign key (channel_id) references channels (id) on delete cascade',
    );
  }
}
