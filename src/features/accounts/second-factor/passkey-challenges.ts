import { randomBytes } from 'node:crypto';
import { decodeClientDataJSON } from '@simplewebauthn/server/helpers';
import { AppError } from '../../../contract/errors.ts';
import { PasskeyChallenge, type PasskeyPurpose } from '../../../database/entities/second-factor.entity.ts';
import { clock, dateNow } from '../../../infrastructure/clock.ts';
import type { Context } from '../../context.ts';
import { hashSecret } from '../secrets.ts';

const challengeBytes = 32;

/** What a challenge was made for: only that may be done with it. */
export interface Purpose {
  purpose: PasskeyPurpose;
  /** Whose passkey it has to be; null: anyone's. */
  userId: string | null;
}

type Deps = Pick<Context, 'changes' | 'settings'>;

/** Challenges for passkeys: in the database, so that any node may check what another one asked for. */
export class PasskeyChallenges {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** A new challenge in base64url, and for how many ms it is valid. */
  async make({ purpose, userId }: Purpose): Promise<{ challenge: string; timeout: number }> {
    const timeout = this.deps.settings.accounts.secondFactor.seconds * 1000;
    const challenge = randomBytes(challengeBytes).toString('base64url');
    const expiresAt = new Date(clock.now() + timeout);
    const row = { challengeHash: hashSecret(challenge), purpose, userId, expiresAt };
    await this.deps.changes.run(({ em }) => em.insert(PasskeyChallenge, row));
    return { challenge, timeout };
  }

  /**
   * Uses up the challenge that a browser has signed, before anything else is checked: it is good for one answer.
   * @param clientData of the answer, in base64url @throws AppError PASSKEY_INVALID
   */
  async spend(clientData: string, { purpose, userId }: Purpose): Promise<string> {
    const challenge = challengeIn(clientData);
    if (challenge === null) throw new AppError('PASSKEY_INVALID');
    const made = { challengeHash: hashSecret(challenge), purpose, userId, expiresAt: { $gt: dateNow() } };
    const spent = await this.deps.changes.run(({ em }) => em.nativeDelete(PasskeyChallenge, made));
    if (spent === 0) throw new AppError('PASSKEY_INVALID');
    return challenge;
  }
}

function challengeIn(clientData: string): string | null {
  try {
    const { challenge } = decodeClientDataJSON(clientData);
    return typeof challenge === 'string' ? challenge : null;
  } catch {
    // Not the JSON of a browser.
    return null;
  }
}
