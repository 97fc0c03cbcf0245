import { Migration } from '@mikro-orm/migrations';

/** Offers to hand a server or an agent over. */
export class Handovers extends Migration {
  override up(): void {
    this.addSql(
      'create table handovers (id uuid not null, server_id uuid null, agent_id uuid null, from_id uuid not null, to_id uuid not null, created_at timestamptz(3) not null, expires_at timestamptz(3) not null, primary key (id))',
    );
    for (const column of ['server_id', 'agent_id']) {
      this.addSql(`alter table handovers add constraint handovers_${column}_unique unique (${column})`);
    }
    for (const [name, column] of [
      ['to', 'to_id'],
      ['from', 'from_id'],
      ['over', 'expires_at'],
    ]) {
      this.addSql(`create index handovers_${name} on handovers (${column})`);
    }
    for (const [column, table] of [
      ['server_id', 'servers'],
      ['agent_id', 'agents'],
      ['from_id', 'users'],
      ['to_id', 'users'],
    ]) {
      this.addSql(
        `alter table handovers add constraint handovers_${column}_foreign foreign key (${column}) references ${table} (id) on delete cascade`,
      );
    }
  }
}
