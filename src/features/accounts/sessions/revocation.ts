import type { Caches } from '../../../cluster/caches.ts';
import type { Control } from '../../../cluster/control.ts';
import { sessionRevoked } from '../../../contract/session.ts';
import type { Change } from '../../../delivery/changes.ts';

/** Names of the caches that know whether a session or a personal access token is still valid. */
export const sessionCache = 'sessions';
export const personalTokenCache = 'personal-tokens';

const revokeOne = `UPDATE sessions SET revoked_at = clock_timestamp()
  WHERE id = $1 AND user_id = $2 AND revoked_at IS NULL RETURNING id`;
const revokeOthers = `UPDATE sessions SET revoked_at = clock_timestamp()
  WHERE user_id = $1 AND id IS DISTINCT FROM $2::uuid AND revoked_at IS NULL RETURNING id`;
const revokeToken = `UPDATE personal_tokens SET revoked_at = clock_timestamp()
  WHERE id = $1 AND user_id = $2 AND revoked_at IS NULL RETURNING id`;
const revokeTokens = `UPDATE personal_tokens SET revoked_at = clock_timestamp()
  WHERE user_id = $1 AND ($2::uuid IS NULL OR made_by = $2) AND revoked_at IS NULL RETURNING id`;

/** Links that an ended session started must not sign in anyone later. */
const abandonLinks = 'DELETE FROM oauth_states WHERE link_to = $1';

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
    return (await this.endSessions(change, userId, await change.rows(revokeOne, [sessionId, userId]))) > 0;
  }

  /** Ends all sessions of a user except the one to keep. @returns how many */
  async sessions(change: Change, userId: string, keep: string | null = null): Promise<number> {
    return this.endSessions(change, userId, await change.rows(revokeOthers, [userId, keep]));
  }

  /** @returns whether the token existed */
  async personalToken(change: Change, userId: string, tokenId: string): Promise<boolean> {
    return this.end(change, personalTokenCache, await change.rows<Revoked>(revokeToken, [tokenId, userId])) > 0;
  }

  /** Ends the personal access tokens of a user that a session made; null: all of them. @returns how many */
  async personalTokens(change: Change, userId: string, madeBy: string | null): Promise<number> {
    return this.end(change, personalTokenCache, await change.rows<Revoked>(revokeTokens, [userId, madeBy]));
  }

  private async endSessions(change: Change, userId: string, revoked: Revoked[]): Promise<number> {
    if (revoked.length > 0) await change.rows(abandonLinks, [userId]);
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

/** The event that a socket gets when its session ends. */
export const sessionRevokedEvent = (sessionId: string) => ({ name: sessionRevoked.name, data: { sessionId } });

/** Whether a cache change means that a session or a personal access token has ended. */
export const isSessionCache = (cache: string) => cache === sessionCache || cache === personalTokenCache;
