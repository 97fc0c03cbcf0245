import { Migration } from '@mikro-orm/migrations';

/** What filters flag is reported, and waits in the queue of held messages no more (contract §6). */
export class FlagReports extends Migration {
  override up(): void {
    this.addSql('alter table reports alter column reporter_id drop not null');
    this.addSql('create unique index reports_of_filter on reports (case_id) where reporter_id is null');
    this.addSql(`insert into jobs (kind, id, data, run_at, due_at)
      select 'message-flag', id, json_build_object('messageId', message_id, 'channelId', channel_id, 'serverId', server_id,
        'content', content, 'pattern', coalesce(pattern, '')), now(), now() from held_messages where status = 'flagged' and message_id is not null`);
    this.addSql(`delete from held_messages where kind = 'flag'`);
    this.addSql('drop index held_messages_queue');
    this.addSql(`create index held_messages_queue on held_messages (server_id, id) where status = 'waiting'`);
  }
}
