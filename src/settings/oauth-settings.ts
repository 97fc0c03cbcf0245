import { SettingsError } from './settings-error.ts';

/** An identity provider that people may sign in with (contract §3). */
export interface ProviderSettings {
  /** Its name in paths, such as `google`. */
  name: string;
  kind: 'openid' | 'github';
  /** For GitHub: the site itself, which differs for GitHub Enterprise. */
  issuer: string;
  clientId: string;
  clientSecret: string;
}

const variable = /^OAUTH_(.+)_(ISSUER|CLIENT_ID|CLIENT_SECRET)$/;
const knownIssuers: Record<string, string> = { google: 'https://accounts.google.com', github: 'https://github.com' };
/** These names are routes themselves, in place of a provider's name. */
const reserved = ['accounts', 'providers'];

/**
 * The providers that OAUTH_<NAME>_ISSUER, _CLIENT_ID and _CLIENT_SECRET describe; Google and GitHub need no issuer.
 * @throws SettingsError
 */
export function oauthProviders(environment: Record<string, string>): ProviderSettings[] {
  const names = new Set<string>();
  for (const key of Object.keys(environment).filter((key) => key.startsWith('OAUTH_'))) {
    const name = variable.exec(key)?.[1];
    if (!name) throw new SettingsError(`The environment variable ${key} is not known; see OAUTH_<NAME>_ISSUER.`);
    names.add(name);
  }
  return [...names].map((name) => provider(name, environment));
}

function provider(prefix: string, environment: Record<string, string>): ProviderSettings {
  const name = prefix.toLowerCase().replaceAll('_', '-');
  const value = (part: string) => environment[`OAUTH_${prefix}_${part}`];
  const [issuer, clientId, clientSecret] = [
    value('ISSUER') ?? knownIssuers[name],
    value('CLIENT_ID'),
    value('CLIENT_SECRET'),
  ];
  if (!/^[a-z0-9-]{1,32}$/.test(name) || reserved.includes(name)) {
    throw new SettingsError(`OAUTH_${prefix}_CLIENT_ID is wrong: "${name}" cannot be the name of a provider.`);
  }
  if (!issuer) throw new SettingsError(`OAUTH_${prefix}_ISSUER must be set.`);
  if (!clientId) throw new SettingsError(`OAUTH_${prefix}_CLIENT_ID must be set.`);
  if (!clientSecret) throw new SettingsError(`OAUTH_${prefix}_CLIENT_SECRET must be set.`);
  if (!isSafe(issuer)) {
    throw new SettingsError(`OAUTH_${prefix}_ISSUER must be an https URL; plain http is for this machine only.`);
  }
  return { name, kind: name === 'github' ? 'github' : 'openid', issuer, clientId, clientSecret };
}

function isSafe(issuer: string): boolean {
  if (!URL.canParse(issuer)) return false;
  const { protocol, hostname } = new URL(issuer);
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}

/** Whether a host of a URL is this machine itself. */
function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}
