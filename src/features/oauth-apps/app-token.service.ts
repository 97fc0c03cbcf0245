import { createHash } from 'node:crypto';
import { lockUser } from '../../access/user.table.ts';
import { AppError } from '../../contract/errors.ts';
import { type Introspection, OAuthRefusal, type OAuthWord, type TokenAnswer } from '../../contract/oauth-protocol.ts';
import type { OAuthApp } from '../../database/entities/oauth-app.entity.ts';
import { PersonalToken, User } from '../../database/entities/user.entity.ts';
import type { Change } from '../../delivery/changes.ts';
import { clock, dateNow } from '../../infrastructure/clock.ts';
import { newId } from '../../infrastructure/ids.ts';
import { seal, unseal } from '../../infrastructure/sealed-text.ts';
import { type AppClaims, type AppTokens, appTokenPrefix } from '../accounts/app-tokens.ts';
import type { Identity } from '../accounts/identity.ts';
import { hashSecret, newSecret, sealingKey } from '../accounts/secrets.ts';
import type { Revocation } from '../accounts/sessions/revocation.ts';
import { holdSession } from '../accounts/sessions/session.service.ts';
import type { Context } from '../context.ts';
import type { IdTokens } from './id-tokens.ts';
import * as table from './oauth.table.ts';
import { claimsOf } from './oauth-app.view.ts';

/** A device that asks too early waits this much longer from then on (RFC 8628 §3.5). */
const longerSeconds = 5;
const refreshPrefix = 'ort_';

interface Deps extends Pick<Context, 'database' | 'changes' | 'publicUrl' | 'settings'> {
  appTokens: AppTokens;
  idTokens: IdTokens;
  identity: Pick<Identity, 'admits'>;
  revocation: Pick<Revocation, 'personalToken'>;
}

/** What is allowed, and by whom. */
interface Grant {
  userId: string;
  scope: string;
  madeBy: string;
  nonce?: string | null;
}

type Outcome = TokenAnswer | OAuthWord;

/**
 * Tokens of apps (contract §3, OAuth apps). What a refusal changes must stay, such as the end of what a stolen token gave, so
 * changes return the word of a refusal, which is thrown after the commit.
 */
export class AppTokenService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** Exchanges a code, once: a second use ends what the first one gave. @throws OAuthRefusal invalid_grant */
  async byCode(
    app: OAuthApp,
    code: string,
    proof: { verifier: string | undefined; redirectUri: string | undefined },
  ): Promise<TokenAnswer> {
    const hash = hashSecret(code);
    const found = await table.findCode(this.deps.database.committedRows, hash);
    if (!found || !(await this.deps.identity.admits(found.userId))) throw refusal('invalid_grant');
    return this.outcome(async (change) => {
      await lockUser(change.rows, found.userId);
      const taken = await table.takeCode(change.rows, hash);
      if (!taken) return this.usedTwice(change, hash);
      const isTheirs = taken.appId === app.id && (proof.redirectUri ?? taken.redirectUri) === taken.redirectUri;
      if (!isTheirs || challengeOf(proof.verifier ?? '') !== taken.challenge) return 'invalid_grant';
      return this.grant(change, app, taken, (tokenId) => table.noteExchanged(change.rows, hash, tokenId));
    });
  }

  /**
   * Exchanges a refresh token. Within the grace period it gives the same successor again, since responses get lost; later a
   * second use counts as theft and ends all that came of it.
   * @throws OAuthRefusal invalid_grant
   */
  async byRefresh(app: OAuthApp, refreshToken: string): Promise<TokenAnswer> {
    const hash = hashSecret(refreshToken);
    const found = await table.findByRefresh(this.deps.database.committedRows, hash, app.id);
    if (!found || !(await this.deps.identity.admits(found.userId))) throw refusal('invalid_grant');
    return this.outcome(async (change) => {
      const allowed = await table.lockByRefresh(change.rows, hash, app.id);
      if (!allowed) return this.repeated(change, app, refreshToken);
      const next = newSecret(refreshPrefix);
      await table.exchangeRefresh(change.rows, {
        ...{ id: allowed.id, hash: next.hash, usedHash: hash, expiresAt: this.refreshEnd() },
        successor: seal(next.secret, sealingKey(refreshToken)),
        longestSeconds: this.deps.settings.accounts.refreshTokenAbsoluteSeconds,
        graceSeconds: this.deps.settings.accounts.refreshGraceSeconds,
      });
      await table.noteAppUsed(change.rows, app.id);
      return this.answer(app, allowed, next.secret);
    });
  }

  /** @throws OAuthRefusal authorization_pending, slow_down, access_denied, expired_token, invalid_grant */
  async byDevice(app: OAuthApp, deviceCode: string): Promise<TokenAnswer> {
    const hash = hashSecret(deviceCode);
    const user = await table.findDeviceUser(this.deps.database.committedRows, hash);
    if (user && !(await this.deps.identity.admits(user))) throw refusal('invalid_grant');
    return this.outcome(async (change) => {
      if (user) await lockUser(change.rows, user);
      const device = await table.lockWaiting(change.rows, hash);
      if (device?.appId !== app.id) return 'invalid_grant';
      if (device.isOver) return 'expired_token';
      if (device.state === 'waiting') {
        await table.noteDeviceAsked(change.rows, hash, device.pause + (device.isEarly ? longerSeconds : 0));
        return device.isEarly ? 'slow_down' : 'authorization_pending';
      }
      const { state, userId, madeBy, scope } = device;
      // Decided since it was looked at: the next question finds its user, who is locked first.
      if (userId !== user) return 'authorization_pending';
      await table.endDevice(change.rows, hash);
      if (state === 'denied' || !userId || !madeBy) return 'access_denied';
      return this.grant(change, app, { userId, madeBy, scope });
    });
  }

  /** Ends what a token stands for. One that is not the app's, or not valid, is none of its business (RFC 7009 §2.2). */
  async revoke(app: OAuthApp, token: string): Promise<void> {
    const found = await this.behind(app, token);
    if (!found) return;
    const { revocation, changes } = this.deps;
    await changes.run((change) => revocation.personalToken(change, found.userId, found.id));
  }

  /** Whether a token of the app is valid, and what for; an app without a secret learns nothing. @throws OAuthRefusal */
  async introspect(app: OAuthApp, text: string): Promise<Introspection> {
    if (app.secretHash == null) throw new OAuthRefusal('unauthorized_client', 'This takes an app with a secret.');
    const claims = this.claimsOf(text);
    const found = await this.behind(app, text);
    // A refresh token that was exchanged is found too, so that it can be revoked, but it is not valid.
    const isLatest = claims !== undefined || found?.token_hash === hashSecret(text);
    if (!found || !isLatest || !(await this.deps.identity.admits(found.userId))) return { active: false };
    const [token, user] = await this.deps.database.read(async (em) => [
      await em.findOne(PersonalToken, { id: found.id, revokedAt: null, expiresAt: { $gt: dateNow() } }),
      await em.findOne(User, found.userId),
    ]);
    if (!token || !user) return { active: false };
    const { scope, createdAt, expiresAt } = token;
    const exp = claims?.exp ?? inSeconds(expiresAt ?? createdAt);
    const about = { scope, client_id: app.id, username: user.username, sub: user.id };
    return { active: true, ...about, token_type: 'Bearer', iat: claims?.iat ?? inSeconds(createdAt), exp };
  }

  private async outcome(change: (change: Change) => Promise<Outcome>): Promise<TokenAnswer> {
    const outcome = await this.deps.changes.run(change);
    if (typeof outcome === 'string') throw refusal(outcome);
    return outcome;
  }

  private async usedTwice(change: Change, hash: string): Promise<OAuthWord> {
    const used = await table.findCode(change.rows, hash);
    if (used?.tokenId) await this.deps.revocation.personalToken(change, used.userId, used.tokenId);
    return 'invalid_grant';
  }

  private async repeated(change: Change, app: OAuthApp, refreshToken: string): Promise<Outcome> {
    const { refreshGraceSeconds } = this.deps.settings.accounts;
    const used = await table.findUsedRefresh(change.rows, hashSecret(refreshToken), app.id, refreshGraceSeconds);
    if (!used) return 'invalid_grant';
    if (used.inGrace && used.successor) return this.answer(app, used, unseal(used.successor, sealingKey(refreshToken)));
    await this.deps.revocation.personalToken(change, used.userId, used.id);
    return 'invalid_grant';
  }

  /** The caller holds the user, who may have their account. */
  private async grant(
    change: Change,
    app: OAuthApp,
    { userId, scope, madeBy, nonce }: Grant,
    made?: (tokenId: string) => Promise<void>,
  ): Promise<Outcome> {
    const { revocation, idTokens, publicUrl, settings } = this.deps;
    const session = await holdSession(change, madeBy).catch(isSessionOver);
    if (!session) return 'invalid_grant';
    const oldest = await table.oldestAllowed(change.rows, userId, app.id, settings.accounts.apps.ofUser - 1);
    for (const id of oldest) await revocation.personalToken(change, userId, id);
    const { secret, hash: tokenHash } = newSecret(refreshPrefix);
    const id = newId();
    const about = { id, userId, name: app.name, scope, tokenHash, madeBy, appId: app.id };
    change.em.create(PersonalToken, { ...about, expiresAt: this.refreshEnd() });
    await change.em.flush();
    await made?.(id);
    await table.noteAppUsed(change.rows, app.id);
    const answer = this.answer(app, { id, userId, scope }, secret);
    const scopes = scope.split(' ');
    if (!scopes.includes('openid')) return answer;
    const user = await change.em.findOneOrFail(User, userId, { refresh: true });
    const signedIn = { auth_time: inSeconds(session.confirmedAt ?? session.createdAt), ...(nonce ? { nonce } : {}) };
    const claims = { ...claimsOf(user, scopes, publicUrl()), ...signedIn };
    const id_token = await idTokens.sign(publicUrl(), claims, app.id);
    return { ...answer, id_token };
  }

  private answer(app: OAuthApp, { id, userId, scope }: table.Allowed, refreshToken: string): TokenAnswer {
    const { accessTokenSeconds: seconds } = this.deps.settings.accounts.apps;
    const access_token = this.deps.appTokens.sign({ sub: userId, sid: id, app: app.id }, seconds);
    return { access_token, token_type: 'Bearer', expires_in: seconds, refresh_token: refreshToken, scope };
  }

  /** As for sessions: without a refresh it ends, and some time after it was allowed in any case. */
  private refreshEnd(): Date {
    const { refreshTokenSeconds, refreshTokenAbsoluteSeconds } = this.deps.settings.accounts;
    return new Date(clock.now() + Math.min(refreshTokenSeconds, refreshTokenAbsoluteSeconds) * 1000);
  }

  private async behind(
    app: OAuthApp,
    text: string,
  ): Promise<{ id: string; userId: string; token_hash?: string } | null> {
    const claims = this.claimsOf(text);
    if (claims) return claims.app === app.id ? { id: claims.sid, userId: claims.sub } : null;
    const found = await table.findByRefresh(this.deps.database.committedRows, hashSecret(text), app.id);
    return found ?? null;
  }

  private claimsOf(text: string): AppClaims | undefined {
    if (!text.startsWith(appTokenPrefix)) return undefined;
    try {
      return this.deps.appTokens.verify(text);
    } catch (error) {
      if (error instanceof AppError) return undefined;
      throw error;
    }
  }
}

const inSeconds = (date: Date): number => Math.floor(date.getTime() / 1000);

function isSessionOver(error: unknown): false {
  if (error instanceof AppError && error.code === 'SESSION_REVOKED') return false;
  throw error;
}

/** RFC 7636 §4.6. A verifier of another form has no challenge. */
function challengeOf(verifier: string): string | undefined {
  if (!/^[\w.~-]{43,128}$/.test(verifier)) return undefined;
  return createHash('sha256').update(verifier).digest('base64url');
}

const sentences: Partial<Record<OAuthWord, string>> = {
  authorization_pending: 'The user has not decided yet; ask again.',
  slow_down: 'Wait longer before you ask again.',
  access_denied: 'The user did not allow it.',
  expired_token: 'This code has expired; begin anew.',
};

function refusal(word: OAuthWord): OAuthRefusal {
  return new OAuthRefusal(word, sentences[word] ?? 'This is not valid, was used before, or is of another app.');
}
