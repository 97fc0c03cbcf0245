import { Migration } from '@mikro-orm/migrations';

/** What people, servers and the installation have stored, and what operators allow them (contract §8, Storage). */
export class StorageUsage extends Migration {
  override up(): void {
    this.addSql(
      `create table storage_usage (subject_id uuid not null, kind text not null, bytes bigint not null default '0', files bigint not null default '0', gone_bytes bigint not null default '0', gone_since timestamptz(3) null, primary key (subject_id, kind))`,
    );
    this.addSql(
      'create table storage_changes (id bigserial primary key, subject_id uuid not null, kind text not null, bytes bigint not null, files bigint not null)',
    );
    this.addSql('create index storage_changes_subject on storage_changes (subject_id)');
    this.addSql(
      'create table storage_quotas (subject_id uuid not null, bytes bigint not null, set_at timestamptz(3) not null default now(), primary key (subject_id))',
    );
    this.addSql(
      `create table storage_backfills (counted text not null, reached text not null default '', primary key (counted))`,
    );
  }
}

/** SQL of whom the rows of a transition table count for: `subject_id, bytes`. @param rows SQL of its name */
type Subjects = (rows: string) => string;

/**
 * Statements that count what the rows of a table store, in the transaction of each change and by whichever version: as lines
 * that are only added, so that no change waits for another. Rows that are there already are counted later, in the background;
 * until then they say that they are not.
 */
export function counting(table: string, kind: string, subjects: Subjects): string[] {
  const name = `count_${table}`;
  const added = `select subject_id, bytes, 1 as files from (${subjects('new_rows')}) a`;
  const gone = `select subject_id, -bytes as bytes, -1 as files from (${subjects('old_rows')}) g`;
  const note = (changed: string) =>
    `insert into storage_changes (subject_id, kind, bytes, files)
       select subject_id, '${kind}', sum(bytes), sum(files) from (${changed}) c
       group by subject_id having sum(bytes) <> 0 or sum(files) <> 0`;
  const trigger = (on: string, rows: string) =>
    `create trigger ${name}_${on} after ${on} on ${table} referencing ${rows} for each statement execute function ${name}()`;
  return [
    `alter table ${table} add column is_counted boolean not null default false`,
    `alter table ${table} alter column is_counted set default true`,
    `create function ${name}() returns trigger language plpgsql as $$
     begin
       if tg_op = 'INSERT' then
         ${note(added)};
       elsif tg_op = 'UPDATE' then
         ${note(`${added} union all ${gone}`)};
       else
         ${note(gone)};
       end if;
       return null;
     end $$`,
    trigger('insert', 'new table as new_rows'),
    trigger('update', 'old table as old_rows new table as new_rows'),
    trigger('delete', 'old table as old_rows'),
    `insert into storage_backfills (counted) values ('${table}')`,
  ];
}
