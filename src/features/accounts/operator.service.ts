import type { AuditAction } from '../../contract/audit-action.ts';
import { AppError } from '../../contract/errors.ts';
import {
  accountCreate,
  accountPassword,
  accountRemoveFactors,
  accountReset,
  accountRevoke,
  accountTier,
  operatorGrant,
  operatorRevoke,
} from '../../contract/operating.ts';
import { isoTime, isoTimeOrNull, isUuid } from '../../contract/schema.ts';
import { earlierUsernameKey, usernameKeys } from '../../contract/username.ts';
import type { Database, Queries } from '../../database/database.ts';
import { User } from '../../database/entities/user.entity.ts';
import type { Auditor } from '../../delivery/audit.ts';
import type { Change, Changes } from '../../delivery/changes.ts';
import { dateNow } from '../../infrastructure/clock.ts';
import type { Settings } from '../../settings/settings.ts';
import { shownEmail, smallUserColumns } from './account.view.ts';
import type { Credentials } from './credentials.ts';
import { ownerOfFormerName } from './former-usernames.table.ts';
import type { InstanceBans } from './instance-bans.ts';
import type { PasswordResetService } from './mailed/password-reset.service.ts';
import type { MembershipService } from './membership/membership.service.ts';
import { createUser, namingConflicts } from './new-user.ts';
import type { SecurityNotices } from './notices/security-notices.ts';
import type { Passwords } from './passwords.ts';
import type { Factors } from './second-factor/factors.ts';
import type { Suspensions } from './suspensions.ts';
import { fillSkeletons } from './usernames.table.ts';

/** A user as the operator sees it. */
export interface ListedUser {
  id: string;
  username: string;
  email: string | null;
  displayName: string;
  avatarUrl: string | null;
  tier: string;
  isBot: boolean;
  createdAt: string;
  /** Whether the address is proven to be theirs. */
  verified: boolean;
  suspended: boolean;
  isOperator: boolean;
  /** When it is deleted; null: it stays. */
  deletesAt: string | null;
  /** Valid sessions. */
  sessions: number;
}

interface OperatorParts {
  database: Database;
  changes: Changes;
  passwords: Passwords;
  membership: MembershipService;
  credentials: Credentials;
  factors: Factors;
  suspensions: Suspensions;
  bans: InstanceBans;
  notices: Pick<SecurityNotices, 'notify'>;
  resets: Pick<PasswordResetService, 'mail'>;
  settings: Settings;
}

/** The operator's account administration: it checks no permissions, so no route or event calls it. */
export class OperatorService {
  private readonly parts: OperatorParts;

  constructor(parts: OperatorParts) {
    this.parts = parts;
  }

  /** @throws AppError EMAIL_TAKEN, USERNAME_TAKEN, VALIDATION_FAILED for an unknown tier */
  async createUser(input: {
    email: string;
    password: string;
    username?: string;
    displayName?: string;
    tier?: string;
  }): Promise<{ id: string; username: string }> {
    const { passwords, changes, settings, database } = this.parts;
    const { email, username, displayName } = input;
    // The command line may be the first to run after an update, before any node does the chores.
    while ((await database.quickTransaction(fillSkeletons.step)) > 0);
    const tier = this.knownTier(input.tier ?? settings.accounts.inviteTier);
    const passwordHash = await passwords.hash(input.password);
    return namingConflicts(username === undefined, () =>
      changes.run(async (change) => {
        // The operator vouches for the address.
        const proven = { email, emailVerified: true, suggestion: email };
        const user = await createUser(change, { ...proven, username, displayName, passwordHash, tier }, null);
        auditFor(change, accountCreate, user.id, { after: { tier } });
        return { id: user.id, username: user.username };
      }),
    );
  }

  /** Sets a password and ends all sessions. @throws AppError USER_NOT_FOUND */
  async setPassword(name: string, password: string): Promise<void> {
    const { passwords, changes, credentials, notices } = this.parts;
    const id = await this.find(name);
    const hash = await passwords.hash(password);
    await changes.run(async (change) => {
      await credentials.replacePassword(change, id, hash);
      await notices.notify(change, id, 'password-by-operator', { device: null });
      auditFor(change, accountPassword, id);
    });
  }

  /** @throws AppError USER_NOT_FOUND, VALIDATION_FAILED for an unknown tier */
  async setTier(name: string, tier: string, by: Auditor = 'cli'): Promise<void> {
    const id = await this.find(name);
    const known = this.knownTier(tier);
    await this.parts.changes.run(async (change) => {
      const { tier: was } = await change.em.findOneOrFail(User, id);
      await this.parts.membership.setTier(change, id, known);
      auditFor(change, accountTier, id, { by, before: { tier: was }, after: { tier: known } });
    });
  }

  /**
   * Ends sessions, tokens of all kinds, the tokens and webhooks of the user's bots, and pending links. The
   * password and the linked accounts stay. @param tokens false: sessions and links alone
   * @returns how many were ended. @throws AppError USER_NOT_FOUND
   */
  async revokeAll(
    name: string,
    { tokens = true, by = 'cli' }: { tokens?: boolean; by?: Auditor } = {},
  ): Promise<number> {
    const id = await this.find(name);
    return this.parts.changes.run(async (change) => {
      const ended = await this.parts.credentials.end(change, id, { tokens });
      auditFor(change, accountRevoke, id, { by, after: { ended } });
      return ended;
    });
  }

  /** Mails a link for a new password. @throws AppError USER_NOT_FOUND, NO_EMAIL, SERVER_BUSY while too many mails wait */
  async mailReset(name: string, by: Auditor): Promise<void> {
    const id = await this.find(name);
    await this.parts.changes.run(async (change) => {
      const { email, language = null } = await change.em.findOneOrFail(User, id);
      if (email == null) throw new AppError('NO_EMAIL', { message: 'This account has no e-mail address of its own.' });
      if (!(await this.parts.resets.mail(change, { userId: id, language }))) throw new AppError('SERVER_BUSY');
      auditFor(change, accountReset, id, { by });
    });
  }

  /**
   * Removes the second factors of someone who has lost them, and ends all sessions. @returns how many there were
   * @throws AppError USER_NOT_FOUND
   */
  async removeFactors(name: string): Promise<number> {
    const id = await this.find(name);
    return this.parts.changes.run(async (change) => {
      await this.parts.credentials.end(change, id);
      const removed = await this.parts.factors.removeAll(change, id);
      if (removed > 0) await this.parts.notices.notify(change, id, 'factor-removed', { device: null });
      auditFor(change, accountRemoveFactors, id, { after: { removed } });
      return removed;
    });
  }

  /** Suspends an account and its bots until `unsuspend`. @throws AppError USER_NOT_FOUND, FORBIDDEN for an operator */
  async suspend(name: string, reason: string | null): Promise<void> {
    const id = await this.find(name);
    const { changes, suspensions } = this.parts;
    await changes.run((change) => suspensions.suspend(change, 'cli', id, { reason, until: null }));
  }

  /** @returns whether it was suspended. @throws AppError USER_NOT_FOUND */
  async unsuspend(name: string): Promise<boolean> {
    const id = await this.find(name);
    return this.parts.changes.run((change) => this.parts.suspensions.end(change, 'cli', id));
  }

  /** Bans a person from the installation. @param until null: for good @throws AppError USER_NOT_FOUND, FORBIDDEN, VALIDATION_FAILED */
  async ban(name: string, reason: string | null, until: Date | null): Promise<void> {
    const userId = await this.find(name);
    await this.parts.changes.run((change) => this.parts.bans.ban(change, { userId, reason, until, by: 'cli' }));
  }

  /** @throws AppError USER_NOT_FOUND, BAN_NOT_FOUND */
  async unban(name: string): Promise<void> {
    const userId = await this.find(name);
    await this.parts.changes.run((change) => this.parts.bans.lift(change, 'cli', userId));
  }

  /** Makes someone an operator, or takes it from them. @returns whether that changed anything. @throws AppError USER_NOT_FOUND */
  async setOperator(name: string, isOperator: boolean): Promise<boolean> {
    const id = await this.find(name);
    return this.parts.changes.run(async (change) => {
      const isOther = await this.parts.membership.setOperator(change, id, isOperator);
      if (isOther) auditFor(change, isOperator ? operatorGrant : operatorRevoke, id);
      return isOther;
    });
  }

  /**
   * Newest first.
   * @param search part of a username, a display name or an e-mail; empty: all @param before id; null: from the newest on
   */
  async list(search: string, limit: number, before: string | null = null): Promise<ListedUser[]> {
    const { db } = this.parts.database;
    const found = await usersLike(db, search.trim(), before).limit(limit).execute();
    return found.map(
      ({ email, claimedEmail, createdAt, emailVerifiedAt, suspendedAt, deletesAt, sessions, avatarUrl, ...user }) => {
        const deleted = { deletesAt: isoTimeOrNull(deletesAt ?? null) };
        const is = { verified: emailVerifiedAt != null, suspended: suspendedAt != null, ...deleted };
        const shown = { email: shownEmail({ email, claimedEmail }), createdAt: isoTime(createdAt) };
        return { ...user, avatarUrl: avatarUrl ?? null, ...shown, ...is, sessions: sessions ?? 0 };
      },
    );
  }

  /** @param name id, e-mail or username of a person. @throws AppError USER_NOT_FOUND, FORBIDDEN for bots */
  async find(name: string): Promise<string> {
    const key = earlierUsernameKey(name.trim().replace(/^@/, ''));
    const names = [{ email: key }, { usernameKey: usernameKeys(key) }, ...(isUuid(key) ? [{ id: key }] : [])];
    const found = await this.parts.database.read((em) => em.find(User, { $or: names, deletedAt: null }));
    const user = found.find(({ usernameKey }) => usernameKey === key) ?? found[0];
    if (!user) throw new AppError('USER_NOT_FOUND', { message: await this.noUser(name, usernameKeys(key)) });
    if (user.isBot) throw new AppError('FORBIDDEN', { message: `"${name}" is a bot; its owner manages it.` });
    return user.id;
  }

  /** Tells who has given up this name. */
  private async noUser(name: string, keys: string[]): Promise<string> {
    const owner = await ownerOfFormerName(this.parts.database.rows, keys);
    return owner === undefined
      ? `There is no user "${name}".`
      : `There is no user "${name}"; "${owner}" was called that.`;
  }

  private knownTier(tier: string): string {
    const tiers = this.parts.settings.accounts.tiers.map(({ id }) => id);
    if (tiers.includes(tier)) return tier;
    throw new AppError('VALIDATION_FAILED', { message: `There is no tier "${tier}"; there are: ${tiers.join(', ')}.` });
  }
}

interface Values {
  by?: Auditor;
  before?: Record<string, unknown>;
  after?: Record<string, unknown>;
  reason?: string | null;
}

/** What the operator did to an account. */
function auditFor(change: Change, action: AuditAction, id: string, { by = 'cli', ...values }: Values = {}): void {
  change.audit(action, { actor: by, serverId: null, target: { kind: 'user', id }, ...values });
}

/** Users with a part of their username, display name or e-mail, newest first, and how many valid sessions they have. */
function usersLike(db: Queries, search: string, before: string | null) {
  const like = (part: string) => `%${part.replace(/[\\%_]/g, '\\$&')}%`;
  const columns = [...smallUserColumns, 'u.email', 'u.claimedEmail', 'u.tier', 'u.createdAt', 'u.isOperator'] as const;
  return (
    db
      .selectFrom('User as u')
      .where('u.deletedAt', 'is', null)
      .$if(before !== null, (all) => all.where('u.id', '<', before))
      .$if(search !== '', (all) =>
        all.where((eb) =>
          eb.or([
            eb('u.displayName', 'ilike', like(search)),
            ...usernameKeys(search).flatMap((part) => [
              eb('u.usernameKey', 'like', like(part)),
              eb('u.email', 'like', like(part)),
            ]),
          ]),
        ),
      )
      // Ids are made in order of time: pages of the newest cost no look at the others.
      .orderBy('u.id', 'desc')
      .select([...columns, 'u.emailVerifiedAt', 'u.suspendedAt', 'u.deletesAt'])
      .select((eb) => {
        const sessions = eb
          .selectFrom('Session as s')
          .whereRef('s.userId', '=', 'u.id')
          .where('s.revokedAt', 'is', null);
        const valid = sessions.where('s.refreshExpiresAt', '>', dateNow());
        return valid.select(eb.fn.countAll<number>().as('count')).as('sessions');
      })
  );
}
