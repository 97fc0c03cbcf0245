import { appScopes } from '../../contract/oauth-app.ts';
import type { OAuthMetadata, ResourceMetadata } from '../../contract/oauth-protocol.ts';

const bySecret = ['client_secret_basic', 'client_secret_post'];
const anyWay = ['none', ...bySecret];

export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

/** What this authorization server supports (RFC 8414, OpenID Connect Discovery). @param site its address */
export function metadataOf(site: string, selfRegistration: boolean): OAuthMetadata {
  return {
    issuer: site,
    authorization_endpoint: `${site}/app/authorize`,
    token_endpoint: `${site}/oauth/token`,
    revocation_endpoint: `${site}/oauth/revoke`,
    introspection_endpoint: `${site}/oauth/introspect`,
    device_authorization_endpoint: `${site}/oauth/device`,
    ...(selfRegistration ? { registration_endpoint: `${site}/oauth/register` } : {}),
    userinfo_endpoint: `${site}/oauth/userinfo`,
    jwks_uri: `${site}/oauth/jwks`,
    scopes_supported: appScopes,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token', deviceGrant],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: anyWay,
    revocation_endpoint_auth_methods_supported: anyWay,
    introspection_endpoint_auth_methods_supported: bySecret,
    authorization_response_iss_parameter_supported: true,
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    claims_supported: [
      ...['iss', 'sub', 'aud', 'exp', 'iat', 'auth_time', 'nonce'],
      ...['name', 'preferred_username', 'picture', 'email', 'email_verified'],
    ],
    service_documentation: `${site}/docs`,
  };
}

/** Who issues tokens for this site, or a part of it (RFC 9728). */
export function resourceOf(site: string, path = ''): ResourceMetadata {
  return {
    resource: `${site}${path}`,
    authorization_servers: [site],
    scopes_supported: appScopes,
    bearer_methods_supported: ['header'],
    resource_name: 'Parley',
  };
}
