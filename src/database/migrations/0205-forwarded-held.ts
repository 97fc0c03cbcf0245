import { Migration } from '@mikro-orm/migrations';

/** By it those find what waits to forward them who have all of their messages erased. */
export class ForwardedHeld extends Migration {
  override up(): void {
    this.addSql(
      `create index held_messages_forwarded on held_messages ((forward ->> 'authorId')) where forward is not null`,
    );
  }
}
