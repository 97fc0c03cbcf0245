import { Migration } from '@mikro-orm/migrations';

/** The nodes, each of which announces itself (contract §3, Operators). */
export class ClusterNodes extends Migration {
  override up(): void {
    this.addSql(
      'create table cluster_nodes (id text not null, host text not null, pid int not null, version text not null, started_at timestamptz(3) not null, seen_at timestamptz(3) not null, vitals json null, primary key (id))',
    );
  }
}
