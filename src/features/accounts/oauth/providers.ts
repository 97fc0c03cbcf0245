import type { Settings } from '../../../settings/settings.ts';
import { GitHubProvider } from './github.ts';
import { OpenIdProvider } from './openid.ts';
import type { Provider } from './provider.ts';

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
