import type { Database } from '../database/database.ts';
import type { Changes } from '../delivery/changes.ts';
import { AppError } from '../errors.ts';
import { isoTime } from '../schema.ts';
import type { Settings } from '../settings.ts';
import { usernameKey } from './account.contract.ts';
import type { MembershipService } from './membership/membership.service.ts';
import { replacePassword } from './new-password.ts';
import { createUser, namingConflicts } from './new-user.ts';
import type { Passwords } from './passwords.ts';
import type { Revocation } from './sessions/revocation.ts';

/** A user as the operator sees it. */
export interface ListedUser {
  id: string;
  username: string;
  email: string | null;
  tier: string;
  isBot: boolean;
  createdAt: string;
  /** Valid sessions. */
  sessions: number;
}

const listUsers = `SELECT u.id, u.username, u.email, u.tier, u.is_bot AS "isBot", u.created_at AS "createdAt",
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
  revocation: Revocation;
  settings: Settings;
}

/** The operator's account administration: it checks no permissions, so no route or event leads here. */
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
        const user = await createUser(change, { email, username, displayName, passwordHash, tier, suggestion: email });
        return { id: user.id, username: user.username };
      }),
    );
  }

  /** Sets a password and ends all sessions. @throws AppError USER_NOT_FOUND */
  async setPassword(name: string, password: string): Promise<void> {
    const { passwords, changes, revocation } = this.parts;
    const id = await this.find(name);
    const hash = await passwords.hash(password);
    await changes.run((change) => replacePassword(change, revocation, id, hash));
  }

  /** @throws AppError USER_NOT_FOUND, VALIDATION_FAILED for an unknown tier */
  async setTier(name: string, tier: string): Promise<void> {
    const id = await this.find(name);
    const known = this.knownTier(tier);
    await this.parts.changes.run((change) => this.parts.membership.setTier(change, id, known));
  }

  /** @returns how many sessions were ended. @throws AppError USER_NOT_FOUND */
  async revokeSessions(name: string): Promise<number> {
    const id = await this.find(name);
    return this.parts.changes.run((change) => this.parts.revocation.sessions(change, id));
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
