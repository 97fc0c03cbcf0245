import { Migration } from '@mikro-orm/migrations';
import { counting } from './0235-storage-usage.ts';

const ofApps = (rows: string, subject: string) =>
  `select a.${subject} as subject_id, f.size_bytes as bytes from ${rows} f join apps a on a.id = f.app_id
   where f.is_counted and a.${subject} is not null`;

/**
 * Files of workspaces and apps count for whoever made them, and for the server; all contents count for the installation, once
 * each, thumbnails and what is not collected yet among them.
 */
export class CountedFiles extends Migration {
  override up(): void {
    const statements = [
      ...counting(
        'workspace_nodes',
        'workspaces',
        (rows) =>
          `select created_by as subject_id, size_bytes as bytes from ${rows}
             where is_counted and kind = 'file' and created_by is not null
           union all select w.server_id, n.size_bytes from ${rows} n join workspaces w on w.id = n.workspace_id
             where n.is_counted and n.kind = 'file'`,
      ),
      ...counting(
        'app_files',
        'apps',
        (rows) => `${ofApps(rows, 'created_by')} union all ${ofApps(rows, 'server_id')}`,
      ),
      ...counting(
        'blobs',
        'stored',
        (rows) =>
          `select '00000000-0000-0000-0000-000000000000'::uuid as subject_id, size as bytes from ${rows} where is_counted`,
      ),
    ];
    for (const statement of statements) this.addSql(statement);
    // The files of an app that is deleted go when it is gone: nobody could say then whose they were.
    this.addSql(
      `create function count_app() returns trigger language plpgsql as $$
       begin
         insert into storage_changes (subject_id, kind, bytes, files)
           select s.subject_id, 'apps', s.sign * sum(f.size_bytes), s.sign * count(*)
           from app_files f, (
             select old.created_by as subject_id, -1 as sign
             union all select old.server_id, -1 where tg_op = 'DELETE'
             union all select new.created_by, 1 where tg_op = 'UPDATE'
           ) s
           where f.app_id = old.id and f.is_counted and s.subject_id is not null group by s.subject_id, s.sign;
         if tg_op = 'DELETE' then
           return old;
         end if;
         return new;
       end $$`,
    );
    this.addSql('create trigger count_deleted_app before delete on apps for each row execute function count_app()');
    this.addSql(
      `create trigger count_given_app before update of created_by on apps for each row
       when (old.created_by is distinct from new.created_by) execute function count_app()`,
    );
  }
}
