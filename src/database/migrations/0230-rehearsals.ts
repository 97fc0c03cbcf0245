import { Migration } from '@mikro-orm/migrations';

/** New versions of bots that are tried on the log of the last days (contract §4). */
export class Rehearsals extends Migration {
  override up(): void {
    this.addSql(
      'create table rehearsals (id uuid not null, agent_id uuid not null, name text not null, since timestamptz(3) not null, created_at timestamptz(3) not null default now(), ends_at timestamptz(3) not null, captured int not null default 0, captured_bytes int not null default 0, primary key (id))',
    );
    this.addSql('create index rehearsals_of_agent on rehearsals (agent_id, id)');
    this.addSql(
      'alter table rehearsals add constraint rehearsals_agent_id_foreign foreign key (agent_id) references agents (id) on delete cascade',
    );
    this.addSql(
      'create table rehearsal_feeds (rehearsal_id uuid not null, stream_id uuid not null, from_seq bigint not null, until_seq bigint not null, given_seq bigint null, primary key (rehearsal_id, stream_id))',
    );
    this.addSql(
      'alter table rehearsal_feeds add constraint rehearsal_feeds_rehearsal_id_foreign foreign key (rehearsal_id) references rehearsals (id) on delete cascade',
    );
    this.addSql(
      'create table rehearsal_sends (id uuid not null, rehearsal_id uuid not null, channel_id uuid not null, thread_id uuid null, reply_to_id uuid null, answers_to bigint null, content text not null, once_key text null, created_at timestamptz(3) not null default now(), primary key (id))',
    );
    this.addSql('create index rehearsal_sends_in_order on rehearsal_sends (rehearsal_id, id)');
    this.addSql('create index rehearsal_sends_channel_id_index on rehearsal_sends (channel_id)');
    this.addSql(
      'create unique index rehearsal_sends_once on rehearsal_sends (rehearsal_id, channel_id, once_key) where once_key is not null',
    );
    this.addSql(
      'alter table rehearsal_sends add constraint rehearsal_sends_rehearsal_id_foreign foreign key (rehearsal_id) references rehearsals (id) on delete cascade',
    );
    this.addSql(
      'alter table rehearsal_sends add constraint rehearsal_sends_channel_id_foreign foreign key (channel_id) references channels (id) on delete cascade',
    );
  }
}
