import { Migration } from '@mikro-orm/migrations';

/** Headings over the channels of a server, in an order of their own (contract §5). */
export class Categories extends Migration {
  override up(): void {
    this.addSql(
      'create table channel_categories (id uuid not null, server_id uuid not null, name text not null, position int not null default 0, created_at timestamptz(3) not null, updated_at timestamptz(3) not null, primary key (id))',
    );
    this.addSql(
      'alter table channel_categories add constraint channel_categories_server_id_foreign foreign key (server_id) references servers (id) on delete cascade',
    );
    this.addSql('create index channel_categories_server_position on channel_categories (server_id, position)');
    this.addSql('alter table channels add column category_id uuid null');
    // No row has one yet: nothing is to be checked, and the table is not read.
    this.addSql(
      'alter table channels add constraint channels_category_id_foreign foreign key (category_id) references channel_categories (id) on delete set null not valid',
    );
    this.addSql('create index channels_category on channels (category_id) where category_id is not null');
    this.addSql('alter table servers add column categories_version int not null default 0');
  }
}
