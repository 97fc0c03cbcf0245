import { Migration } from '@mikro-orm/migrations';

/** Polls and their votes, and what waits for a moderator with a poll (contract §6, Polls). */
export class Polls extends Migration {
  override up(): void {
    this.addSql(
      'create table polls (message_id uuid not null, channel_id uuid not null, question text not null, options text[] not null, counts int[] not null, voter_count int not null default 0, multiple boolean not null, anonymous boolean not null, closes_at timestamptz(3) null, closed_at timestamptz(3) null, created_at timestamptz(3) not null, told_at timestamptz(3) null, untold_since timestamptz(3) null, primary key (message_id))',
    );
    this.addSql('create index polls_channel_id_index on polls (channel_id)');
    this.addSql('create index polls_closing on polls (closes_at) where closed_at is null and closes_at is not null');
    this.addSql(
      'alter table polls add constraint polls_channel_id_foreign foreign key (channel_id) references channels (id) on delete cascade',
    );
    this.addSql(
      'create table poll_votes (message_id uuid not null, option_id smallint not null, user_id uuid not null, primary key (message_id, option_id, user_id))',
    );
    this.addSql('create index poll_votes_of_user on poll_votes (user_id, message_id)');
    this.addSql(
      'alter table poll_votes add constraint poll_votes_message_id_foreign foreign key (message_id) references polls (message_id) on delete cascade',
    );
    this.addSql(
      'alter table poll_votes add constraint poll_votes_user_id_foreign foreign key (user_id) references users (id) on delete cascade',
    );
    this.addSql(`create trigger mark_extras after insert on polls
      for each row execute function mark_extras('message_id')`);
    this.addSql('alter table held_messages add column poll json null');
  }
}
