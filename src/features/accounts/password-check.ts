import type { Context } from '../context.ts';
import type { Passwords } from './passwords.ts';

interface Deps extends Pick<Context, 'limits'> {
  passwords: Passwords;
}

/** Checks passwords, with a limit on wrong attempts per account (contract §3). */
export class PasswordCheck {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /**
   * @param hash null: there is none, and the work is the same
   * @throws AppError RATE_LIMITED, SERVER_BUSY
   */
  async isRight(account: string, password: string, hash: string | null): Promise<boolean> {
    // Counted before the check and given back afterwards, so that concurrent attempts count too. They count against one
    // password: a user who was given a new one has often been trying the old one.
    const attempt = await this.deps.limits.attempt('loginFailures', `${account} ${hash ?? ''}`);
    const matches = await this.deps.passwords.matches(password, hash).catch(async (error) => {
      // The password was not checked: a busy node must not lock people out.
      await attempt.giveBack();
      throw error;
    });
    if (matches) await attempt.giveBack();
    return matches;
  }
}
