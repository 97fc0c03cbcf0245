import { Migration } from '@mikro-orm/migrations';

/**
 * What files and folders are found by (contract §8, Search), filled in the background. Triggers note what is to be indexed,
 * whichever version of a node, command or import writes it; what was there before is noted here.
 */
export class WorkspaceWords extends Migration {
  override up(): void {
    this.addSql('create table workspace_words (node_id uuid not null, words tsvector not null, primary key (node_id))');
    this.addSql('create index workspace_words_words on workspace_words using gin (words)');
    this.addSql(
      'alter table workspace_words add constraint workspace_words_node_id_foreign foreign key (node_id) references workspace_nodes (id) on update cascade on delete cascade',
    );
    this.addSql(
      'create table workspace_stale (id bigserial primary key, workspace_id uuid not null, node_id uuid not null)',
    );
    this.addSql('create index workspace_stale_workspace on workspace_stale (workspace_id, id)');
    this.addSql(
      `create function note_workspace_nodes() returns trigger language plpgsql as $$
       begin
         if tg_op = 'INSERT' then
           insert into workspace_stale (workspace_id, node_id) select workspace_id, id from new_rows;
         else
           insert into workspace_stale (workspace_id, node_id)
             select n.workspace_id, n.id from new_rows n join old_rows o on o.id = n.id
             where n.name <> o.name or n.blob_id is distinct from o.blob_id;
         end if;
         return null;
       end $$`,
    );
    this.addSql(
      `create trigger note_workspace_nodes_insert after insert on workspace_nodes
       referencing new table as new_rows for each statement execute function note_workspace_nodes()`,
    );
    this.addSql(
      `create trigger note_workspace_nodes_update after update on workspace_nodes
       referencing old table as old_rows new table as new_rows for each statement execute function note_workspace_nodes()`,
    );
    this.addSql('insert into workspace_stale (workspace_id, node_id) select workspace_id, id from workspace_nodes');
  }
}
