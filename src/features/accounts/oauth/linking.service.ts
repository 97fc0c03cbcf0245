import type { z } from 'zod';
import { lockUser, personByEmail } from '../../../access/user.table.ts';
import { maxDisplayName } from '../../../contract/account.ts';
import type { Actor } from '../../../contract/actor.ts';
import { AppError } from '../../../contract/errors.ts';
import type { oauthAccountSchema } from '../../../contract/oauth.ts';
import { isoTime, nameFrom } from '../../../contract/schema.ts';
import type { Database } from '../../../database/database.ts';
import { OAuthAccount, OAuthState, User } from '../../../database/entities/user.entity.ts';
import { isUniqueViolation } from '../../../database/failures.ts';
import type { Change, Changes } from '../../../delivery/changes.ts';
import { newId } from '../../../infrastructure/ids.ts';
import type { Settings } from '../../../settings/settings.ts';
import type { Barring } from '../barring.ts';
import type { AccountMails } from '../mailed/account-mails.ts';
import type { MembershipService } from '../membership/membership.service.ts';
import { createUser, namingConflicts } from '../new-user.ts';
import type { SecurityNotices } from '../notices/security-notices.ts';
import type { SignIns } from '../notices/sign-ins.ts';
import type { Ownership } from '../ownership.ts';
import type { Device } from '../sessions/device.ts';
import { type AuthAnswer, ownSession, type SessionService } from '../sessions/session.service.ts';
import type { Unfinished } from '../sessions/unfinished.ts';
import type { ProviderIdentity } from './provider.ts';

type AccountRecord = z.input<typeof oauthAccountSchema>;

/** Optional data of a sign-in at a provider. */
export interface SignInExtras {
  displayName?: string;
  inviteCode?: string | null;
}

const attempts = 3;

interface LinkingParts {
  database: Database;
  changes: Changes;
  mails: AccountMails;
  sessions: SessionService;
  membership: MembershipService;
  ownership: Ownership;
  barring: Barring;
  notices: Pick<SecurityNotices, 'notify'>;
  signIns: Pick<SignIns, 'remember'>;
  settings: Settings;
}

/** Links accounts at identity providers to users here (contract §3). */
export class LinkingService {
  private readonly parts: LinkingParts;

  constructor(parts: LinkingParts) {
    this.parts = parts;
  }

  /**
   * Signs in the user that a provider identifies: by an existing link, else the account with an e-mail that the provider
   * has verified, else a new account. A verified e-mail proves that the account with it is theirs. Of concurrent
   * sign-ins of one new person one creates it, the others find it.
   * @throws AppError ACCOUNT_SUSPENDED, EMAIL_NOT_VERIFIED, EMAIL_TAKEN if the mailbox has an account under another spelling
   */
  async signIn(identity: ProviderIdentity, extras: SignInExtras, device: Device): Promise<AuthAnswer | Unfinished> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await namingConflicts(true, () => this.trySignIn(identity, extras, device));
      } catch (error) {
        const raced = isUniqueViolation(error, 'oauth_accounts_subject') || isEmailTaken(error);
        if (!raced || attempt === attempts) throw error;
      }
    }
  }

  /**
   * Links an account to the user who started this, if they still may. Of concurrent links of one provider account one
   * creates it, the others find it linked.
   * @param stateHash of the sign-in that the user started
   * @throws AppError FORBIDDEN if the user's sessions were ended meanwhile, OAUTH_ACCOUNT_TAKEN if it is linked to another
   * user
   */
  async link(stateHash: string, identity: ProviderIdentity, device: Device): Promise<void> {
    await this.tryLink(stateHash, identity, device).catch((error) => {
      if (!isUniqueViolation(error, 'oauth_accounts_subject')) throw error;
      return this.tryLink(stateHash, identity, device);
    });
  }

  /** The provider accounts that the actor may sign in with. */
  async list(actor: Actor): Promise<AccountRecord[]> {
    const orderBy = { createdAt: 'asc', id: 'asc' } as const;
    const accounts = await this.parts.database.read((em) =>
      em.find(OAuthAccount, { userId: actor.userId }, { orderBy }),
    );
    return accounts.map(({ id, provider, providerEmail = null, createdAt }) => {
      return { id, provider, providerEmail, createdAt: isoTime(createdAt) };
    });
  }

  /** @throws AppError OAUTH_ACCOUNT_NOT_FOUND, LAST_SIGN_IN_METHOD, INSUFFICIENT_PAT_SCOPE */
  async unlink(actor: Actor, accountId: string, device: Device): Promise<void> {
    ownSession(actor);
    const { userId } = actor;
    await this.parts.changes.run(async (change) => {
      const { em } = change;
      // The user's row is locked: two accounts unlinked concurrently must not each rely on the other.
      await lockUser(change.rows, userId);
      const account = await em.findOne(OAuthAccount, { id: accountId, userId });
      if (!account) throw new AppError('OAUTH_ACCOUNT_NOT_FOUND');
      await em.nativeDelete(OAuthAccount, { id: accountId });
      const others = await em.count(OAuthAccount, { userId });
      const { passwordHash } = await em.findOneOrFail(User, userId, { refresh: true });
      if (others === 0 && passwordHash == null) throw new AppError('LAST_SIGN_IN_METHOD');
      await this.parts.notices.notify(change, userId, 'provider-unlinked', { device, detail: account.provider });
    });
  }

  private async trySignIn(
    identity: ProviderIdentity,
    extras: SignInExtras,
    device: Device,
  ): Promise<AuthAnswer | Unfinished> {
    const { changes, sessions } = this.parts;
    return changes.run(async (change) => {
      const userId = await this.userOf(change, identity, extras, device);
      if (extras.inviteCode) await this.redeem(userId, extras.inviteCode);
      return sessions.open(change, userId, device);
    });
  }

  private async tryLink(stateHash: string, identity: ProviderIdentity, device: Device): Promise<void> {
    await this.parts.changes.run(async (change) => {
      const begun = await change.em.findOne(OAuthState, stateHash);
      const userId = begun?.linkTo;
      if (!userId) throw new AppError('FORBIDDEN');
      // Locks the user first, like every change that ends links.
      const owner = await this.parts.ownership.hold(change, userId);
      // Deleted if a session of the user has been ended meanwhile (see Revocation).
      const ended = await change.em.nativeDelete(OAuthState, { stateHash });
      if (ended === 0) throw new AppError('FORBIDDEN');
      const linked = await this.find(change, identity);
      if (linked && linked.userId !== userId) throw new AppError('OAUTH_ACCOUNT_TAKEN');
      if (!linked) await this.addLink(change, userId, identity, begun.madeBy ?? null);
      // A session of this account started it.
      if (isOf(identity, owner.email)) await this.parts.ownership.confirm(change, userId);
      const linking = { device, detail: identity.provider };
      if (!linked) await this.parts.notices.notify(change, userId, 'provider-linked', linking);
    });
  }

  private async userOf(
    change: Change,
    identity: ProviderIdentity,
    extras: SignInExtras,
    device: Device,
  ): Promise<string> {
    const linked = await this.linkedUser(change, identity);
    if (linked !== null) return linked;
    const known = await this.byEmail(change, identity);
    const userId = known ?? (await this.signUp(change, identity, extras, device));
    // With a second factor a link would stay even if that is never given.
    if (known === null || !(await hasSecondFactor(change, known))) await this.addLink(change, userId, identity, null);
    return userId;
  }

  /** The user that a provider account signs in. Looked up again once locked: a takeover may be ending the link. */
  private async linkedUser(change: Change, identity: ProviderIdentity): Promise<string | null> {
    const found = await this.find(change, identity);
    if (!found) return null;
    if (found.deletedAt) throw new AppError('USER_NOT_FOUND');
    await lockUser(change.rows, found.userId);
    const linked = await this.find(change, identity);
    if (linked?.userId !== found.userId) return null;
    if (linked.deletedAt) throw new AppError('USER_NOT_FOUND');
    if (isOf(identity, linked.email)) await this.parts.ownership.prove(change, linked.userId, { link: linked.id });
    return linked.userId;
  }

  private find({ db }: Change, { provider, subject }: ProviderIdentity) {
    return db
      .selectFrom('OAuthAccount as a')
      .innerJoin('User as u', 'u.id', 'a.userId')
      .where('a.provider', '=', provider)
      .where('a.subject', '=', subject)
      .select(['a.id', 'a.userId', 'u.email', 'u.deletedAt'])
      .executeTakeFirst();
  }

  /** The account with the address that the provider has verified; its owner gets a mail where it will be linked. */
  private async byEmail(change: Change, { verifiedEmail, provider }: ProviderIdentity): Promise<string | null> {
    if (verifiedEmail === null) return null;
    const { mails, ownership } = this.parts;
    const user = await personByEmail(change.rows, verifiedEmail);
    if (!user) return null;
    const takenOver = await ownership.prove(change, user.id);
    if (takenOver || (await hasSecondFactor(change, user.id))) return user.id;
    const { username, language } = user;
    await mails.add(change, { mail: 'sign-in-linked', email: verifiedEmail, username, provider, language });
    return user.id;
  }

  private async signUp(
    change: Change,
    identity: ProviderIdentity,
    extras: SignInExtras,
    device: Device,
  ): Promise<string> {
    const { verifiedEmail: email, suggestion } = identity;
    // A provider's name has no rules of ours: what can be shown of it is taken.
    const displayName = nameFrom(extras.displayName ?? identity.displayName ?? '', maxDisplayName) || undefined;
    const tier = this.parts.settings.newAccountTier;
    const proven = { email, emailVerified: true, suggestion };
    const user = await createUser(
      change,
      { ...proven, passwordHash: null, displayName, tier },
      {
        barring: this.parts.barring,
        ip: device.ip,
      },
    );
    await this.parts.signIns.remember(change, user.id, device);
    return user.id;
  }

  private async addLink(
    change: Change,
    userId: string,
    identity: ProviderIdentity,
    madeBy: string | null,
  ): Promise<void> {
    const { provider, subject, email: providerEmail } = identity;
    change.em.create(OAuthAccount, { id: newId(), userId, provider, subject, providerEmail, madeBy });
    await change.em.flush();
  }

  /** An invalid code never stops a sign-in (contract §13): it fails in a savepoint of its own. */
  private async redeem(userId: string, code: string): Promise<void> {
    try {
      await this.parts.changes.run((change) => this.parts.membership.redeemFor(change, userId, code));
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'INVALID_INVITE_CODE') throw error;
    }
  }
}

/** Whether an identity proves that this address is theirs. */
const isOf = ({ verifiedEmail }: ProviderIdentity, email: string | null | undefined) =>
  verifiedEmail !== null && verifiedEmail === email;

const isEmailTaken = (error: unknown) => error instanceof AppError && error.code === 'EMAIL_TAKEN';

async function hasSecondFactor({ em }: Change, id: string): Promise<boolean> {
  return (await em.count(User, { id, secondFactorAt: { $ne: null } })) > 0;
}
