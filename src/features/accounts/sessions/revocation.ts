import type { Caches } from '../../../cluster/caches.ts';
import type { Control } from '../../../cluster/control.ts';
import { sessionRevoked } from '../../../contract/session.ts';
import type { Queries } from '../../../database/database.ts';
import { OAuthState } from '../../../database/entities/user.entity.ts';
import type { Change } from '../../../delivery/changes.ts';
import { dateNow } from '../../../infrastructure/clock.ts';

/** Names of the caches that know whether a session or a personal access token is still valid. */
export const sessionCache = 'sessions';
export const personalTokenCache = 'personal-tokens';

interface Revoked {
  id: string;
}

/** Ends sessions and personal access tokens, on every node before the response (contract §3). */
export class Revocation {
  private readonly caches: Caches;
  private readonly control: Control;

  constructor(caches: Caches, control: Control) {
    this.caches = caches;
    this.control = control;
  }

  /** @returns whether the session existed */
  async session(change: Change, userId: string, sessionId: string): Promise<boolean> {
    const revoked = await revokeSessions(change.db, userId).where('id', '=', sessionId).execute();
    return (await this.endSessions(change, userId, revoked)) > 0;
  }

  /** Ends all sessions of a user except the one to keep. @returns how many */
  async sessions(change: Change, userId: string, keep: string | null = null): Promise<number> {
    const revoked = await revokeSessions(change.db, userId).where('id', 'is distinct from', keep).execute();
    return this.endSessions(change, userId, revoked);
  }

  /** @returns whether the token existed */
  async personalToken(change: Change, userId: string, tokenId: string): Promise<boolean> {
    const revoked = await revokeTokens(change.db, userId).where('id', '=', tokenId).execute();
    return this.end(change, personalTokenCache, revoked) > 0;
  }

  /** Ends the personal access tokens of a user that a session made; null: all of them. @returns how many */
  async personalTokens(change: Change, userId: string, madeBy: string | null): Promise<number> {
    const all = revokeTokens(change.db, userId);
    const revoked = await all.$if(madeBy !== null, (tokens) => tokens.where('madeBy', '=', madeBy)).execute();
    return this.end(change, personalTokenCache, revoked);
  }

  private async endSessions(change: Change, userId: string, revoked: Revoked[]): Promise<number> {
    // Links that an ended session started must not sign in anyone later.
    if (revoked.length > 0) await change.em.nativeDelete(OAuthState, { linkTo: userId });
    return this.end(change, sessionCache, revoked);
  }

  private end(change: Change, cache: string, revoked: Revoked[]): number {
    const ids = revoked.map(({ id }) => id);
    change.afterCommit(async () => {
      // Control messages of one node arrive in the order sent, so a disconnected client cannot reconnect in between.
      const forgotten = this.caches.forget(cache, ids);
      await Promise.all([forgotten, ...ids.map((id) => this.disconnect(id))]);
    });
    return ids.length;
  }

  private disconnect(sessionId: string): Promise<void> {
    return this.control.send({ kind: 'disconnect', sessionId, event: sessionRevokedEvent(sessionId) });
  }
}

/** Revokes those of a user's valid sessions that a further condition selects. */
function revokeSessions(db: Queries, userId: string) {
  const sessions = db.updateTable('Session').set({ revokedAt: dateNow() }).where('revokedAt', 'is', null);
  return sessions.where('userId', '=', userId).returning('id');
}

/** The same for personal access tokens. */
function revokeTokens(db: Queries, userId: string) {
  const tokens = db.updateTable('PersonalToken').set({ revokedAt: dateNow() }).where('revokedAt', 'is', null);
  return tokens.where('userId', '=', userId).returning('id');
}

/** The event that a socket gets when its session ends. */
export const sessionRevokedEvent = (sessionId: string) => ({ name: sessionRevoked.name, data: { sessionId } });

/** Whether a cache change means that a session or a personal access token has ended. */
export const isSessionCache = (cache: string) => cache === sessionCache || cache === personalTokenCache;
