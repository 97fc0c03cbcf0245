import { AppError } from '../../../contract/errors.ts';
import type { FactorMethod } from '../../../contract/second-factor.ts';
import type { AuthAnswer } from './session.service.ts';

/** A sign-in that a second factor has to complete: there is no session yet. */
export class Unfinished {
  /** Completes this sign-in alone, once. */
  readonly ticket: string;
  readonly methods: FactorMethod[];
  /** Seconds for which the ticket is valid. */
  readonly expiresIn: number;

  constructor({ ticket, methods, expiresIn }: Pick<Unfinished, 'ticket' | 'methods' | 'expiresIn'>) {
    this.ticket = ticket;
    this.methods = methods;
    this.expiresIn = expiresIn;
  }
}

/**
 * The answer of a sign-in, after the commit: a ticket must outlive it.
 * @throws AppError SECOND_FACTOR_REQUIRED with `ticket`, `methods`, `expiresIn`
 */
export function finished(signIn: AuthAnswer | Unfinished): AuthAnswer {
  if (!(signIn instanceof Unfinished)) return signIn;
  const { ticket, methods, expiresIn } = signIn;
  throw new AppError('SECOND_FACTOR_REQUIRED', { extra: { ticket, methods, expiresIn } });
}
