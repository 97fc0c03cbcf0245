import { Migration } from '@mikro-orm/migrations';
import { counting } from './0235-storage-usage.ts';

const shows = (url: string) =>
  `update pictures set server_id = %S where name = substring(${url} from '^/media/([0-9a-f]{32})[.]webp$')
     and server_id is distinct from %S`;

/** Pictures count for whoever uploaded them, and for the server that shows them as icon, banner or emoji. */
export class CountedPictures extends Migration {
  override up(): void {
    this.addSql('alter table pictures add column server_id uuid null');
    const statements = counting(
      'pictures',
      'pictures',
      (rows) =>
        `select uploader_id as subject_id, bytes from ${rows} where is_counted and uploader_id is not null
         union all select server_id, bytes from ${rows} where is_counted and server_id is not null`,
    );
    for (const statement of statements) this.addSql(statement);
    this.addSql(
      `create function place_emoji() returns trigger language plpgsql as $$
       begin
         ${shows('new.url').replaceAll('%S', 'new.server_id')};
         return null;
       end $$`,
    );
    this.addSql(
      `create function place_server_pictures() returns trigger language plpgsql as $$
       begin
         ${shows('new.icon_url').replaceAll('%S', 'new.id')};
         ${shows('new.banner_url').replaceAll('%S', 'new.id')};
         return null;
       end $$`,
    );
    this.addSql('create trigger place_emoji after insert on server_emoji for each row execute function place_emoji()');
    for (const event of ['insert', 'update of icon_url, banner_url']) {
      this.addSql(
        `create trigger place_server_pictures_${event.slice(0, 6)} after ${event} on servers for each row
         execute function place_server_pictures()`,
      );
    }
    // An import brings pictures after what shows them.
    this.addSql(
      `create function place_picture() returns trigger language plpgsql as $$
       declare shown text := '/media/' || new.name || '.webp';
       begin
         new.server_id := coalesce(
           (select server_id from server_emoji where url = shown limit 1),
           (select id from servers where icon_url = shown and icon_url like '/media/%' limit 1),
           (select id from servers where banner_url = shown and banner_url like '/media/%' limit 1));
         return new;
       end $$`,
    );
    this.addSql('create trigger place_picture before insert on pictures for each row execute function place_picture()');
    // What is left of a server is deleted with it; what a purge takes away later counts for nobody.
    this.addSql(
      `create function forget_server_usage() returns trigger language plpgsql as $$
       begin
         delete from storage_usage where subject_id = old.id;
         delete from storage_quotas where subject_id = old.id;
         return null;
       end $$`,
    );
    this.addSql(
      'create trigger forget_server_usage after delete on servers for each row execute function forget_server_usage()',
    );
  }
}
