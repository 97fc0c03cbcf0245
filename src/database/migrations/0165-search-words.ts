import { Migration } from '@mikro-orm/migrations';
import { searchNotes } from '../search-notes.ts';

/**
 * What messages are found by, in a table of its own that is filled in the background (contract §6). Older nodes search by
 * the column that each send fills, as before.
 */
export class SearchWords extends Migration {
  override up(): void {
    this.addSql(
      'create table search_words (message_id uuid not null, channel_id uuid not null, words tsvector not null, primary key (message_id))',
    );
    this.addSql(
      'create index search_words_words on search_words using gin (words) with (gin_pending_list_limit = 1024)',
    );
    this.addSql(
      `create table search_progress (channel_id uuid not null, seq bigint not null, before_seq bigint not null default '0', primary key (channel_id))`,
    );
    this.addSql('create index search_progress_behind on search_progress (channel_id) where before_seq > 0');
    this.addSql(
      'alter table search_progress add constraint search_progress_channel_id_foreign foreign key (channel_id) references channels (id) on update cascade on delete cascade',
    );
    this.addSql(
      'create table search_stale (id bigserial primary key, message_id uuid not null, is_text boolean not null)',
    );
    this.addSql('create index search_stale_message on search_stale (message_id)');
    for (const note of searchNotes) this.addSql(note);
    // What was written before is indexed backwards, beside what is written from now on.
    this.addSql(`insert into search_progress (channel_id, seq, before_seq)
      select s.id, s.last_seq, s.last_seq + 1 from streams s join channels c on c.id = s.id
      where s.kind = 'channel' and s.last_seq > 0`);
  }
}
