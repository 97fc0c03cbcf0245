import {
  type AuthenticationResponseJSON,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { COSEALG } from '@simplewebauthn/server/helpers';
import type { z } from 'zod';
import type { Actor } from '../../../contract/actor.ts';
import { AppError } from '../../../contract/errors.ts';
import type {
  newPasskeySchema,
  passkeyAnswerSchema,
  passkeyCreationSchema,
  passkeyRequestSchema,
  passkeySchema,
} from '../../../contract/passkey.ts';
import { Passkey } from '../../../database/entities/second-factor.entity.ts';
import { User } from '../../../database/entities/user.entity.ts';
import { isUniqueViolation } from '../../../database/failures.ts';
import type { Change } from '../../../delivery/changes.ts';
import { dateNow } from '../../../infrastructure/clock.ts';
import { newId } from '../../../infrastructure/ids.ts';
import type { Context } from '../../context.ts';
import { shownEmail } from '../account.view.ts';
import type { SecurityNotices } from '../notices/security-notices.ts';
import type { Device } from '../sessions/device.ts';
import { ownSession } from '../sessions/session.service.ts';
import type { Factors } from './factors.ts';
import type { PasskeyChallenges, Purpose } from './passkey-challenges.ts';
import { passkeyRecord } from './second-factor.view.ts';

type PasskeyRecord = z.input<typeof passkeySchema>;
type Answer = z.output<typeof passkeyAnswerSchema>;

/** What authenticators sign with; the library's own list has one more, which Node calls experimental. */
const algorithms = [COSEALG.EdDSA, COSEALG.ES256, COSEALG.RS256];

/** A passkey that has answered; `use` records it in the change that relies on it. */
export interface Recognised {
  userId: string;
  use(change: Change): Promise<void>;
}

interface Deps extends Pick<Context, 'database' | 'changes' | 'publicUrl' | 'settings' | 'log'> {
  factors: Factors;
  challenges: PasskeyChallenges;
  notices: Pick<SecurityNotices, 'notify'>;
}

/** Passkeys (WebAuthn): they sign in by themselves, or complete a sign-in (contract §3). */
export class PasskeyService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** Options to make a passkey. @throws AppError PASSKEY_LIMIT, EMAIL_NOT_VERIFIED, INSUFFICIENT_PAT_SCOPE */
  async startAdding(actor: Actor): Promise<z.input<typeof passkeyCreationSchema>> {
    const { userId } = actor;
    const { user, passkeys } = await this.deps.changes.run(async (change) => {
      const user = await this.deps.factors.holdToAdd(change, actor);
      return { user, passkeys: await change.em.find(Passkey, { userId }) };
    });
    this.requireRoom(passkeys.length);
    return {
      ...(await this.deps.challenges.make({ purpose: 'register', userId })),
      rp: { id: this.site.hostname, name: 'Parley' },
      user: { id: handleOf(userId), name: shownEmail(user) ?? user.username, displayName: user.displayName },
      pubKeyCredParams: algorithms.map((alg) => ({ alg, type: 'public-key' })),
      excludeCredentials: passkeys.map(described),
      authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
      attestation: 'none',
    };
  }

  /**
   * Adds the passkey that a browser has made.
   * @returns with recovery codes where it is the first factor of the account
   * @throws AppError PASSKEY_INVALID, PASSKEY_LIMIT, EMAIL_NOT_VERIFIED, INSUFFICIENT_PAT_SCOPE
   */
  async add(
    actor: Actor,
    { name, passkey }: { name: string; passkey: z.output<typeof newPasskeySchema> },
    device: Device,
  ): Promise<PasskeyRecord & { recoveryCodes: string[] | null }> {
    const [sessionId, { userId }] = [ownSession(actor), actor];
    const challenge = await this.deps.challenges.spend(passkey.response.clientDataJSON, {
      purpose: 'register',
      userId,
    });
    const made = await this.verifiedNew({ ...passkey, clientExtensionResults: {} }, challenge);
    const adding = this.deps.changes.run(async (change) => {
      const user = await this.deps.factors.holdToAdd(change, actor);
      this.requireRoom(await change.em.count(Passkey, { userId }));
      const kept = change.em.create(Passkey, { ...made, id: newId(), userId, name });
      await change.em.flush();
      const recoveryCodes = await this.deps.factors.added(change, user, sessionId);
      await this.deps.notices.notify(change, userId, 'passkey-added', { device, detail: name });
      return { ...passkeyRecord(kept), recoveryCodes };
    });
    return adding.catch((error) => {
      throw isUniqueViolation(error, 'passkeys_credential_id_unique') ? new AppError('PASSKEY_INVALID') : error;
    });
  }

  /** @throws AppError PASSKEY_NOT_FOUND, INSUFFICIENT_PAT_SCOPE */
  async rename(actor: Actor, id: string, name: string): Promise<PasskeyRecord> {
    ownSession(actor);
    return this.deps.changes.run(async ({ em }) => {
      const kept = await em.findOne(Passkey, { id, userId: actor.userId });
      if (!kept) throw new AppError('PASSKEY_NOT_FOUND');
      kept.name = name;
      await em.flush();
      return passkeyRecord(kept);
    });
  }

  /** @throws AppError PASSKEY_NOT_FOUND, INSUFFICIENT_PAT_SCOPE */
  async remove(actor: Actor, id: string, device: Device): Promise<void> {
    await this.deps.changes.run(async (change) => {
      const { id: userId } = await this.deps.factors.hold(change, actor);
      const kept = await change.em.findOne(Passkey, { id, userId });
      if (!kept) throw new AppError('PASSKEY_NOT_FOUND');
      await change.em.nativeDelete(Passkey, { id });
      await this.deps.factors.removed(change, userId);
      await this.deps.notices.notify(change, userId, 'passkey-removed', { device, detail: kept.name });
    });
  }

  /** Options to ask for one of an account's passkeys, or for any where `userId` is null. */
  async ask(purpose: Purpose): Promise<z.input<typeof passkeyRequestSchema>> {
    const { userId } = purpose;
    const known = userId === null ? [] : await this.deps.database.read((em) => em.find(Passkey, { userId }));
    return {
      ...(await this.deps.challenges.make(purpose)),
      rpId: this.site.hostname,
      allowCredentials: known.map(described),
      userVerification: verificationFor(purpose),
    };
  }

  /**
   * The account whose passkey has signed our challenge. Alone it signs in, so there it must have verified its user; beside
   * something else it need not.
   * @throws AppError PASSKEY_INVALID
   */
  async recognise(answer: Answer, purpose: Purpose): Promise<Recognised> {
    const challenge = await this.deps.challenges.spend(answer.response.clientDataJSON, purpose);
    const kept = await this.find(answer);
    if (!kept || (purpose.userId ?? kept.userId) !== kept.userId) throw new AppError('PASSKEY_INVALID');
    const counter = await this.verified(kept, { ...answer, clientExtensionResults: {} }, challenge, purpose);
    const { id, userId, counter: before } = kept;
    return {
      userId,
      async use({ em }) {
        // Of two answers with the same count one is not the authenticator's.
        const used = await em.nativeUpdate(Passkey, { id, counter: before }, { counter, lastUsedAt: dateNow() });
        if (used === 0) throw new AppError('PASSKEY_INVALID');
      },
    };
  }

  private async find({ id: credentialId, response: { userHandle } }: Answer): Promise<Passkey | null> {
    const kept = await this.deps.database.read((em) => em.findOne(Passkey, { credentialId }));
    const isOther = kept && userHandle && userHandle !== handleOf(kept.userId);
    if (!kept || isOther) return null;
    const { userId: id } = kept;
    return (await this.deps.database.read((em) => em.count(User, { id, deletedAt: null }))) > 0 ? kept : null;
  }

  /** @returns the new count of the authenticator */
  private async verified(
    kept: Passkey,
    response: AuthenticationResponseJSON,
    expectedChallenge: string,
    purpose: Purpose,
  ): Promise<number> {
    const publicKey = new Uint8Array(Buffer.from(kept.publicKey, 'base64url'));
    const verifying = verifyAuthenticationResponse({
      response,
      expectedChallenge,
      expectedOrigin: this.site.origin,
      expectedRPID: this.site.hostname,
      credential: { id: kept.credentialId, publicKey, counter: kept.counter },
      requireUserVerification: verificationFor(purpose) === 'required',
    });
    const { verified, authenticationInfo } = await verifying.catch((error) => this.refuse(error, kept));
    if (!verified) throw new AppError('PASSKEY_INVALID');
    return authenticationInfo.newCounter;
  }

  private async verifiedNew(response: RegistrationResponseJSON, expectedChallenge: string) {
    const verifying = verifyRegistrationResponse({
      response,
      expectedChallenge,
      expectedOrigin: this.site.origin,
      expectedRPID: this.site.hostname,
      requireUserVerification: false,
      supportedAlgorithmIDs: algorithms,
    });
    const { verified, registrationInfo } = await verifying.catch((error) => this.refuse(error, null));
    if (!verified) throw new AppError('PASSKEY_INVALID');
    const { id, publicKey, counter } = registrationInfo.credential;
    const transports = (response.response.transports ?? []).join(' ');
    return { credentialId: id, publicKey: Buffer.from(publicKey).toString('base64url'), counter, transports };
  }

  /** The library says why; a count that went back may be a copy of the authenticator. */
  private refuse(error: Error, kept: Passkey | null): never {
    const { id = null, userId = null } = kept ?? {};
    this.deps.log.warn({ passkeyId: id, userId, reason: error.message }, 'A passkey was refused.');
    throw new AppError('PASSKEY_INVALID', { cause: error });
  }

  private requireRoom(count: number): void {
    if (count >= this.deps.settings.accounts.secondFactor.passkeys) throw new AppError('PASSKEY_LIMIT');
  }

  /** Passkeys belong to the host of the public URL, and answer to its origin alone. */
  private get site(): URL {
    return new URL(this.deps.publicUrl());
  }
}

const verificationFor = ({ purpose }: Purpose) => (purpose === 'sign-in' ? 'required' : 'preferred');

/** What authenticators keep of an account: nothing that tells whose it is. */
const handleOf = (userId: string): string => Buffer.from(userId.replaceAll('-', ''), 'hex').toString('base64url');

function described({ credentialId, transports }: Passkey) {
  return { id: credentialId, type: 'public-key' as const, transports: transports.split(' ').filter(Boolean) };
}
