import { Migration } from '@mikro-orm/migrations';

/** A message remembers the nonce and the key that it was sent with, and not one in the place of the other. */
export class SentKeys extends Migration {
  override up(): void {
    this.addSql('alter table messages add column sent_key text null');
    this.addSql(
      `create unique index messages_sent_key on messages (channel_id, author_id, sent_key) where sent_key is not null`,
    );
    // Keys were kept among the nonces until now, longer than any of those.
    this.addSql(
      `update messages set sent_key = regexp_replace(nonce, '^:*key:', ''), nonce = null where length(nonce) > 64`,
    );
  }
}
