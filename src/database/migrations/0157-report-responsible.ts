import { Migration } from '@mikro-orm/migrations';

/**
 * Who answered for whom a case is about, when it was first reported, and who had a bot before: what is about one that has gone
 * or changed hands stays hidden from them (contract §5). Older nodes leave both out.
 */
export class ReportResponsible extends Migration {
  override up(): void {
    this.addSql('alter table report_cases add column responsible_id uuid null');
    this.addSql(
      'alter table report_cases add constraint report_cases_responsible_id_foreign foreign key (responsible_id) references users (id) on delete set null',
    );
    this.addSql('create index report_cases_responsible_id_index on report_cases (responsible_id)');
    this.addSql('alter table users add column former_owner_id uuid null');
    this.addSql(
      `update report_cases set responsible_id = coalesce((select a.owner_id from agents a where a.user_id = about_id), about_id)
        where about_id is not null`,
    );
  }
}
