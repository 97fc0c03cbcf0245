import { refusal } from '../../infrastructure/rate-limits.ts';
import type { Context } from '../context.ts';
import type { Named } from './address/mailboxes.table.ts';
import type { Passwords } from './passwords.ts';
import { attemptPassword, type Source } from './sources.ts';

interface Deps extends Pick<Context, 'limits'> {
  passwords: Passwords;
}

/** An account without a password, in place of one that is not there. */
const nobody: Named = { id: '', passwordHash: null };

/** Checks passwords, with a limit on wrong ones per account, and per where they come from (contract §3). */
export class PasswordCheck {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /**
   * The account that a password belongs to. The work is the same whether or not there is one.
   * @param name by which the accounts were looked up: each name is counted by itself, so that nobody learns that two are of one
   *   account
   * @param sourceFor where the attempt comes from, for one of the accounts
   * @throws AppError RATE_LIMITED where no account may be tried any more, SERVER_BUSY
   */
  async find<A extends Named>(
    name: string,
    accounts: A[],
    password: string,
    sourceFor: (account: Named) => Source,
  ): Promise<A | null> {
    const all: Named[] = accounts.length > 0 ? accounts : [nobody];
    // Counted before the check and given back afterwards, so that concurrent attempts count too. They count against one
    // password: a user who was given a new one has often been trying the old one.
    const attempts = await Promise.all(
      all.map((account) => {
        const subject = `${name} ${account.id} ${account.passwordHash ?? ''}`;
        return attemptPassword(this.deps.limits, subject, sourceFor(account));
      }),
    );
    const giveBack = () => Promise.all(attempts.map((attempt) => attempt.giveBack()));
    const spent = attempts.map(({ quota }) => quota?.exceeded === true);
    const [quota] = attempts.map((attempt) => attempt.quota);
    if (quota && spent.every((one) => one)) throw refusal(quota);
    const hashes = all.map(({ passwordHash }) => passwordHash);
    const matches = await this.deps.passwords.matchesOf(password, hashes).catch(async (error) => {
      // The password was not checked: a busy node must not lock people out.
      await giveBack();
      throw error;
    });
    const found = accounts.find((_account, at) => matches[at] && !spent[at]);
    if (found) await giveBack();
    return found ?? null;
  }

  /**
   * Whether it is the password of an account that something of its own, such as a session, asks for.
   * @param known what asks
   * @throws AppError RATE_LIMITED, SERVER_BUSY
   */
  async isRight(account: Named, password: string, known: string): Promise<boolean> {
    return (await this.find('', [account], password, () => ({ known }))) !== null;
  }
}
