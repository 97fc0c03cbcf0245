import { Migration } from '@mikro-orm/migrations';

/**
 * What forwarded messages say of others (contract §6). A message is no foreign key there: that would refuse to let messages be
 * partitioned.
 */
export class Forwards extends Migration {
  override up(): void {
    this.addSql(
      `create table message_forwards (message_id uuid not null, channel_id uuid not null, source_id uuid not null, author_id uuid not null, content text not null, mentions json null, attachment_ids uuid[] not null default '{}', sent_at timestamptz(3) not null, is_withdrawn boolean not null default false, primary key (message_id))`,
    );
    this.addSql('create index message_forwards_channel_id_index on message_forwards (channel_id)');
    this.addSql('create index message_forwards_author on message_forwards (author_id) where not is_withdrawn');
    this.addSql(
      'alter table message_forwards add constraint message_forwards_channel_id_foreign foreign key (channel_id) references channels (id) on delete cascade',
    );
    this.addSql(
      'alter table message_forwards add constraint message_forwards_author_id_foreign foreign key (author_id) references users (id)',
    );
    this.addSql(`create trigger mark_extras after insert on message_forwards
      for each row execute function mark_extras('message_id')`);
    // The words of what was forwarded are found by the copy.
    this.addSql(`create trigger note_searched_forward after update of content on message_forwards for each row
      when (old.content is distinct from new.content) execute function note_searched('message_id', 'true')`);
    this.addSql('alter table held_messages add column forward json null');
  }
}
