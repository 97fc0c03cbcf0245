import type { z } from 'zod';
import type { Actor } from '../../../contract/actor.ts';
import type { ErrorCode } from '../../../contract/error-codes.ts';
import { AppError } from '../../../contract/errors.ts';
import type { idTokenSchema, oauthProviderSchema, startOAuthSchema } from '../../../contract/oauth.ts';
import type { Queries } from '../../../database/database.ts';
import { OAuthState } from '../../../database/entities/user.entity.ts';
import type { Changes } from '../../../delivery/changes.ts';
import { clock, dateNow } from '../../../infrastructure/clock.ts';
import type { Log } from '../../../infrastructure/log.ts';
import type { Settings } from '../../../settings/settings.ts';
import { hashSecret, keyedHash, newSecret } from '../secrets.ts';
import type { Device } from '../sessions/device.ts';
import { type AuthAnswer, holdSession, ownSession } from '../sessions/session.service.ts';
import { finished, Unfinished } from '../sessions/unfinished.ts';
import type { LinkingService } from './linking.service.ts';
import type { Provider, SignInChecks } from './provider.ts';

/** Where a browser is sent, and the cookie to set. */
export interface Departure {
  url: string;
  cookie: string;
}

const cookiePath = '/api/auth/oauth';

/** Sign-in at identity providers; a state, PKCE and a nonce secure the callback (contract §3). */
export class OAuthService {
  private readonly parts: {
    changes: Changes;
    linking: LinkingService;
    providers: Map<string, Provider>;
    settings: Settings;
    publicUrl: () => string;
    log: Log;
  };

  constructor(parts: OAuthService['parts']) {
    this.parts = parts;
  }

  /** The available providers, in the order of the settings. */
  list(): z.input<typeof oauthProviderSchema>[] {
    return [...this.parts.providers.keys()].map((provider) => ({ provider, name: titleOf(provider) }));
  }

  /** Where to send a browser to sign in. @throws AppError PROVIDER_NOT_CONFIGURED */
  async start(name: string, input: z.output<typeof startOAuthSchema>): Promise<Departure | { url: string }> {
    const provider = this.provider(name);
    try {
      return await this.depart(provider, input.redirect, input.inviteCode ?? null, null);
    } catch (error) {
      return { url: this.failed(name, error) };
    }
  }

  /** Where a signed-in user links an account. @throws AppError PROVIDER_NOT_CONFIGURED, PROVIDER_UNAVAILABLE */
  async startLink(actor: Actor, name: string, redirect: string | undefined): Promise<Departure> {
    const sessionId = ownSession(actor);
    return this.depart(this.provider(name), redirect, null, { userId: actor.userId, sessionId });
  }

  /**
   * Completes a sign-in; on any failure the browser is sent to a page that explains it.
   * @param cookies the browser's Cookie header
   * @param search the query that the provider added
   */
  async finish(
    name: string,
    request: { state: string | undefined; cookies: string; search: string },
    device: Device,
  ): Promise<Departure> {
    const provider = this.provider(name);
    const cookie = this.cookie(request.state ?? '', '', 0);
    try {
      return { cookie, url: await this.arrive(provider, request, device) };
    } catch (error) {
      return { cookie, url: this.failed(name, error) };
    }
  }

  /** @throws AppError PROVIDER_NOT_CONFIGURED, ID_TOKEN_INVALID, PROVIDER_UNAVAILABLE, SECOND_FACTOR_REQUIRED */
  async byIdToken(name: string, input: z.output<typeof idTokenSchema>, device: Device): Promise<AuthAnswer> {
    const verifier = this.provider(name).idTokens;
    if (!verifier) throw new AppError('PROVIDER_NOT_CONFIGURED');
    const identity = await verifier.verify(input.idToken ?? input.credential ?? '', input.nonce ?? null);
    const { displayName, inviteCode } = input;
    return finished(await this.parts.linking.signIn(identity, { displayName, inviteCode }, device));
  }

  private async depart(
    provider: Provider,
    redirect: string | undefined,
    inviteCode: string | null,
    linkTo: { userId: string; sessionId: string } | null,
  ): Promise<Departure> {
    const { changes, settings, publicUrl } = this.parts;
    const { stateSeconds } = settings.accounts.oauth;
    const [state, secret] = [newSecret(), newSecret()];
    const url = await provider.authorizationUrl(checksOf(state.secret, secret.secret), this.callbackUrl(provider.name));
    const path = localPath(redirect, publicUrl());
    const { userId = null, sessionId = null } = linkTo ?? {};
    const begun = { stateHash: state.hash, cookieHash: secret.hash, provider: provider.name, redirect: path };
    const expiresAt = new Date(clock.now() + stateSeconds * 1000);
    await changes.run(async (change) => {
      // The provider may have been asked for e-mail addresses meanwhile.
      if (linkTo) await holdSession(change, linkTo.sessionId);
      await change.em.insert(OAuthState, { ...begun, inviteCode, expiresAt, linkTo: userId, madeBy: sessionId });
    });
    return { url: url.href, cookie: this.cookie(state.secret, secret.secret, stateSeconds) };
  }

  private async arrive(
    provider: Provider,
    { state, cookies, search }: { state: string | undefined; cookies: string; search: string },
    device: Device,
  ): Promise<string> {
    const secret = state === undefined ? undefined : cookieValue(cookies, cookieName(state));
    if (state === undefined || secret === undefined) throw new AppError('FORBIDDEN');
    const kept = await this.parts.changes.run(({ db }) =>
      spendState(db, { stateHash: hashSecret(state), cookieHash: hashSecret(secret), provider: provider.name }),
    );
    if (!kept) throw new AppError('FORBIDDEN');
    const callback = new URL(this.callbackUrl(provider.name) + search);
    const identity = await provider.identify(callback, checksOf(state, secret));
    if (kept.linkTo !== null) {
      await this.parts.linking.link(hashSecret(state), identity, device);
      return this.page('oauth-callback', { linked: provider.name, redirect: kept.redirect }, '#');
    }
    const answer = await this.parts.linking.signIn(identity, { inviteCode: kept.inviteCode }, device);
    return this.page(
      'oauth-callback',
      {
        ...broughtBack(answer),
        redirect: kept.redirect,
        ...(kept.inviteCode ? { invite_code: kept.inviteCode } : {}),
        ...('restored' in answer && answer.restored ? { restored: 'true' } : {}),
      },
      '#',
    );
  }

  private failed(provider: string, error: unknown): string {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unexpected';
    // Not as `code`: the log redacts that as a mailed one.
    this.parts.log.warn({ provider, reason: code, err: codeOnly(error) }, 'A sign-in at a provider failed.');
    const reason = reasonOf(error);
    return this.page('login', { error: 'oauth_failed', ...(reason ? { reason } : {}) }, '?');
  }

  private page(name: string, values: Record<string, string>, separator: '#' | '?'): string {
    const pairs = Object.entries(values).map(([key, value]) => `${key}=${encodeURIComponent(value)}`);
    return `${this.parts.publicUrl()}/app/${name}${separator}${pairs.join('&')}`;
  }

  private provider(name: string): Provider {
    const provider = this.parts.providers.get(name);
    if (!provider) throw new AppError('PROVIDER_NOT_CONFIGURED');
    return provider;
  }

  private callbackUrl(name: string): string {
    return `${this.parts.publicUrl()}${cookiePath}/${name}/callback`;
  }

  private cookie(state: string, secret: string, seconds: number): string {
    const secure = this.parts.publicUrl().startsWith('https:') ? '; Secure' : '';
    return `${cookieName(state)}=${secret}; Path=${cookiePath}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`;
  }
}

/** What the page that ends a sign-in gets: its tokens, or what a second factor completes. */
function broughtBack(answer: AuthAnswer | Unfinished): Record<string, string> {
  if (answer instanceof Unfinished) return { ticket: answer.ticket, methods: answer.methods.join(',') };
  const { accessToken, refreshToken, deviceToken } = answer;
  return { access_token: accessToken, refresh_token: refreshToken, ...(deviceToken && { device_token: deviceToken }) };
}

/** Each state is used once, and only by the browser that started; its row stays while the provider is queried. */
function spendState(db: Queries, state: Pick<OAuthState, 'stateHash' | 'cookieHash' | 'provider'>) {
  const unspent = db
    .updateTable('OAuthState')
    .where((eb) => eb.and(state))
    .where('expiresAt', '>', dateNow());
  const spent = unspent.set({ cookieHash: '' });
  return spent.returning(['redirect', 'inviteCode', 'linkTo']).executeTakeFirst();
}

/** `my-company` becomes My Company; only names with another spelling are listed here. */
function titleOf(provider: string): string {
  if (provider === 'github') return 'GitHub';
  return provider.replaceAll('-', ' ').replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
}

/** A cookie each, so that sign-ins in several tabs do not interfere. */
function cookieName(state: string): string {
  return `parley_oauth_${hashSecret(state)
    .replace(/[^A-Za-z0-9]/g, '')
    .slice(0, 12)}`;
}

function cookieValue(cookies: string, name: string): string | undefined {
  const entries = cookies.split(';').map((entry) => entry.trim());
  return entries.find((entry) => entry.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** Everything expected back is derived from the browser's secret, so none of it is stored here. */
function checksOf(state: string, secret: string): SignInChecks {
  return { state, nonce: keyedHash(secret, 'nonce', ''), codeVerifier: keyedHash(secret, 'PKCE', '') };
}

/** The failures that the error page distinguishes. */
const reasons: Partial<Record<ErrorCode, string>> = {
  OAUTH_ACCOUNT_TAKEN: 'linked_elsewhere',
  ACCOUNT_SUSPENDED: 'suspended',
  EMAIL_NOT_VERIFIED: 'unverified',
  EMAIL_TAKEN: 'email_taken',
};

function reasonOf(error: unknown): string | null {
  if (error instanceof AppError && reasons[error.code]) return reasons[error.code] ?? null;
  return error instanceof Error && 'error' in error && error.error === 'access_denied' ? 'denied' : null;
}

/** A provider's error text may repeat what it was sent; the kind of error and its location suffice. */
function codeOnly(error: unknown): { type: string; stack: string | undefined } {
  const { name, stack } = error instanceof Error ? error : new Error('Not an error.');
  return { type: name, stack: stack?.split('\n').slice(1, 6).join('\n') };
}

/**
 * Where to go after signing in: always a path on this site. Browsers read `\` as `/` and ignore tabs, so the result of the
 * URL parser decides.
 * @param site the origin of this site
 */
function localPath(wanted: string | undefined, site: string): string {
  const { origin } = new URL(site);
  if (!wanted || !URL.canParse(wanted, origin)) return '/';
  const target = new URL(wanted, origin);
  const path = target.pathname + target.search + target.hash;
  // A path that begins with two slashes is another site.
  return target.origin === origin && !path.startsWith('//') ? path : '/';
}
