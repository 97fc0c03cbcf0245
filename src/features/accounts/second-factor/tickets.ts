import { AppError } from '../../../contract/errors.ts';
import type { Queries } from '../../../database/database.ts';
import { SignInTicket } from '../../../database/entities/second-factor.entity.ts';
import type { Change } from '../../../delivery/changes.ts';
import { clock, dateNow } from '../../../infrastructure/clock.ts';
import type { Context } from '../../context.ts';
import { hashSecret, newSecret } from '../secrets.ts';
import { Unfinished } from '../sessions/unfinished.ts';
import { factorMethods } from './factors.ts';

type Deps = Pick<Context, 'changes' | 'settings'>;

/** Sign-ins that wait for their second factor (contract §3). */
export class Tickets {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  async issue({ em }: Change, userId: string): Promise<Unfinished> {
    const { seconds: expiresIn } = this.deps.settings.accounts.secondFactor;
    const { secret: ticket, hash: tokenHash } = newSecret();
    await em.insert(SignInTicket, { tokenHash, userId, tries: 0, expiresAt: new Date(clock.now() + expiresIn * 1000) });
    return new Unfinished({ ticket, methods: await factorMethods(em, userId), expiresIn });
  }

  /** Whose sign-in it is. @throws AppError SIGN_IN_TICKET_INVALID */
  async owner(ticket: string): Promise<string> {
    const found = await this.deps.changes.run(({ em }) => em.findOne(SignInTicket, unexpired(ticket)));
    if (!found) throw new AppError('SIGN_IN_TICKET_INVALID');
    return found.userId;
  }

  /**
   * Counts a try before its proof is checked, so that concurrent ones count too.
   * @returns whose sign-in it is. @throws AppError SIGN_IN_TICKET_INVALID
   */
  async try(ticket: string): Promise<string> {
    const { tries } = this.deps.settings.accounts.secondFactor;
    const counted = await this.deps.changes.run(({ db }) => countTry(db, hashSecret(ticket), tries));
    if (!counted) throw new AppError('SIGN_IN_TICKET_INVALID');
    return counted.userId;
  }

  /** Uses it up: of two uses at once one finds it gone. @throws AppError SIGN_IN_TICKET_INVALID */
  async use({ em }: Change, ticket: string): Promise<void> {
    if ((await em.nativeDelete(SignInTicket, unexpired(ticket))) === 0) throw new AppError('SIGN_IN_TICKET_INVALID');
  }
}

const unexpired = (ticket: string) => ({ tokenHash: hashSecret(ticket), expiresAt: { $gt: dateNow() } });

function countTry(db: Queries, tokenHash: string, tries: number) {
  const waiting = db.updateTable('SignInTicket').where('tokenHash', '=', tokenHash).where('expiresAt', '>', dateNow());
  const counted = waiting.where('tries', '<', tries).set(({ eb }) => ({ tries: eb('tries', '+', 1) }));
  return counted.returning('userId').executeTakeFirst();
}
