import { Migration } from '@mikro-orm/migrations';

/** Finds what someone reacted with, for the export of their account. */
export class ReactionsByUser extends Migration {
  override up(): void {
    this.addSql('create index reactions_by_user on reactions (user_id)');
  }
}
