import { z } from 'zod';
import { type CallSpec, calls, type ErrorForm } from './call.ts';
import type { ErrorCode } from './error-codes.ts';
import { AppError } from './errors.ts';
import { redirectUrisSchema } from './oauth-app.ts';
import { idSchema, omittable, record, urlSchema } from './schema.ts';

/** The words of the protocols for what is wrong (RFC 6749 §5.2, RFC 8628 §3.5, RFC 8707 §2). */
export type OAuthWord =
  | 'invalid_request'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'invalid_target'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'interaction_required'
  | 'login_required'
  | 'access_denied'
  | 'authorization_pending'
  | 'slow_down'
  | 'expired_token';

/** A request that the protocol does not allow; both error formats name the protocol's own word. */
export class OAuthRefusal extends AppError {
  readonly word: OAuthWord;

  constructor(word: OAuthWord, message: string) {
    super('OAUTH_REFUSED', { message, extra: { reason: word } });
    this.word = word;
  }
}

function wordOf(error: AppError): string {
  if (error instanceof OAuthRefusal) return error.word;
  if (error.code === 'OAUTH_CLIENT_INVALID') return 'invalid_client';
  if (error.issues?.some(({ path }) => path.startsWith('redirect_uris'))) return 'invalid_redirect_uri';
  if (error.code === 'INSUFFICIENT_PAT_SCOPE') return 'insufficient_scope';
  if (error.code === 'RATE_LIMITED' || error.status === 503) return 'temporarily_unavailable';
  if (error.status === 401) return 'invalid_token';
  return error.status >= 500 ? 'server_error' : 'invalid_request';
}

/** Errors as clients of the protocol read them. */
const oauthErrors: ErrorForm = {
  base: '/oauth',
  schema: (codes: ErrorCode[]) => z.object({ error: z.string(), error_description: z.string(), code: z.enum(codes) }),
  // Only these characters may be in it (RFC 6749 §5.2).
  body: (error) => ({
    error: wordOf(error),
    error_description: error.message.replace(/["\\]|[^ -~]/g, "'"),
    code: error.code,
  }),
};

const text = (max: number) => omittable(z.string().max(max));

/** Who calls: by the header, or in the form. Apps without a secret name themselves only. */
const client = { client_id: text(200), client_secret: text(512) };

const fromHeader = z.object({ authorization: z.string().max(4096).optional() });

export const tokenRequestSchema = z.object({
  ...client,
  grant_type: text(200),
  code: text(512),
  redirect_uri: text(2048),
  code_verifier: text(200),
  refresh_token: text(512),
  device_code: text(512),
  scope: text(1000),
  resource: text(2048),
});

export const namedTokenSchema = z.object({ ...client, token: text(8192), token_type_hint: text(100) });

export const deviceRequestSchema = z.object({ ...client, scope: text(1000), resource: text(2048) });

/** What an app says of itself; what it cannot choose is ignored. */
export const registrationSchema = z.object({
  redirect_uris: redirectUrisSchema,
  client_name: z.string().max(1000).optional().catch(undefined),
  client_uri: urlSchema.optional().catch(undefined),
});

const tokenAnswerSchema = record('OAuthTokens', {
  access_token: z.string(),
  token_type: z.literal('Bearer'),
  expires_in: z.number().int(),
  refresh_token: z.string(),
  scope: z.string(),
  id_token: z.string().optional().describe('With the scope openid, as a code is exchanged.'),
});

export type TokenAnswer = z.input<typeof tokenAnswerSchema>;

const introspectionSchema = record('OAuthIntrospection', {
  active: z.boolean(),
  scope: z.string().optional(),
  client_id: z.string().optional(),
  username: z.string().optional(),
  sub: z.string().optional(),
  token_type: z.literal('Bearer').optional(),
  iat: z.number().int().optional(),
  exp: z.number().int().optional(),
});

export type Introspection = z.input<typeof introspectionSchema>;

export const deviceAnswerSchema = record('OAuthDevice', {
  device_code: z.string(),
  user_code: z.string(),
  verification_uri: z.string(),
  verification_uri_complete: z.string(),
  expires_in: z.number().int(),
  interval: z.number().int(),
});

export const registeredSchema = record('OAuthRegistration', {
  client_id: idSchema,
  client_id_issued_at: z.number().int(),
  client_name: z.string(),
  client_uri: z.string().optional(),
  redirect_uris: z.array(z.string()),
  grant_types: z.array(z.string()),
  response_types: z.array(z.string()),
  token_endpoint_auth_method: z.literal('none'),
});

export const userInfoSchema = record('OAuthUser', {
  sub: idSchema,
  name: z.string().optional(),
  preferred_username: z.string().optional(),
  picture: z.string().optional(),
  email: z.string().optional(),
  email_verified: z.boolean().optional(),
});

export type UserInfo = z.input<typeof userInfoSchema>;

const metadataSchema = record('OAuthMetadata', {
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  revocation_endpoint: z.string(),
  introspection_endpoint: z.string(),
  device_authorization_endpoint: z.string(),
  registration_endpoint: z.string().optional(),
  userinfo_endpoint: z.string(),
  jwks_uri: z.string(),
  scopes_supported: z.array(z.string()),
  response_types_supported: z.array(z.string()),
  response_modes_supported: z.array(z.string()),
  grant_types_supported: z.array(z.string()),
  code_challenge_methods_supported: z.array(z.string()),
  token_endpoint_auth_methods_supported: z.array(z.string()),
  revocation_endpoint_auth_methods_supported: z.array(z.string()),
  introspection_endpoint_auth_methods_supported: z.array(z.string()),
  authorization_response_iss_parameter_supported: z.literal(true),
  subject_types_supported: z.array(z.string()),
  id_token_signing_alg_values_supported: z.array(z.string()),
  claims_supported: z.array(z.string()),
  service_documentation: z.string(),
});

export type OAuthMetadata = z.input<typeof metadataSchema>;

const resourceSchema = record('OAuthResource', {
  resource: z.string(),
  authorization_servers: z.array(z.string()),
  scopes_supported: z.array(z.string()),
  bearer_methods_supported: z.array(z.string()),
  resource_name: z.string(),
});

export type ResourceMetadata = z.input<typeof resourceSchema>;

const keySetSchema = record('OAuthKeys', {
  keys: z.array(
    z.object({
      kty: z.literal('RSA'),
      n: z.string(),
      e: z.string(),
      kid: z.string(),
      alg: z.literal('RS256'),
      use: z.literal('sig'),
    }),
  ),
});

export type KeySet = z.input<typeof keySetSchema>;

const open = { auth: 'none', errorForm: oauthErrors } as const satisfies Partial<CallSpec>;
const form = { ...open, method: 'POST', anyBody: true, headers: fromHeader, limit: null } as const;
const metadata = { method: 'GET', auth: 'none' } as const;
const refusals = ['OAUTH_REFUSED', 'OAUTH_CLIENT_INVALID'] as const;

/** What clients of the protocols call, in their own form and with their own errors (contract §3, OAuth apps). */
export const oauthProtocolCalls = calls('OAuth apps', {
  getOAuthMetadata: {
    ...metadata,
    path: '/.well-known/oauth-authorization-server',
    summary: 'Where this authorization server is found, and what it supports (RFC 8414).',
    answer: metadataSchema,
  },
  getOpenIdMetadata: {
    ...metadata,
    path: '/.well-known/openid-configuration',
    summary: 'The same for OpenID Connect: other tools sign people in with their account here.',
    answer: metadataSchema,
  },
  getResourceMetadata: {
    ...metadata,
    path: '/.well-known/oauth-protected-resource',
    summary: 'Who issues tokens for this site (RFC 9728).',
    answer: resourceSchema,
  },
  getMcpResourceMetadata: {
    ...metadata,
    path: '/.well-known/oauth-protected-resource/mcp',
    summary: 'Who issues tokens for the MCP endpoint (RFC 9728).',
    answer: resourceSchema,
  },
  getOAuthKeys: {
    ...open,
    method: 'GET',
    path: '/oauth/jwks',
    summary: 'The keys that id tokens are checked with.',
    answer: keySetSchema,
  },
  exchangeOAuthToken: {
    ...form,
    path: '/oauth/token',
    summary: 'Exchange a code, a refresh token or the code of a device for tokens.',
    body: tokenRequestSchema,
    answer: tokenAnswerSchema,
    errors: refusals,
  },
  revokeOAuthToken: {
    ...form,
    path: '/oauth/revoke',
    summary: 'End what a token of yours stands for: it, and those made with it (RFC 7009).',
    body: namedTokenSchema,
    answer: z.object({}),
    errors: refusals,
  },
  introspectOAuthToken: {
    ...form,
    path: '/oauth/introspect',
    summary: 'Whether a token that your app got is valid, and for what; for apps with a secret (RFC 7662).',
    body: namedTokenSchema,
    answer: introspectionSchema,
    errors: refusals,
  },
  startOAuthDevice: {
    ...form,
    path: '/oauth/device',
    summary: 'Begin on a device without a browser; its user enters the code at /app/device elsewhere (RFC 8628).',
    body: deviceRequestSchema,
    answer: deviceAnswerSchema,
    errors: refusals,
  },
  registerOAuthClient: {
    ...open,
    method: 'POST',
    path: '/oauth/register',
    summary:
      'An app registers itself; it gets no secret, and is forgotten if nobody allows it within a day, or sooner where many wait (RFC 7591).',
    body: registrationSchema,
    status: 201,
    answer: registeredSchema,
    errors: ['ROUTE_NOT_FOUND'],
    limit: 'oauthRegistrations',
  },
  getOAuthUser: {
    method: 'GET',
    path: '/oauth/userinfo',
    summary: 'Who the user of this token is, as far as its scopes say (OpenID Connect).',
    answer: userInfoSchema,
    errorForm: oauthErrors,
    errors: ['INSUFFICIENT_PAT_SCOPE'],
    areas: [],
  },
});
