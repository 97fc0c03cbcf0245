import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey, jwtVerify } from 'jose';
import * as openid from 'openid-client';
import { z } from 'zod';
import { emailSchema } from '../../../contract/account.ts';
import { AppError } from '../../../contract/errors.ts';
import { clock, dateNow } from '../../../infrastructure/clock.ts';
import { trustedFetch } from '../../../infrastructure/trusted-hosts.ts';
import type { ProviderSettings } from '../../../settings/oauth-settings.ts';
import type { Settings } from '../../../settings/settings.ts';
import type { IdTokenVerifier, Provider, ProviderIdentity, SignInChecks } from './provider.ts';

/** Only algorithms that need a private key of the provider. */
const algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
const clockToleranceSeconds = 10;
/** How long a provider's metadata is cached. */
const discoveryMs = 60 * 60 * 1000;

const claimsSchema = z.object({
  sub: z.string().min(1).max(255),
  azp: z.string().optional(),
  email: z.string().optional().catch(undefined),
  email_verified: z.union([z.boolean(), z.stringbool()]).optional().catch(undefined),
  name: z.string().optional().catch(undefined),
  preferred_username: z.string().optional().catch(undefined),
});

type Claims = z.output<typeof claimsSchema>;

interface Discovered {
  config: openid.Configuration;
  keys: JWTVerifyGetKey;
  at: number;
}

/** Any OpenID Connect issuer, configured by discovery. */
export class OpenIdProvider implements Provider, IdTokenVerifier {
  readonly name: string;
  readonly idTokens = this;
  private readonly settings: ProviderSettings;
  private readonly options: Settings['accounts']['oauth'];
  private discovered: Promise<Discovered> | undefined;

  constructor(settings: ProviderSettings, options: Settings['accounts']['oauth']) {
    this.name = settings.name;
    this.settings = settings;
    this.options = options;
  }

  async authorizationUrl({ state, nonce, codeVerifier }: SignInChecks, redirectUri: string): Promise<URL> {
    const { config } = await this.discover();
    return openid.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: 'openid email profile',
      state,
      nonce,
      code_challenge: await openid.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
    });
  }

  async identify(callback: URL, { state, nonce, codeVerifier }: SignInChecks): Promise<ProviderIdentity> {
    const { config } = await this.discover();
    const checks = {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: codeVerifier,
      idTokenExpected: true,
    };
    const tokens = await openid.authorizationCodeGrant(config, callback, checks);
    if (!tokens.id_token) throw new AppError('ID_TOKEN_INVALID');
    const claims = await this.claimsOf(tokens.id_token, nonce);
    const identity = this.identity(claims);
    // Many providers return more, above all the e-mail, from the userinfo endpoint; it is optional.
    if (identity.verifiedEmail || !config.serverMetadata().userinfo_endpoint) return identity;
    const more = await openid.fetchUserInfo(config, tokens.access_token, identity.subject);
    return this.identity(completed(claims, claimsSchema.parse(more)));
  }

  async verify(idToken: string, nonce: string | null): Promise<ProviderIdentity> {
    return this.identity(await this.claimsOf(idToken, nonce));
  }

  private async claimsOf(idToken: string, nonce: string | null): Promise<Claims> {
    const { keys, config } = await this.discover();
    const { clientId } = this.settings;
    try {
      const { payload } = await jwtVerify(idToken, keys, {
        issuer: config.serverMetadata().issuer,
        audience: clientId,
        algorithms,
        clockTolerance: clockToleranceSeconds,
        currentDate: dateNow(),
        requiredClaims: ['sub', 'iat', 'exp'],
      });
      const claims = claimsSchema.parse(payload);
      if (nonce !== null && payload.nonce !== nonce) throw new AppError('ID_TOKEN_INVALID');
      // A token that has other audiences too must have been issued to this site. One for this site alone may have been
      // issued to another client of the same owner, as Google's on phones are.
      const isShared = Array.isArray(payload.aud) && payload.aud.length > 1;
      if (isShared && claims.azp !== clientId) throw new AppError('ID_TOKEN_INVALID');
      return claims;
    } catch (error) {
      throw asTokenError(error);
    }
  }

  private identity(claims: Claims): ProviderIdentity {
    const email = emailSchema.safeParse(claims.email);
    const address = email.success ? email.data : null;
    return {
      provider: this.name,
      subject: claims.sub,
      email: address,
      verifiedEmail: claims.email_verified === true ? address : null,
      displayName: claims.name ?? null,
      suggestion: address ?? claims.preferred_username ?? claims.name ?? this.name,
    };
  }

  private async discover(): Promise<Discovered> {
    const known = await this.discovered?.catch(() => undefined);
    if (known && performance.now() - known.at < discoveryMs) return known;
    const asked = this.read();
    this.discovered = asked;
    try {
      return await asked;
    } catch (error) {
      // Metadata an hour old is better than none.
      if (known) this.discovered = Promise.resolve({ ...known, at: performance.now() });
      else if (this.discovered === asked) this.discovered = undefined;
      if (known) return known;
      throw new AppError('PROVIDER_UNAVAILABLE', { cause: error });
    }
  }

  private async read(): Promise<Discovered> {
    const { issuer, clientId, clientSecret } = this.settings;
    const { timeoutMs, keysCooldownMs } = this.options;
    const isLocal = issuer.startsWith('http:');
    const skew = { [openid.clockSkew]: Math.round(clock.behindMs / 1000) };
    const config = await openid.discovery(new URL(issuer), clientId, skew, authenticateClient(clientSecret), {
      timeout: timeoutMs / 1000,
      [openid.customFetch]: trustedFetch,
      execute: isLocal ? [openid.allowInsecureRequests] : [],
    });
    config.timeout = timeoutMs / 1000;
    config[openid.customFetch] = trustedFetch;
    const { jwks_uri: keysUri } = config.serverMetadata();
    if (!keysUri) throw new Error('The provider names no keys.');
    const keys = createRemoteJWKSet(new URL(keysUri), {
      timeoutDuration: timeoutMs,
      cooldownDuration: keysCooldownMs,
      [customFetch]: trustedFetch,
    });
    return { config, keys, at: performance.now() };
  }
}

/** The ID token's claims and the userinfo; an address and whether it is verified have one source. */
function completed(said: Claims, answered: Claims): Claims {
  const { email, email_verified } = answered.email === undefined ? said : answered;
  const name = answered.name ?? said.name;
  const preferred_username = answered.preferred_username ?? said.preferred_username;
  return { sub: said.sub, name, preferred_username, email, email_verified };
}

/** As the provider requires: in the header unless it supports only the body. */
function authenticateClient(secret: string): openid.ClientAuth {
  const [inHeader, inBody] = [openid.ClientSecretBasic(secret), openid.ClientSecretPost(secret)];
  return (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const authenticate = methods.includes('client_secret_basic') ? inHeader : inBody;
    authenticate(server, client, body, headers);
  };
}

const badToken = /^ERR_(JWT|JWS|JOSE_ALG|JOSE_NOT_SUPPORTED|JWKS_NO_MATCHING_KEY|JWKS_MULTIPLE)/;

function asTokenError(error: unknown): unknown {
  if (error instanceof AppError) return error;
  const isBad = error instanceof z.ZodError || (error instanceof errors.JOSEError && badToken.test(error.code));
  return new AppError(isBad ? 'ID_TOKEN_INVALID' : 'PROVIDER_UNAVAILABLE', { cause: error });
}
