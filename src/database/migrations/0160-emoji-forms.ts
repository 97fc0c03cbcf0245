import { Migration } from '@mikro-orm/migrations';
import { emojiFormOf } from '../emoji-form.ts';

/**
 * An emoji is one reaction, whatever variation selectors it is sent with. The database keeps it so for every writer: an
 * older node beside new ones, an import, or an operator. 0161 merges what is there.
 */
export class EmojiForms extends Migration {
  override up(): void {
    this.addSql(`create function form_reaction() returns trigger language plpgsql set search_path from current as $$ begin
      new.emoji := ${emojiFormOf('new.emoji')};
      return new; end $$`);
    this.addSql(
      'create trigger form_reaction before insert on reactions for each row execute function form_reaction()',
    );
  }
}
