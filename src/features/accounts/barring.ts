import { AppError } from '../../contract/errors.ts';
import type { Rows } from '../../database/database.ts';
import type { User } from '../../database/entities/user.entity.ts';
import { networksOf } from '../../infrastructure/client-address.ts';
import type { Settings } from '../../settings/settings.ts';
import { mailboxOf } from './address/mailbox.ts';
import { hasBarred } from './barred-addresses.table.ts';
import { keyedHash } from './secrets.ts';
import { suspension } from './standing.ts';

type Addressed = Pick<User, 'email' | 'claimedEmail' | 'emailVerifiedAt'>;

/**
 * Which addresses make no new accounts, since someone with them is banned from the installation (contract §3). What is kept
 * of an address is a hash keyed with the JWT secret; those of former secrets still count.
 */
export class Barring {
  private readonly secrets: string[];
  /** Whether addresses on the network count. */
  readonly byNetwork: boolean;

  constructor({ jwtSecrets, accounts }: Pick<Settings, 'jwtSecrets' | 'accounts'>) {
    this.secrets = jwtSecrets.map(({ secret }) => secret);
    this.byNetwork = accounts.banAddresses;
  }

  /** What is kept of a mailbox. */
  ofMailbox(email: string): string {
    return this.mailboxHashes(email)[0] ?? '';
  }

  /** What is kept of an address on the network: of a /64 of IPv6. */
  ofNetwork(ip: string): string {
    return this.networkHashes(ip)[0] ?? '';
  }

  /**
   * For a new account. Only who has proven to own a mailbox is told that it is banned.
   * @throws AppError ACCOUNT_SUSPENDED, SIGN_UP_REFUSED for the address on the network
   */
  async requireNew(rows: Rows, provenEmail: string | null, ip: string): Promise<void> {
    if (this.byNetwork && (await hasBarred(rows, this.networkHashes(ip)))) throw new AppError('SIGN_UP_REFUSED');
    await this.requireMailbox(rows, provenEmail);
  }

  /** For a mailbox that someone has proven to own. @throws AppError ACCOUNT_SUSPENDED */
  async requireMailbox(rows: Rows, email: string | null): Promise<void> {
    if (email !== null && (await hasBarred(rows, this.mailboxHashes(email)))) throw suspension(null, null);
  }

  /**
   * Whether an account was made with a banned mailbox that nobody has proven to own. It cannot be entered before that, as
   * where all addresses have to be proven, so that the answer tells no stranger which address is banned.
   */
  async isBarred(rows: Rows, { email, claimedEmail, emailVerifiedAt }: Addressed): Promise<boolean> {
    const given = emailVerifiedAt ? null : (email ?? claimedEmail ?? null);
    return given !== null && hasBarred(rows, this.mailboxHashes(given));
  }

  /** @throws AppError EMAIL_NOT_VERIFIED */
  async requireEntry(rows: Rows, user: Addressed): Promise<void> {
    if (await this.isBarred(rows, user)) throw new AppError('EMAIL_NOT_VERIFIED');
  }

  private mailboxHashes(email: string): string[] {
    return this.secrets.map((key) => keyedHash(key, 'banned mailbox', mailboxOf(email)));
  }

  private networkHashes(ip: string): string[] {
    return this.secrets.map((key) => keyedHash(key, 'banned address', networksOf(ip).own));
  }
}
