import { Migration } from '@mikro-orm/migrations';

/** A message stores the nonce and the key of its request in separate columns. */
export class SentKeys extends Migration {
  override up(): void {
    this.addSql('alter table messages add column sent_key text null');
    this.addSql(
      `create unique index messages_sent_key on messages (channel_id, author_id, sent_key) where sent_key is not null`,
    );
    // Until now keys were stored among the nonces; they are longer than any nonce.
    this.addSql(
      `update messages set sent_key = regexp_replace(nonce, '^:*key:', ''), nonce = null where length(nonce) > 64`,
    );
  }
}
