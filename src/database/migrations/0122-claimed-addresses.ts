import { Migration } from '@mikro-orm/migrations';

/** SQL of the mailbox of an address (see mailbox.ts of accounts): an index, so that what older nodes write is in it too. */
const mailbox = (email: string) =>
  `case when ${email} ~ '@(gmail|googlemail)[.]com$' then replace(split_part(split_part(${email}, '@', 1), '+', 1), '.', '') || '@gmail.com' when ${email} ~ '@(outlook[.]com|hotmail[.]com|live[.]com|icloud[.]com|me[.]com|mac[.]com|fastmail[.]com|proton[.]me|protonmail[.]com|pm[.]me)$' then split_part(split_part(${email}, '@', 1), '+', 1) || '@' || split_part(${email}, '@', 2) else ${email} end`;

/**
 * Accounts whose address belongs to another one remember the address that they were made with: registering does not tell
 * whether there was an account. One mailbox has one account from now on, in whichever spelling; those that have several stay.
 */
export class ClaimedAddresses extends Migration {
  override up(): void {
    this.addSql('alter table users add column claimed_email text null');
    this.addSql('create index users_claimed_email on users (claimed_email) where claimed_email is not null');
    this.addSql(`create index users_mailbox on users ((${mailbox('email')})) where email is not null`);
    // Who asks for an address ends nobody else's code for it.
    this.addSql('drop index email_changes_waiting_email');
    this.addSql('drop index email_changes_kept');
    this.addSql(
      `create index email_changes_kept on email_changes ((${mailbox('old_email')})) where changed_at is not null`,
    );
  }
}
