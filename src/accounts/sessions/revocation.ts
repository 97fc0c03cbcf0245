import type { Database } from '../../database/database.ts';
import type { Caches } from '../../delivery/caches.ts';
import type { Change } from '../../delivery/changes.ts';
import type { Control } from '../../delivery/control.ts';
import type { Log } from '../../infrastructure/log.ts';
import { sessionRevoked } from './session.contract.ts';

/** Names of the caches that know whether a session or a personal access token still holds. */
export const sessionCache = 'sessions';
export const personalTokenCache = 'personal-tokens';

const revokeOne = `UPDATE sessions SET revoked_at = clock_timestamp()
  WHERE id = $1 AND user_id = $2 AND revoked_at IS NULL RETURNING id`;
const revokeOthers = `UPDATE sessions SET revoked_at = clock_timestamp()
  WHERE user_id = $1 AND id IS DISTINCT FROM $2::uuid AND revoked_at IS NULL RETURNING id`;
const revokeToken = `UPDATE personal_tokens SET revoked_at = clock_timestamp()
  WHERE id = $1 AND user_id = $2 AND revoked_at IS NULL RETURNING id`;

/** What an ended session began to link must not sign in anyone later. */
const abandonLinks = 'DELETE FROM oauth_states WHERE link_to = $1';

interface Revoked {
  id: string;
}

/** Ends sessions and personal access tokens, on every node before the answer (contract §3). */
export class Revocation {
  private readonly caches: Caches;
  private readonly control: Control;

  constructor(caches: Caches, control: Control) {
    this.caches = caches;
    this.control = control;
  }

  /** @returns whether there was such a session */
  async session(change: Change, userId: string, sessionId: string): Promise<boolean> {
    return (await this.endSessions(change, userId, await change.rows(revokeOne, [sessionId, userId]))) > 0;
  }

  /** Ends all sessions of a user, but the one to keep. @returns how many there were */
  async sessions(change: Change, userId: string, keep: string | null = null): Promise<number> {
    return this.endSessions(change, userId, await change.rows(revokeOthers, [userId, keep]));
  }

  /** @returns whether there was such a token */
  async personalToken(change: Change, userId: string, tokenId: string): Promise<boolean> {
    return this.end(change, personalTokenCache, await change.rows<Revoked>(revokeToken, [tokenId, userId])) > 0;
  }

  private async endSessions(change: Change, userId: string, revoked: Revoked[]): Promise<number> {
    if (revoked.length > 0) await change.rows(abandonLinks, [userId]);
    return this.end(change, sessionCache, revoked);
  }

  private end(change: Change, cache: string, revoked: Revoked[]): number {
    const ids = revoked.map(({ id }) => id);
    change.afterCommit(async () => {
      // Orders of one node arrive in the order in which they were given: whoever is thrown out cannot come back.
      const forgotten = this.caches.forget(cache, ids);
      await Promise.all([forgotten, ...ids.map((id) => this.disconnect(id))]);
    });
    return ids.length;
  }

  private disconnect(sessionId: string): Promise<void> {
    return this.control.send({ kind: 'disconnect', sessionId, event: goodbye(sessionId) });
  }
}

/** What a socket is told when its session is over. */
export const goodbye = (sessionId: string) => ({ name: sessionRevoked.name, data: { sessionId } });

/** By `now()`: what is another time for each row is no place to begin at in an index. */
export const revokedLately = `SELECT id FROM sessions WHERE revoked_at > now() - make_interval(secs => $1)
  UNION ALL SELECT id FROM personal_tokens WHERE revoked_at > now() - make_interval(secs => $1)`;

const watchMs = 1000;
/** A change that was long under way shows a time that is past already when it is committed. */
const overlapSeconds = 15;

/**
 * Finds what was revoked by whom this node could not hear: another node while Redis is away, or the operator's
 * command line. One query a second over what was revoked lately, however many sockets there are.
 */
export class RevocationWatch {
  private readonly database: Database;
  private readonly log: Log;
  private readonly caches: Caches;
  private readonly disconnect: (sessionId: string) => void;
  /** Id → when it was seen first, in ms. */
  private readonly seen = new Map<string, number>();
  private readonly timer: NodeJS.Timeout;
  private lastSuccess = performance.now();
  private looking = false;

  /** @param disconnect closes this node's sockets of a session or token, telling them why */
  constructor(database: Database, caches: Caches, log: Log, disconnect: (sessionId: string) => void) {
    this.database = database;
    this.caches = caches;
    this.log = log;
    this.disconnect = disconnect;
    this.timer = setInterval(() => void this.look(), watchMs);
  }

  close(): void {
    clearInterval(this.timer);
  }

  private async look(): Promise<void> {
    if (this.looking) return;
    this.looking = true;
    try {
      const started = performance.now();
      const seconds = overlapSeconds + (started - this.lastSuccess) / 1000;
      for (const { id } of await this.database.rows<Revoked>(revokedLately, [seconds])) this.act(id, started);
      this.lastSuccess = started;
      this.forgetOld(started);
    } catch (error) {
      this.log.debug({ err: error }, 'Revoked sessions could not be looked up; the next try follows.');
    } finally {
      this.looking = false;
    }
  }

  private act(id: string, now: number): void {
    if (this.seen.has(id)) return;
    this.seen.set(id, now);
    this.caches.dropHere(sessionCache, [id]);
    this.caches.dropHere(personalTokenCache, [id]);
    this.disconnect(id);
  }

  private forgetOld(now: number): void {
    for (const [id, at] of this.seen) {
      if (now - at < 4 * overlapSeconds * 1000) return;
      this.seen.delete(id);
    }
  }
}
