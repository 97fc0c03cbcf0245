import { Migration } from '@mikro-orm/migrations';
import { counting } from './0235-storage-usage.ts';

/** Files of messages count for whoever uploaded them, and for the server that they were sent in. */
export class CountedAttachments extends Migration {
  override up(): void {
    this.addSql('alter table attachments add column server_id uuid null');
    const statements = counting(
      'attachments',
      'messages',
      (rows) =>
        `select uploader_id as subject_id, size as bytes from ${rows} where is_counted
         union all select server_id, size from ${rows} where is_counted and server_id is not null`,
    );
    for (const statement of statements) this.addSql(statement);
    this.addSql(
      `create function place_attachment() returns trigger language plpgsql as $$
       begin
         select c.server_id into new.server_id from messages m join channels c on c.id = m.channel_id
           where m.id = new.message_id;
         return new;
       end $$`,
    );
    for (const event of ['insert', 'update of message_id']) {
      this.addSql(
        `create trigger place_attachment_${event.slice(0, 6)} before ${event} on attachments for each row
         when (new.message_id is not null) execute function place_attachment()`,
      );
    }
  }
}
