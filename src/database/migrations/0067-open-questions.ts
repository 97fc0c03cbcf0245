import { Migration } from '@mikro-orm/migrations';

/** Finds a server's notifications that wait for an answer; they are deleted when it is given. */
export class OpenQuestions extends Migration {
  override up(): void {
    this.addSql(
      `create index notifications_open_questions on notifications (server_id) where read_at is null and kind in ('server.invite', 'server.join_request', 'channel.join_request')`,
    );
  }
}
