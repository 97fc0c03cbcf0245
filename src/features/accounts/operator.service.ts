import { usernameKey } from '../../contract/account.ts';
import { AppError } from '../../contract/errors.ts';
import { isoTime } from '../../contract/schema.ts';
import type { Database } from '../../database/database.ts';
import type { Changes } from '../../delivery/changes.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Credentials } from './credentials.ts';
import type { MembershipService } from './membership/membership.service.ts';
import { createUser, namingConflicts } from './new-user.ts';
import type { Passwords } from './passwords.ts';
import type { Suspensions } from './suspensions.ts';

/** A user as the operator sees it. */
export interface ListedUser {
  id: string;
  username: string;
  email: string | null;
  tier: string;
  isBot: boolean;
  createdAt: string;
  /** Whether the address is proven to be theirs. */
  verified: boolean;
  suspended: boolean;
  /** Valid sessions. */
  sessions: number;
}

const listUsers = `SELECT u.id, u.username, u.email, u.tier, u.is_bot AS "isBot", u.created_at AS "createdAt",
    u.email_verified_at IS NOT NULL AS verified, u.suspended_at IS NOT NULL AS suspended,
    (SELECT count(*)::int FROM sessions s
      WHERE s.user_id = u.id AND s.revoked_at IS NULL AND s.refresh_expires_at > now()) AS sessions
  FROM users u WHERE u.deleted_at IS NULL
    AND ($1 = '' OR strpos(u.username_key, $1) > 0 OR strpos(u.email, $1) > 0)
  ORDER BY u.created_at DESC, u.id DESC LIMIT $2`;
const findUser = `SELECT id, is_bot AS "isBot" FROM users
  WHERE (id::text = $1 OR email = $1 OR username_key = $1) AND deleted_at IS NULL`;

interface OperatorParts {
  database: Database;
  changes: Changes;
  passwords: Passwords;
  membership: MembershipService;
  credentials: Credentials;
  suspensions: Suspensions;
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
    const { passwords, changes, settings } = this.parts;
    const { email, username, displayName } = input;
    const tier = this.knownTier(input.tier ?? settings.accounts.inviteTier);
    const passwordHash = await passwords.hash(input.password);
    return namingConflicts(username === undefined, () =>
      changes.run(async (change) => {
        // The operator vouches for the address.
        const proven = { email, emailVerified: true, suggestion: email };
        const user = await createUser(change, { ...proven, username, displayName, passwordHash, tier });
        return { id: user.id, username: user.username };
      }),
    );
  }

  /** Sets a password and ends all sessions. @throws AppError USER_NOT_FOUND */
  async setPassword(name: string, password: string): Promise<void> {
    const { passwords, changes, credentials } = this.parts;
    const id = await this.find(name);
    const hash = await passwords.hash(password);
    await changes.run((change) => credentials.replacePassword(change, id, hash));
  }

  /** @throws AppError USER_NOT_FOUND, VALIDATION_FAILED for an unknown tier */
  async setTier(name: string, tier: string): Promise<void> {
    const id = await this.find(name);
    const known = this.knownTier(tier);
    await this.parts.changes.run((change) => this.parts.membership.setTier(change, id, known));
  }

  /**
   * Ends sessions, tokens of all kinds, the tokens and webhooks of the user's bots, and pending links. The
   * password and the linked accounts stay. @returns how many were ended. @throws AppError USER_NOT_FOUND
   */
  async revokeAll(name: string): Promise<number> {
    const id = await this.find(name);
    return this.parts.changes.run((change) => this.parts.credentials.end(change, id, { tokens: true }));
  }

  /** Suspends an account and its bots until `unsuspend`. @throws AppError USER_NOT_FOUND */
  async suspend(name: string, reason: string | null): Promise<void> {
    await this.parts.suspensions.suspend(await this.find(name), reason);
  }

  /** @returns whether it was suspended. @throws AppError USER_NOT_FOUND */
  async unsuspend(name: string): Promise<boolean> {
    return this.parts.suspensions.end(await this.find(name));
  }

  /** Newest first. @param search part of a username or an e-mail; empty: all */
  async list(search: string, limit: number): Promise<ListedUser[]> {
    const rows = await this.parts.database.rows<UserRow>(listUsers, [usernameKey(search), limit]);
    return rows.map((row) => ({ ...row, createdAt: isoTime(row.createdAt) }));
  }

  /** @param name id, e-mail or username of a person */
  private async find(name: string): Promise<string> {
    const key = usernameKey(name.trim().replace(/^@/, ''));
    const [user] = await this.parts.database.rows<{ id: string; isBot: boolean }>(findUser, [key]);
    if (!user) throw new AppError('USER_NOT_FOUND', { message: `There is no user "${name}".` });
    if (user.isBot) throw new AppError('FORBIDDEN', { message: `"${name}" is a bot; its owner manages it.` });
    return user.id;
  }

  private knownTier(tier: string): string {
    const tiers = this.parts.settings.accounts.tiers.map(({ id }) => id);
    if (tiers.includes(tier)) return tier;
    throw new AppError('VALIDATION_FAILED', { message: `There is no tier "${tier}"; there are: ${tiers.join(', ')}.` });
  }
}

interface UserRow extends Omit<ListedUser, 'createdAt'> {
  createdAt: Date | string;
}
