import { Migration } from '@mikro-orm/migrations';

/** What people report, and what was decided about it (contract §5). Older nodes know nothing of it. */
export class Reports extends Migration {
  override up(): void {
    this.addSql(
      `create table report_cases (id uuid not null, kind text not null, server_id uuid null, object_id uuid not null, channel_id uuid null,
        about_id uuid null, to_operators boolean not null default false, snapshot jsonb null, authors uuid[] not null default '{}', categories text[] not null default '{}', report_count int not null default 0,
        created_at timestamptz(3) not null, updated_at timestamptz(3) not null, decided_at timestamptz(3) null,
        decided_by uuid null, action text null, reason text null, primary key (id))`,
    );
    this.addSql(
      `create unique index report_cases_open on report_cases (object_id, kind, coalesce(server_id, '00000000-0000-0000-0000-000000000000')) where decided_at is null`,
    );
    this.addSql('create index report_cases_server on report_cases (server_id, id)');
    this.addSql('create index report_cases_waiting on report_cases (server_id, id) where decided_at is null');
    this.addSql('create index report_cases_operators on report_cases (id) where server_id is null or to_operators');
    this.addSql(
      'create index report_cases_with_operators on report_cases (id) where decided_at is null and (server_id is null or to_operators)',
    );
    this.addSql('create index report_cases_about on report_cases (about_id, id)');
    this.addSql('create index report_cases_decided_by_index on report_cases (decided_by)');
    this.addSql('create index report_cases_authors on report_cases using gin (authors)');
    this.addSql(
      'create index report_cases_kept on report_cases (decided_at) where decided_at is not null and snapshot is not null',
    );
    this.addSql(
      `create table reports (id uuid not null, case_id uuid not null, reporter_id uuid not null, category text not null, text text null,
        created_at timestamptz(3) not null, primary key (id))`,
    );
    this.addSql('alter table reports add constraint reports_of_reporter unique (case_id, reporter_id)');
    this.addSql('create index reports_reporter_id_index on reports (reporter_id)');
    for (const [table, column, other, rule] of [
      ['report_cases', 'server_id', 'servers', 'cascade'],
      ['report_cases', 'about_id', 'users', 'set null'],
      ['report_cases', 'decided_by', 'users', 'set null'],
      ['reports', 'case_id', 'report_cases', 'cascade'],
      ['reports', 'reporter_id', 'users', 'cascade'],
    ]) {
      this.addSql(
        `alter table ${table} add constraint ${table}_${column}_foreign foreign key (${column}) references ${other} (id) on delete ${rule}`,
      );
    }
  }
}
