import { appScopes, graveScopes, usualScope } from '../../contract/oauth-app.ts';
import { OAuthRefusal } from '../../contract/oauth-protocol.ts';

/** What an app asks for: each scope once, in the order of their declaration. @throws OAuthRefusal invalid_scope */
export function scopesOf(asked: string | undefined): string[] {
  const named = (asked ?? '').split(' ').filter((scope) => scope !== '');
  const unknown = named.find((scope) => !appScopes.includes(scope));
  // It goes into the app's own error, and so may not have just any text.
  if (unknown !== undefined) throw new OAuthRefusal('invalid_scope', 'There is no such scope; see scopes_supported.');
  const wanted = named.length > 0 ? named : usualScope.split(' ');
  return appScopes.filter((scope) => wanted.includes(scope));
}

/** Whether allowing them takes a fresh confirmation. */
export const areGrave = (scopes: readonly string[]): boolean => scopes.some((scope) => graveScopes.includes(scope));

/** A token is for this site, or a part of it (RFC 8707). @throws OAuthRefusal invalid_target */
export function requireTarget(resource: string | undefined, site: string): void {
  if (resource === undefined || resource === site || resource.startsWith(`${site}/`)) return;
  throw new OAuthRefusal('invalid_target', 'Tokens of this server are for this site alone.');
}
