import { Migration } from '@mikro-orm/migrations';

/**
 * Indexes for moderation on tables that may be large, apart from the changes of these tables: while an index is built, nobody
 * writes to its table, but everybody reads. `server_members_roles` finds those who may decide something among many members.
 */
export class ModerationIndexes extends Migration {
  override up(): void {
    this.addSql(`set local lock_timeout = '100ms'`);
    this.addSql('lock table server_members, attachments in share row exclusive mode');
    this.addSql('create index server_members_roles on server_members (server_id, role, user_id)');
    this.addSql('create index server_members_recent on server_members (server_id, joined_at)');
    this.addSql(
      'create index server_members_brought on server_members (invite_id, user_id) where invite_id is not null',
    );
    this.addSql('create index attachments_held on attachments (held_id) where held_id is not null');
    this.addSql('alter table server_members validate constraint server_members_invited_by_foreign');
    this.addSql('alter table attachments validate constraint attachments_held_id_foreign');
  }
}
