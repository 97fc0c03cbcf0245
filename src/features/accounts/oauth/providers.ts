import * as openid from 'openid-client';
import { z } from 'zod';
import { trustedFetch } from '../../../infrastructure/trusted-hosts.ts';
import type { ProviderSettings } from '../../../settings/oauth-settings.ts';
import type { Settings } from '../../../settings/settings.ts';
import { OpenIdProvider } from './openid.ts';
import { normalizedEmail, type Provider, type ProviderIdentity, type SignInChecks } from './provider.ts';

const userSchema = z.object({ id: z.number().int(), login: z.string(), name: z.string().nullish() });
const emailsSchema = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }));

/** GitHub, which supports OAuth but no ID tokens; also GitHub Enterprise on its own site. */
class GitHubProvider implements Provider {
  readonly name: string;
  readonly idTokens = null;
  private readonly config: openid.Configuration;
  private readonly api: string;

  constructor(settings: ProviderSettings, options: Settings['accounts']['oauth']) {
    const { issuer, clientId, clientSecret } = settings;
    const site = issuer.replace(/\/$/, '');
    this.name = settings.name;
    this.api = site === 'https://github.com' ? 'https://api.github.com' : `${site}/api/v3`;
    const metadata = {
      issuer: `${site}/login/oauth`,
      authorization_endpoint: `${site}/login/oauth/authorize`,
      token_endpoint: `${site}/login/oauth/access_token`,
    };
    this.config = new openid.Configuration(metadata, clientId, {}, openid.ClientSecretPost(clientSecret));
    this.config.timeout = options.timeoutMs / 1000;
    this.config[openid.customFetch] = trustedFetch;
    if (site.startsWith('http:')) openid.allowInsecureRequests(this.config);
  }

  async authorizationUrl({ state, codeVerifier }: SignInChecks, redirectUri: string): Promise<URL> {
    return openid.buildAuthorizationUrl(this.config, {
      redirect_uri: redirectUri,
      scope: 'read:user user:email',
      state,
      code_challenge: await openid.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
    });
  }

  async identify(callback: URL, { state, codeVerifier }: SignInChecks): Promise<ProviderIdentity> {
    const checks = { expectedState: state, pkceCodeVerifier: codeVerifier };
    const { access_token: token } = await openid.authorizationCodeGrant(this.config, callback, checks);
    const user = userSchema.parse(await this.get(token, '/user'));
    const emails = emailsSchema.parse(await this.get(token, '/user/emails'));
    const primary = emails.find((entry) => entry.primary);
    const email = primary ? normalizedEmail(primary.email) : null;
    return {
      provider: this.name,
      subject: String(user.id),
      email,
      verifiedEmail: primary?.verified ? email : null,
      displayName: user.name ?? user.login,
      suggestion: user.login,
    };
  }

  private async get(token: string, path: string): Promise<unknown> {
    const headers = new Headers({ accept: 'application/vnd.github+json', 'user-agent': 'Parley' });
    const response = await openid.fetchProtectedResource(
      this.config,
      token,
      new URL(`${this.api}${path}`),
      'GET',
      null,
      headers,
    );
    if (!response.ok) throw new Error(`GitHub answered ${response.status}.`);
    return response.json();
  }
}

/** The configured providers by name. None is contacted before someone signs in. */
export function createProviders(settings: Settings): Map<string, Provider> {
  const { oauth } = settings.accounts;
  return new Map(
    settings.oauthProviders.map((provider) => [
      provider.name,
      provider.kind === 'github' ? new GitHubProvider(provider, oauth) : new OpenIdProvider(provider, oauth),
    ]),
  );
}
