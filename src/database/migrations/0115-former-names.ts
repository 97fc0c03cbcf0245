import { Migration } from '@mikro-orm/migrations';

/** The names of deleted accounts, which nobody else may have for a while. */
export class FormerNames extends Migration {
  override up(): void {
    this.addSql(
      'create table former_names (look text not null, kept_until timestamptz(3) not null, primary key (look))',
    );
    this.addSql('create index former_names_over on former_names (kept_until)');
  }
}
