import { Migration } from '@mikro-orm/migrations';

/** Each upload adds up its user's stored bytes (contract §8). */
export class Storage extends Migration {
  override up(): void {
    this.addSql('create index attachments_uploaded on attachments (uploader_id, size)');
    this.addSql('create index workspace_nodes_made on workspace_nodes (created_by, size_bytes)');
    this.addSql('create index apps_made on apps (created_by)');
  }
}
