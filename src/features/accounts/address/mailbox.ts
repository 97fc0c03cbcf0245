/** Addresses at which letters after a `+` are a tag: mail to all of them arrives in one mailbox. As in the index `users_mailbox`. */
const tagging =
  /@(outlook[.]com|hotmail[.]com|live[.]com|icloud[.]com|me[.]com|mac[.]com|fastmail[.]com|proton[.]me|protonmail[.]com|pm[.]me)$/;
/** There dots mean nothing either. */
const dotless = /@(gmail|googlemail)[.]com$/;

/**
 * The mailbox that an address surely belongs to: one has one account (contract §3). Elsewhere a `+` may be part of a name, and
 * whoever owns a domain has as many mailboxes as they like anyway.
 * @param email in lower case
 */
export function mailboxOf(email: string): string {
  const [name = '', domain = ''] = email.split('@');
  const [untagged = ''] = name.split('+');
  if (dotless.test(email)) return `${untagged.replaceAll('.', '')}@gmail.com`;
  return tagging.test(email) ? `${untagged}@${domain}` : email;
}

/** The same for limits, where a mailbox may be counted for one that is not quite it: a `+` begins a tag everywhere. */
export function countedMailbox(email: string): string {
  return mailboxOf(email).replace(/^([^+@]+)\+[^@]*@/, '$1@');
}
