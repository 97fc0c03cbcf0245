import { Migration } from '@mikro-orm/migrations';

/** Apps and the files of their versions. */
export class Apps extends Migration {
  override up(): void {
    this.addSql(
      `create table apps (id uuid not null, server_id uuid not null, name text not null, slug text not null, type text not null, status text not null, description text null, icon_url text null, url text null, version int not null default 1, is_homepage boolean not null default false, view_count bigint not null default '0', created_by uuid null, created_at timestamptz(3) not null, updated_at timestamptz(3) not null, primary key (id))`,
    );
    this.addSql(`alter table apps add constraint apps_server_slug unique (server_id, slug)`);
    this.addSql(`create unique index apps_homepage on apps (server_id) where is_homepage = true`);
    this.addSql(
      `create table app_files (app_id uuid not null, version int not null, path text not null, blob_id uuid not null, size_bytes bigint not null, primary key (app_id, version, path))`,
    );
    this.addSql(`create index app_files_blob_id_index on app_files (blob_id)`);
    this.addSql(
      `alter table apps add constraint apps_server_id_foreign foreign key (server_id) references servers (id) on delete cascade`,
    );
    this.addSql(
      `alter table apps add constraint apps_created_by_foreign foreign key (created_by) references users (id) on delete set null`,
    );
    this.addSql(
      `alter table app_files add constraint app_files_app_id_foreign foreign key (app_id) references apps (id) on delete cascade`,
    );
    this.addSql(
      `alter table app_files add constraint app_files_blob_id_foreign foreign key (blob_id) references blobs (id) on delete no action`,
    );
  }
}
