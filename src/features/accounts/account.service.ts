import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { z } from 'zod';
import type { Capabilities } from '../../access/capabilities.ts';
import { lockUser } from '../../access/user.table.ts';
import type { Caches } from '../../cluster/caches.ts';
import type {
  changePasswordSchema,
  loginSchema,
  ownUserSchema,
  passwordChangedSchema,
  profileSchema,
  registerSchema,
  updateMeSchema,
} from '../../contract/account.ts';
import type { Actor, SmallUser } from '../../contract/actor.ts';
import type { CustomStatusRecord } from '../../contract/custom-status.ts';
import { AppError } from '../../contract/errors.ts';
import { invalid } from '../../contract/schema/validation.ts';
import { earlierUsernameKey, usernameKeys } from '../../contract/username.ts';
import type { Database } from '../../database/database.ts';
import { User } from '../../database/entities/user.entity.ts';
import type { Changes } from '../../delivery/changes.ts';
import { dateNow } from '../../infrastructure/clock.ts';
import type { Settings } from '../../settings/settings.ts';
import type { PictureService } from '../pictures/picture.service.ts';
import { ownUser, shownEmail, smallUser } from './account.view.ts';
import { accountsOfAddress, type Named } from './address/mailboxes.table.ts';
import type { AgentIdentity } from './agent.identity.ts';
import type { Barring } from './barring.ts';
import type { Confirmations } from './confirmation/confirmation.service.ts';
import type { Credentials } from './credentials.ts';
import { userCache } from './identity.ts';
import type { MembershipService } from './membership/membership.service.ts';
import { createUser, namingConflicts } from './new-user.ts';
import type { SecurityNotices } from './notices/security-notices.ts';
import type { SignIns } from './notices/sign-ins.ts';
import type { PasswordCheck } from './password-check.ts';
import { requireUnguessable } from './password-rules.ts';
import { type Passwords, saltIn } from './passwords.ts';
import { personalise } from './personal.ts';
import { addressSalt } from './secrets.ts';
import type { Device } from './sessions/device.ts';
import type { KnownDevices } from './sessions/known-devices.ts';
import { type AuthAnswer, holdSession, ownSession, type SessionService } from './sessions/session.service.ts';
import { finished } from './sessions/unfinished.ts';
import { sourceOf } from './sources.ts';
import type { EmailVerificationService } from './verification/verification.service.ts';

/** Announces a user's new name or picture to those who may see the user. */
export interface Introductions {
  introduce(user: SmallUser): Promise<void>;
}

/** What people say of themselves. */
interface CustomStatusReader {
  of(userId: string): Promise<CustomStatusRecord | null>;
  /** For those alone who may see the user's presence. */
  shownTo(actor: Actor, userId: string): Promise<CustomStatusRecord | null>;
}

export interface AccountParts {
  database: Database;
  changes: Changes;
  caches: Caches;
  capabilities: Capabilities;
  passwords: Passwords;
  passwordCheck: PasswordCheck;
  devices: KnownDevices;
  verifications: EmailVerificationService;
  confirmations: Pick<Confirmations, 'require'>;
  sessions: SessionService;
  membership: MembershipService;
  credentials: Credentials;
  notices: Pick<SecurityNotices, 'notify'>;
  signIns: Pick<SignIns, 'remember'>;
  agentIdentity: AgentIdentity;
  presence: Introductions;
  customStatuses: CustomStatusReader;
  pictures: PictureService;
  settings: Settings;
  barring: Barring;
}

type Changed = z.input<typeof passwordChangedSchema>['remaining'];

const loginAttempts = 3;
/** How many accounts of one address a password is looked for in; the older of those that only gave it have their usernames. */
const maxNamed = 10;

/** Accounts of people: registration, password sign-in, and changes (contract §3). */
export class AccountService {
  private readonly parts: AccountParts;

  constructor(parts: AccountParts) {
    this.parts = parts;
  }

  /**
   * Creates an account, and mails a link and a code that prove its address. If that has an account, the mail says so; the new
   * account, the answer and the work are the same, so that only who reads mail there learns it.
   * @throws AppError USERNAME_TAKEN, INVALID_INVITE_CODE; EMAIL_NOT_VERIFIED where the address has to be proven first: the
   * account is created nevertheless
   */
  async register(input: z.output<typeof registerSchema>, device: Device): Promise<AuthAnswer> {
    const { database, changes, passwords, sessions, signIns, membership, settings, verifications, barring } =
      this.parts;
    const { email, username, displayName, inviteCode } = input;
    await requireUnguessable(input.password, 'password', { email, username, displayName });
    const others = await accountsOfAddress(database.rows, email, maxNamed);
    const other = others.find(({ passwordHash: hash }) => hash !== null);
    const salt = saltIn(other?.passwordHash) ?? addressSalt(settings.jwtSecrets[0]?.secret ?? '', email);
    const passwordHash = await passwords.hash(input.password, salt);
    const tier = settings.newAccountTier;
    const answer = await namingConflicts(username === undefined, () =>
      changes.run(async (change) => {
        const unproven = { email, emailVerified: false, suggestion: email };
        const made = { ...unproven, passwordHash, username, displayName, tier };
        const user = await createUser(change, made, { barring, ip: device.ip });
        if (inviteCode !== undefined) await membership.admit(change, user, inviteCode);
        await verifications.offer(change, { userId: user.id, language: device.language });
        await signIns.remember(change, user.id, device);
        const mayEnter = !settings.accounts.requireVerifiedEmail && !(await barring.isBarred(change.rows, user));
        return mayEnter ? await sessions.open(change, user.id, device) : null;
      }),
    );
    if (!answer) throw new AppError('EMAIL_NOT_VERIFIED');
    return finished(answer);
  }

  /**
   * Signs in with an e-mail or username; the work is the same whether or not the account exists.
   * @throws AppError INVALID_CREDENTIALS, RATE_LIMITED after many failures for one account, SERVER_BUSY, ACCOUNT_SUSPENDED,
   * SECOND_FACTOR_REQUIRED, EMAIL_NOT_VERIFIED, with another mail on its way
   */
  async login(input: z.output<typeof loginSchema>, device: Device): Promise<AuthAnswer> {
    const { changes, sessions } = this.parts;
    for (let attempt = 1; attempt <= loginAttempts; attempt++) {
      const { id, hash } = await this.checkLogin(input, device);
      const entering = changes.run(async (change) => {
        return (await stillHas(change.em, id, hash)) ? sessions.open(change, id, device) : null;
      });
      const answer = await entering.catch((error) => this.mailAgain(id, device, error));
      if (answer) return finished(answer);
    }
    throw new AppError('INVALID_CREDENTIALS');
  }

  /** The user behind the token, as shown to itself. */
  async me(actor: Actor): Promise<z.input<typeof ownUserSchema>> {
    const own = this.own(await this.find(actor.userId));
    const user = { ...own, customStatus: await this.parts.customStatuses.of(actor.userId) };
    return actor.agent ? { ...user, agentId: actor.agent.id } : user;
  }

  /** Changes the actor's name, picture, language or time zone; omitted fields stay. @throws AppError USER_NOT_FOUND */
  async update(actor: Actor, input: z.output<typeof updateMeSchema>): Promise<z.input<typeof ownUserSchema>> {
    const { changes, caches, presence, pictures } = this.parts;
    const set = { ...input, avatarUrl: await pictures.settled(actor, input.avatarUrl, 'square', 'avatarUrl') };
    return changes.run(async (change) => {
      // Of two concurrent changes the second announces the first too.
      await lockUser(change.rows, actor.userId);
      const user = await change.em.findOne(User, { id: actor.userId, deletedAt: null });
      if (!user) throw new AppError('USER_NOT_FOUND');
      personalise(change, user, input);
      const { displayName = user.displayName, avatarUrl = user.avatarUrl } = set;
      if (displayName === user.displayName && avatarUrl === user.avatarUrl) return this.own(user);
      Object.assign(user, { displayName, avatarUrl });
      change.afterCommit(() => caches.forget(userCache, [actor.userId]));
      change.afterCommit(() => presence.introduce(smallUser(user)));
      return this.own(user);
    });
  }

  /** Any user, as everyone may see it. @throws AppError USER_NOT_FOUND */
  async profile(actor: Actor, userId: string): Promise<z.input<typeof profileSchema>> {
    const known = smallUser(await this.find(userId));
    const user = { ...known, customStatus: await this.parts.customStatuses.shownTo(actor, userId) };
    const agent = user.isBot ? await this.parts.agentIdentity.profile(userId) : undefined;
    return agent ? { ...user, agent } : user;
  }

  /**
   * Sets a new password, keeps the calling session and ends the others; on request also all other credentials. Users
   * without a password may set one.
   * @returns the credentials that remain
   * @throws AppError CURRENT_PASSWORD_WRONG, CONFIRMATION_REQUIRED, RATE_LIMITED, INSUFFICIENT_PAT_SCOPE
   */
  async changePassword(actor: Actor, input: z.output<typeof changePasswordSchema>, device: Device): Promise<Changed> {
    const session = ownSession(actor);
    const { changes, passwords, credentials, notices } = this.parts;
    const { endTokens = false } = input;
    const user = await this.find(actor.userId);
    const { passwordHash: old = null } = user;
    if (old === null) await this.parts.confirmations.require(actor);
    else
      await this.checkCurrent(
        { id: actor.userId, passwordHash: old },
        input.oldPassword ?? input.currentPassword,
        session,
      );
    await requireUnguessable(input.newPassword, 'newPassword', { ...user, email: shownEmail(user) });
    const hash = await passwords.hash(input.newPassword, saltIn(old));
    return changes.run(async (change) => {
      if (!(await replaceHash(change.em, actor.userId, old, hash))) throw new AppError('CURRENT_PASSWORD_WRONG');
      await holdSession(change, session);
      await credentials.end(change, actor.userId, { keepSession: session, tokens: endTokens, links: endTokens });
      await notices.notify(change, actor.userId, old === null ? 'password-set' : 'password-changed', { device });
      return credentials.remaining(change.em, actor.userId);
    });
  }

  /** @returns the user with this e-mail or username and password. @throws AppError INVALID_CREDENTIALS, RATE_LIMITED */
  private async checkLogin(
    { email, password }: z.output<typeof loginSchema>,
    device: Device,
  ): Promise<{ id: string; hash: string }> {
    const { database, devices, passwordCheck } = this.parts;
    const name = earlierUsernameKey(email);
    const named = name.includes('@')
      ? await accountsOfAddress(database.rows, name, maxNamed)
      : await database.read((em) => personByName(em, name));
    const found = await passwordCheck.find(name, named, password, ({ id }) => sourceOf(device, id, devices));
    if (!found?.passwordHash) throw new AppError('INVALID_CREDENTIALS');
    return { id: found.id, hash: await this.strengthen(found.id, found.passwordHash, password) };
  }

  private async checkCurrent(account: Named, password: string | undefined, session: string): Promise<void> {
    if (password === undefined) {
      throw invalid([{ path: 'oldPassword', message: 'must be given', code: 'invalid_type' }]);
    }
    if (!(await this.parts.passwordCheck.isRight(account, password, `session ${session}`)))
      throw new AppError('CURRENT_PASSWORD_WRONG');
  }

  /** Mails the proof again to a user who knows the password but has not proven the address. */
  private async mailAgain(userId: string, { language }: Device, error: unknown): Promise<never> {
    const { changes, verifications } = this.parts;
    if (error instanceof AppError && error.code === 'EMAIL_NOT_VERIFIED')
      await changes.run((change) => verifications.offer(change, { userId, language }));
    throw error;
  }

  /** Rehashes a password whose hash costs less than the settings now require. @returns the current hash */
  private async strengthen(userId: string, hash: string, password: string): Promise<string> {
    const { passwords, changes } = this.parts;
    if (!passwords.isOutdated(hash)) return hash;
    try {
      const stronger = await passwords.hash(password, saltIn(hash));
      return (await changes.run(({ em }) => replaceHash(em, userId, hash, stronger))) ? stronger : hash;
    } catch (error) {
      // A later login does it as well; this one must not fail because of it.
      if (!(error instanceof AppError) || error.code !== 'SERVER_BUSY') throw error;
      return hash;
    }
  }

  private async find(userId: string): Promise<User> {
    const user = await this.parts.database.read((em) => em.findOne(User, { id: userId, deletedAt: null }));
    if (!user) throw new AppError('USER_NOT_FOUND');
    return user;
  }

  private own(user: User): z.input<typeof ownUserSchema> {
    const { capabilities, settings } = this.parts;
    return ownUser(user, capabilities.membership(user.tier, user.isOperator), settings.accounts.secondFactor.required);
  }
}

/** The person with this username, if any. */
async function personByName(em: EntityManager, name: string): Promise<Named[]> {
  const found = await em.find(User, { usernameKey: usernameKeys(name), isBot: false, deletedAt: null });
  const user = found.find(({ usernameKey }) => usernameKey === name) ?? found[0];
  return user ? [{ id: user.id, passwordHash: user.passwordHash ?? null }] : [];
}

/**
 * Whether a user still has this password: a check takes time, and it may be replaced or rehashed meanwhile. The row is
 * locked, so setting another password from now on ends this session with the others.
 */
async function stillHas(em: EntityManager, id: string, passwordHash: string): Promise<boolean> {
  const lockMode = LockMode.PESSIMISTIC_READ;
  return (await em.findOne(User, { id, passwordHash, deletedAt: null }, { lockMode })) !== null;
}

/** Replaces the hash while the checked password is still the current one. @returns whether it was */
async function replaceHash(em: EntityManager, id: string, old: string | null, passwordHash: string): Promise<boolean> {
  const replaced = await em.nativeUpdate(User, { id, passwordHash: old }, { passwordHash, updatedAt: dateNow() });
  return replaced > 0;
}
