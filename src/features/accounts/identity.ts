import { LRUCache } from 'lru-cache';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import { BatchedRead } from '../../database/batched-read.ts';
import { atMost, type Cache } from '../../infrastructure/cache.ts';
import { clock } from '../../infrastructure/clock.ts';
import type { Context } from '../context.ts';
import type { AgentIdentity } from './agent.identity.ts';
import { type AppTokens, appTokenPrefix } from './app-tokens.ts';
import {
  type Arrival,
  type KnownSession,
  type KnownToken,
  type KnownUser,
  readArrivals,
  readToken,
  readTokenId,
  readUsers,
} from './identity.table.ts';
import { hashSecret } from './secrets.ts';
import { personalTokenCache, sessionCache } from './sessions/revocation.ts';
import type { SessionActivity } from './sessions/session-activity.ts';
import { requireActive } from './standing.ts';
import type { Tokens } from './tokens.ts';

export const userCache = 'users';

/** The prefix of personal access tokens (contract §3). */
export const personalTokenPrefix = 'pat_';

interface Deps extends Pick<Context, 'database' | 'caches' | 'settings'> {
  tokens: Tokens;
  appTokens: Pick<AppTokens, 'verify'>;
  activity: SessionActivity;
  agents: AgentIdentity;
}

/** Who is behind a token. Reads the database only for what is not cached, and no node trusts its cache for long. */
export class Identity {
  private readonly deps: Deps;
  private readonly users: Cache<KnownUser>;
  private readonly sessions: Cache<KnownSession>;
  private readonly personalTokens: Cache<KnownToken>;
  /** Thousands of people who have not been here lately may arrive at once, say after a node has died. */
  private readonly userReads: BatchedRead<KnownUser>;
  private readonly arrivals: BatchedRead<Arrival>;
  /** Hash → id of a personal access token; it never changes. */
  private readonly tokenIds = new LRUCache<string, string>(atMost(20_000));

  constructor(deps: Deps) {
    this.deps = deps;
    const { committedRows } = deps.database;
    this.userReads = new BatchedRead((ids) => readUsers(committedRows, ids));
    this.arrivals = new BatchedRead((ids) => readArrivals(committedRows, ids));
    this.users = deps.caches.create(userCache, 50_000);
    this.sessions = deps.caches.create(sessionCache, 50_000);
    this.personalTokens = deps.caches.create(personalTokenCache, 20_000);
  }

  /**
   * The actor behind an access token, an agent's token, a personal access token or an access token of an app.
   * @param ip where it was used from, for the list of sessions; null if that is already known
   * @throws AppError ACCESS_TOKEN_INVALID, SESSION_REVOKED, PAT_TOKEN_INVALID, PAT_TOKEN_EXPIRED, AGENT_STOPPED,
   * ACCOUNT_SUSPENDED (contract §3)
   */
  async authenticate(token: string, ip: string | null): Promise<Actor> {
    const actor = await this.behind(token);
    if (ip !== null) this.deps.activity.seen(actor, ip);
    return actor;
  }

  /** An event came from someone who is connected: they are there. */
  used(actor: Actor): void {
    this.deps.activity.used(actor);
  }

  /** The actor of another token of the same user. @throws AppError ACCESS_TOKEN_INVALID, and as `authenticate` */
  async renewed({ userId }: Actor, token: string): Promise<Actor> {
    const actor = await this.authenticate(token, null);
    // Rehearsals have no sockets.
    if (actor.userId !== userId || actor.agent?.rehearsalId) throw new AppError('ACCESS_TOKEN_INVALID');
    return actor;
  }

  /** Whether this node's caches show that a checked actor is unchanged. False: call `refreshed`. */
  isCurrent(actor: Actor): boolean {
    const { userId, sessionId, personalTokenId, agent, appOwnerId, expiresAt } = actor;
    if (expiresAt !== null && expiresAt <= clock.now()) return false;
    if (personalTokenId && this.personalTokens.peek(personalTokenId)?.revoked !== false) return false;
    if (sessionId && !this.isHeld(sessionId, userId)) return false;
    if (agent?.tokenId && !this.deps.agents.isCurrent(userId, agent.tokenId)) return false;
    if (appOwnerId && !mayAnswer(this.users.peek(appOwnerId))) return false;
    const known = this.users.peek(userId);
    return known?.user === actor.user && known.tier === actor.tier && !known.suspended;
  }

  /**
   * The same actor with its current state, for connections that outlive the check of their token.
   * @throws AppError as `authenticate`
   */
  async refreshed(actor: Actor): Promise<Actor> {
    if (this.isCurrent(actor)) return actor;
    const { sessionId, personalTokenId, agent, appOwnerId } = actor;
    if (personalTokenId) await this.requirePersonalToken(personalTokenId);
    if (appOwnerId) await this.requireAnswered(appOwnerId);
    if (actor.expiresAt !== null && actor.expiresAt <= clock.now()) throw new AppError('ACCESS_TOKEN_INVALID');
    // In parallel: each that is not cached is a round trip to the database.
    const [known] = await Promise.all([
      sessionId === null
        ? this.findUser(actor.userId)
        : this.findUser(actor.userId, () => this.userOf(sessionId, actor.userId)),
      sessionId && this.requireSession(sessionId, actor.userId),
      agent?.tokenId && this.deps.agents.require(actor.userId, agent.tokenId),
    ]);
    if (!known) throw new AppError(sessionId ? 'SESSION_REVOKED' : 'ACCESS_TOKEN_INVALID');
    requireActive(known);
    const { user, tier, secondFactor } = known;
    return user === actor.user && tier === actor.tier ? actor : { ...actor, user, tier, secondFactor };
  }

  /**
   * Where the operator requires a second factor, a session of someone without one is only for setting it up; bots and
   * personal tokens are not asked (contract §3).
   * @throws AppError SECOND_FACTOR_SETUP_REQUIRED
   */
  requireSecondFactor({ sessionId, secondFactor }: Actor): void {
    const { required } = this.deps.settings.accounts.secondFactor;
    if (required && sessionId !== null && !secondFactor) throw new AppError('SECOND_FACTOR_SETUP_REQUIRED');
  }

  /** The user's current tier. @throws AppError ACCESS_TOKEN_INVALID if the user no longer exists, ACCOUNT_SUSPENDED */
  async tierOf(userId: string): Promise<string> {
    return (await this.requireUser(userId, 'ACCESS_TOKEN_INVALID')).tier;
  }

  /** Whether work that this user started elsewhere may go on: for a person who is not suspended, or a bot of one. */
  async admits(userId: string): Promise<boolean> {
    const known = await this.findUser(userId);
    if (!known || known.suspended) return false;
    return !known.user.isBot || (await this.deps.agents.actor(userId)) !== undefined;
  }

  /** Whether someone still answers for the apps that they registered: they are neither suspended nor leaving, nor gone. */
  async answersForApps(ownerId: string): Promise<boolean> {
    return mayAnswer(await this.findUser(ownerId));
  }

  /** A person as an actor without a token, for what they asked for earlier. Undefined: they are gone or suspended. */
  async person(userId: string): Promise<Actor | undefined> {
    const known = await this.findUser(userId);
    if (!known || known.suspended || known.user.isBot) return undefined;
    const { user, tier, secondFactor } = known;
    const came = { sessionId: null, personalTokenId: null, agent: null, scopes: null, expiresAt: null };
    return { userId, user, tier, secondFactor, ...came };
  }

  private behind(token: string): Promise<Actor> {
    if (token.startsWith(personalTokenPrefix)) return this.byPersonalToken(token);
    return token.startsWith(appTokenPrefix) ? this.byAppToken(token) : this.byJwt(token);
  }

  private async byJwt(token: string): Promise<Actor> {
    const { sub, sid, typ, exp } = this.deps.tokens.verify(token);
    const end = exp * 1000;
    if (typ !== 'access') {
      const { id, endsAt } = await this.deps.agents.require(sub, sid);
      const { user, tier } = await this.requireUser(sub, 'ACCESS_TOKEN_INVALID');
      const agent = { id, tokenId: sid, ...(typ === 'rehearsal' ? { rehearsalId: sid } : {}) };
      const came = { sessionId: null, personalTokenId: null, agent, scopes: null, secondFactor: false };
      return { userId: sub, user, tier, ...came, expiresAt: Math.min(end, endsAt) };
    }
    const { user, tier, secondFactor } = await this.requireHeld(sid, sub);
    const came = { sessionId: sid, personalTokenId: null, agent: null, scopes: null, secondFactor };
    return { userId: sub, user, tier, ...came, expiresAt: end };
  }

  private async byPersonalToken(token: string): Promise<Actor> {
    const hash = hashSecret(token);
    const id = this.tokenIds.get(hash) ?? (await this.findToken(hash));
    const { userId, scopes, expiresAt } = await this.requirePersonalToken(id);
    const { user, tier, secondFactor } = await this.requireUser(userId, 'PAT_TOKEN_INVALID');
    const came = { sessionId: null, personalTokenId: id, agent: null, scopes, expiresAt };
    return { userId, user, tier, secondFactor, ...came };
  }

  /** What a person allowed an app is kept as a personal token, so it acts, and ends, as one does (contract §3, OAuth apps). */
  private async byAppToken(token: string): Promise<Actor> {
    const { sub, sid, exp } = this.deps.appTokens.verify(token);
    const allowed = await this.requirePersonalToken(sid).catch((error) => {
      throw error instanceof AppError && error.status === 401 ? new AppError('ACCESS_TOKEN_INVALID') : error;
    });
    if (allowed.userId !== sub) throw new AppError('ACCESS_TOKEN_INVALID');
    const { appOwnerId } = allowed;
    if (appOwnerId !== null) await this.requireAnswered(appOwnerId);
    const { user, tier, secondFactor } = await this.requireUser(sub, 'ACCESS_TOKEN_INVALID');
    const came = { sessionId: null, personalTokenId: sid, agent: null, scopes: allowed.scopes, expiresAt: exp * 1000 };
    return { userId: sub, user, tier, secondFactor, ...came, ...(appOwnerId === null ? {} : { appOwnerId }) };
  }

  /** The user of a valid session. */
  private async requireHeld(sessionId: string, userId: string): Promise<KnownUser> {
    const here = this.users.peek(userId);
    if (here && !here.suspended && this.isHeld(sessionId, userId)) return here;
    const [known] = await Promise.all([
      this.findUser(userId, () => this.userOf(sessionId, userId)),
      this.requireSession(sessionId, userId),
    ]);
    if (!known) throw new AppError('ACCESS_TOKEN_INVALID');
    requireActive(known);
    return known;
  }

  /** Whether this node knows a session as valid and this user's: a token must not pair a user and another's session. */
  private isHeld(sessionId: string, userId: string): boolean {
    const session = this.sessions.peek(sessionId);
    return session?.revoked === false && session.userId === userId;
  }

  private async findToken(hash: string): Promise<string> {
    const id = await readTokenId(this.deps.database.committedRows, hash);
    if (id === undefined) throw new AppError('PAT_TOKEN_INVALID');
    this.tokenIds.set(hash, id);
    return id;
  }

  private async requireSession(sessionId: string, userId: string): Promise<void> {
    const session = await this.sessions.get(sessionId, async () => (await this.arrivals.read(sessionId))?.session);
    if (session?.userId !== userId) throw new AppError('ACCESS_TOKEN_INVALID');
    if (session.revoked) throw new AppError('SESSION_REVOKED');
  }

  private async requirePersonalToken(id: string): Promise<KnownToken> {
    const { committedRows } = this.deps.database;
    const token = await this.personalTokens.get(id, () => readToken(committedRows, id));
    if (!token || token.revoked) throw new AppError('PAT_TOKEN_INVALID');
    if (token.expiresAt !== null && token.expiresAt <= clock.now()) throw new AppError('PAT_TOKEN_EXPIRED');
    return token;
  }

  private async requireAnswered(appOwnerId: string): Promise<void> {
    if (!(await this.answersForApps(appOwnerId))) throw new AppError('ACCESS_TOKEN_INVALID');
  }

  private async requireUser(
    userId: string,
    otherwise: 'ACCESS_TOKEN_INVALID' | 'PAT_TOKEN_INVALID',
  ): Promise<KnownUser> {
    const known = await this.findUser(userId);
    if (!known) throw new AppError(otherwise);
    requireActive(known);
    return known;
  }

  private async findUser(userId: string, read = () => this.userReads.read(userId)): Promise<KnownUser | undefined> {
    return this.users.get(userId, read);
  }

  /** Comes with the session: one statement for both. A token must not pair a user with another's session. */
  private async userOf(sessionId: string, userId: string): Promise<KnownUser | undefined> {
    const user = (await this.arrivals.read(sessionId))?.user;
    return user?.user.id === userId ? user : undefined;
  }
}

const mayAnswer = (known: KnownUser | undefined): boolean => known !== undefined && !known.suspended && !known.leaving;
