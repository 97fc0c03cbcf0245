import { Migration } from '@mikro-orm/migrations';

/** Previews of the pages that messages link to (contract §6, Link previews). Older nodes show and make none. */
export class LinkPreviews extends Migration {
  override up(): void {
    this.addSql('alter table messages add column previews json null');
    this.addSql('alter table servers add column link_previews boolean not null default true');
    this.addSql(
      `create table link_pages (id uuid not null, address text not null, state text not null default 'waiting', preview json null, expires_at timestamptz(3) not null, primary key (id))`,
    );
    this.addSql('alter table link_pages add constraint link_pages_address_unique unique (address)');
    this.addSql('create index link_pages_expired on link_pages (expires_at)');
    this.addSql(
      'create table link_page_waits (page_id uuid not null, message_id uuid not null, channel_id uuid not null, primary key (page_id, message_id))',
    );
    this.addSql(
      'alter table link_page_waits add constraint link_page_waits_page_id_foreign foreign key (page_id) references link_pages (id) on delete cascade',
    );
  }
}
