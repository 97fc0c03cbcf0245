import { Migration } from '@mikro-orm/migrations';

/**
 * Older contents of files (contract §8, Versions). They count for whoever wrote them and for the server, like files, and in the
 * workspace by themselves: a trigger does both, whichever way they come and go.
 */
export class FileVersions extends Migration {
  override up(): void {
    this.addSql(
      `create table workspace_versions (id uuid not null, node_id uuid not null, workspace_id uuid not null, version int not null, blob_id uuid not null, size_bytes bigint not null, mime text null, is_text boolean not null, saved_by uuid null, saved_at timestamptz(3) not null, replaced_at timestamptz(3) not null, primary key (id))`,
    );
    this.addSql('create unique index workspace_versions_number on workspace_versions (node_id, version)');
    this.addSql('create index workspace_versions_oldest on workspace_versions (workspace_id, replaced_at)');
    this.addSql('create index workspace_versions_replaced on workspace_versions (replaced_at)');
    this.addSql('create index workspace_versions_saved on workspace_versions (saved_by, id)');
    this.addSql('create index workspace_versions_blob_id_index on workspace_versions (blob_id)');
    this.addSql(
      'alter table workspace_versions add constraint workspace_versions_node_id_foreign foreign key (node_id) references workspace_nodes (id) on delete cascade',
    );
    this.addSql(
      'alter table workspace_versions add constraint workspace_versions_workspace_id_foreign foreign key (workspace_id) references workspaces (id) on delete cascade',
    );
    this.addSql(
      'alter table workspace_versions add constraint workspace_versions_blob_id_foreign foreign key (blob_id) references blobs (id) on delete no action',
    );
    this.addSql(
      'alter table workspace_versions add constraint workspace_versions_saved_by_foreign foreign key (saved_by) references users (id) on delete set null',
    );
    this.addSql(`alter table workspaces add column version_bytes bigint not null default '0'`);
    // Without a key to users: an id whose user is gone says nothing more.
    this.addSql(
      'alter table workspace_nodes add column content_by uuid null, add column content_at timestamptz(3) null',
    );
    this.addSql(
      `create function count_workspace_versions() returns trigger language plpgsql as $$
       declare sign int := case tg_op when 'INSERT' then 1 else -1 end;
       begin
         -- A deleted folder takes those of each file in it by a statement of its own; most have none.
         if not exists (select from changed) then
           return null;
         end if;
         insert into storage_changes (subject_id, kind, bytes, files)
           select subject_id, 'workspaces', sign * sum(bytes), 0 from (
             select saved_by as subject_id, size_bytes as bytes from changed where saved_by is not null
             union all select w.server_id, c.size_bytes from changed c join workspaces w on w.id = c.workspace_id
           ) s group by subject_id having sum(bytes) <> 0;
         update workspaces w set version_bytes = w.version_bytes + sign * c.bytes
           from (select workspace_id, sum(size_bytes) as bytes from changed group by workspace_id) c
           where w.id = c.workspace_id;
         return null;
       end $$`,
    );
    this.addSql(
      `create trigger count_workspace_versions_insert after insert on workspace_versions
       referencing new table as changed for each statement execute function count_workspace_versions()`,
    );
    this.addSql(
      `create trigger count_workspace_versions_delete after delete on workspace_versions
       referencing old table as changed for each statement execute function count_workspace_versions()`,
    );
  }
}
