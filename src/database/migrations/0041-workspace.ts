import { Migration } from '@mikro-orm/migrations';

/** The virtual file systems of the servers. */
export class Workspaces extends Migration {
  override up(): void {
    this.addSql(
      `create table workspaces (id uuid not null, server_id uuid not null, name text not null, folder_count int not null default 0, file_count int not null default 0, total_bytes bigint not null default '0', created_at timestamptz(3) not null, updated_at timestamptz(3) not null, primary key (id))`,
    );
    this.addSql(`alter table workspaces add constraint workspaces_server_id_unique unique (server_id)`);
    this.addSql(
      `create table workspace_nodes (id uuid not null, workspace_id uuid not null, parent_id uuid null, kind text not null, name text not null, mime text null, size_bytes bigint not null default '0', is_text boolean not null default false, blob_id uuid null, version int not null default 1, created_by uuid null, created_at timestamptz(3) not null, updated_at timestamptz(3) not null, primary key (id))`,
    );
    this.addSql(`create index workspace_nodes_workspace_id_index on workspace_nodes (workspace_id)`);
    this.addSql(`create index workspace_nodes_parent_id_index on workspace_nodes (parent_id)`);
    this.addSql(`create index workspace_nodes_blob_id_index on workspace_nodes (blob_id)`);
    this.addSql(
      `create unique index workspace_nodes_place on workspace_nodes (coalesce(parent_id, workspace_id), name)`,
    );
    this.addSql(
      `create table workspace_viewers (workspace_id uuid not null, user_id uuid not null, seen_at timestamptz(3) not null, primary key (workspace_id, user_id))`,
    );
    this.addSql(
      `alter table workspaces add constraint workspaces_server_id_foreign foreign key (server_id) references servers (id) on delete cascade`,
    );
    this.addSql(
      `alter table workspace_nodes add constraint workspace_nodes_workspace_id_foreign foreign key (workspace_id) references workspaces (id) on delete cascade`,
    );
    this.addSql(
      `alter table workspace_nodes add constraint workspace_nodes_parent_id_foreign foreign key (parent_id) references workspace_nodes (id) on delete cascade`,
    );
    this.addSql(
      `alter table workspace_nodes add constraint workspace_nodes_blob_id_foreign foreign key (blob_id) references blobs (id) on delete no action`,
    );
    this.addSql(
      `alter table workspace_nodes add constraint workspace_nodes_created_by_foreign foreign key (created_by) references users (id) on delete set null`,
    );
    this.addSql(
      `alter table workspace_viewers add constraint workspace_viewers_workspace_id_foreign foreign key (workspace_id) references workspaces (id) on update cascade on delete cascade`,
    );
    this.addSql(
      `alter table workspace_viewers add constraint workspace_viewers_user_id_foreign foreign key (user_id) references users (id) on update cascade on delete cascade`,
    );
  }
}
