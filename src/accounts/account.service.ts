import { randomInt } from 'node:crypto';
import { v7 as uuid } from 'uuid';
import type { z } from 'zod';
import type { Actor, SmallUser } from '../access/actor.ts';
import type { Capabilities } from '../access/capabilities.ts';
import type { Database } from '../database/database.ts';
import { isUniqueViolation } from '../database/failures.ts';
import type { Caches } from '../delivery/caches.ts';
import type { Change, Changes } from '../delivery/changes.ts';
import { userRoom } from '../delivery/entry.ts';
import { createStream } from '../delivery/log.ts';
import { AppError } from '../errors.ts';
import type { Cache } from '../infrastructure/cache.ts';
import { redeemCode } from '../invites/redemption.ts';
import type { Settings } from '../settings.ts';
import type { authSchema, loginSchema, ownUserSchema, registerSchema } from './account.contract.ts';
import { ownUser } from './account.view.ts';
import type { Passwords } from './passwords.ts';
import { Session } from './session.entity.ts';
import { newSecret, type Tokens } from './tokens.ts';
import { User } from './user.entity.ts';

/** Where a request comes from, as far as a session remembers it. */
export interface Device {
  ip: string;
  userAgent: string | null;
  deviceName: string | null;
}

interface KnownSession {
  user: SmallUser;
  tier: string;
  revoked: boolean;
}

type AuthAnswer = z.input<typeof authSchema>;

const sessionColumns = `u.id, u.username, u.display_name AS "displayName", u.avatar_url AS "avatarUrl",
  u.is_bot AS "isBot", u.tier, s.revoked_at IS NOT NULL AS revoked`;

/** Who someone is: accounts, sessions, and the actor behind a token. */
export class AccountService {
  private readonly database: Database;
  private readonly changes: Changes;
  private readonly capabilities: Capabilities;
  private readonly passwords: Passwords;
  private readonly tokens: Tokens;
  private readonly settings: Settings;
  private readonly sessions: Cache<KnownSession>;

  constructor(parts: {
    database: Database;
    changes: Changes;
    caches: Caches;
    capabilities: Capabilities;
    passwords: Passwords;
    tokens: Tokens;
    settings: Settings;
  }) {
    this.database = parts.database;
    this.changes = parts.changes;
    this.capabilities = parts.capabilities;
    this.passwords = parts.passwords;
    this.tokens = parts.tokens;
    this.settings = parts.settings;
    this.sessions = parts.caches.create('sessions', 50_000);
  }

  /**
   * The actor behind a token. Reads the database only when the session is not cached.
   * @throws AppError ACCESS_TOKEN_INVALID, SESSION_REVOKED
   */
  async authenticate(token: string): Promise<Actor> {
    const claims = this.tokens.verify(token);
    const session = await this.sessions.get(claims.sid, () => this.loadSession(claims.sid, claims.sub));
    if (!session) throw new AppError('ACCESS_TOKEN_INVALID');
    if (session.revoked) throw new AppError('SESSION_REVOKED');
    return {
      userId: claims.sub,
      user: session.user,
      tier: session.tier,
      sessionId: claims.sid,
      scope: 'full',
      expiresAt: claims.exp * 1000,
    };
  }

  /** For connections that outlive the check of their token. @throws AppError SESSION_REVOKED, ACCESS_TOKEN_INVALID */
  async stillSignedIn(actor: Actor): Promise<void> {
    const { sessionId, userId, expiresAt } = actor;
    if (expiresAt !== null && expiresAt < Date.now()) throw new AppError('ACCESS_TOKEN_INVALID');
    if (sessionId === null) return;
    const session = await this.sessions.get(sessionId, () => this.loadSession(sessionId, userId));
    if (!session || session.revoked) throw new AppError('SESSION_REVOKED');
  }

  /** @throws AppError EMAIL_TAKEN, USERNAME_TAKEN, INVALID_INVITE_CODE */
  async register(input: z.output<typeof registerSchema>, device: Device): Promise<AuthAnswer> {
    const passwordHash = await this.passwords.hash(input.password);
    try {
      return await this.changes.run(async (change) => {
        const user = await this.createUser(change, input, passwordHash);
        return this.openSession(change, user, device);
      });
    } catch (error) {
      if (isUniqueViolation(error, 'users_email_unique')) throw new AppError('EMAIL_TAKEN');
      if (isUniqueViolation(error, 'users_username_key_unique')) throw new AppError('USERNAME_TAKEN');
      throw error;
    }
  }

  /** @throws AppError INVALID_CREDENTIALS, with the same work whether or not there is such an account */
  async login(input: z.output<typeof loginSchema>, device: Device): Promise<AuthAnswer> {
    const name = input.email.toLowerCase();
    const [found] = await this.database.rows<{ id: string; hash: string | null }>(
      `SELECT id, password_hash AS hash FROM users
       WHERE (email = $1 OR username_key = $1) AND NOT is_bot AND deleted_at IS NULL
       ORDER BY (email = $1) DESC NULLS LAST LIMIT 1`,
      [name],
    );
    const matches = await this.passwords.matches(input.password, found?.hash ?? null);
    if (!found || !matches) throw new AppError('INVALID_CREDENTIALS');
    return this.changes.run(async (change) => {
      const user = await change.em.findOneOrFail(User, found.id);
      return this.openSession(change, user, device);
    });
  }

  /** The user behind the token, as it sees itself. */
  async me(actor: Actor): Promise<z.input<typeof ownUserSchema>> {
    const user = await this.database.orm.em.fork().findOne(User, actor.userId);
    if (!user) throw new AppError('USER_NOT_FOUND');
    return ownUser(user, this.capabilities.membership(user.tier));
  }

  private async loadSession(sessionId: string, userId: string): Promise<KnownSession | undefined> {
    const [row] = await this.database.committedRows<SmallUser & { tier: string; revoked: boolean }>(
      `SELECT ${sessionColumns} FROM sessions s JOIN users u ON u.id = s.user_id
       WHERE s.id = $1 AND s.user_id = $2 AND u.deleted_at IS NULL`,
      [sessionId, userId],
    );
    if (!row) return undefined;
    const { tier, revoked, ...user } = row;
    return { user, tier, revoked };
  }

  private async createUser(
    change: Change,
    input: z.output<typeof registerSchema>,
    passwordHash: string,
  ): Promise<User> {
    const username = input.username ?? (await freeUsername(change, input.email));
    const id = uuid();
    const user = change.em.create(User, {
      id,
      username,
      usernameKey: username.toLowerCase(),
      email: input.email,
      displayName: input.displayName ?? username,
      passwordHash,
      isBot: false,
      tier: input.inviteCode === undefined ? this.settings.newAccountTier : this.settings.accounts.inviteTier,
    });
    await change.em.flush();
    await createStream(change.rows, userRoom(id));
    if (input.inviteCode !== undefined) await redeemCode(change.rows, id, input.inviteCode);
    return user;
  }

  private async openSession(change: Change, user: User, device: Device): Promise<AuthAnswer> {
    const { accessTokenSeconds, refreshTokenSeconds } = this.settings.accounts;
    const refresh = newSecret();
    const session = change.em.create(Session, {
      id: uuid(),
      userId: user.id,
      deviceName: device.deviceName,
      userAgent: device.userAgent,
      ipAddress: device.ip,
      refreshHash: refresh.hash,
      refreshExpiresAt: new Date(Date.now() + refreshTokenSeconds * 1000),
    });
    await change.em.flush();
    return {
      accessToken: this.tokens.sign({ sub: user.id, sid: session.id, typ: 'access' }, accessTokenSeconds),
      refreshToken: refresh.secret,
      user: ownUser(user, this.capabilities.membership(user.tier)),
    };
  }
}

/** A username from the local part of an e-mail, with digits behind it when it is taken. */
async function freeUsername(change: Change, email: string): Promise<string> {
  const local = email.slice(0, email.indexOf('@'));
  const cleaned = local.replace(/[^\p{L}\p{N}_.-]/gu, '').replace(/^\.+|\.+$/g, '');
  const base = (cleaned.length >= 3 ? cleaned : `user-${cleaned}`).slice(0, 24).replace(/\.+$/, '');
  for (let tries = 0; tries < 20; tries++) {
    const name = tries === 0 ? base : `${base}${randomInt(10 ** Math.min(2 + tries, 8))}`;
    const taken = await change.em.count(User, { usernameKey: name.toLowerCase() });
    if (taken === 0) return name;
  }
  throw new AppError('USERNAME_TAKEN');
}
