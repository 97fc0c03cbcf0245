import { z } from 'zod';
import { calls, uuidParam } from './call.ts';
import { doneSchema, idSchema, nameSchema, omittable, record, timeSchema, urlSchema } from './schema.ts';
import { scopes } from './scopes.ts';

/** What an app may learn of its user, besides the scopes of personal tokens (contract §3, OAuth apps). */
const identityScopes = ['openid', 'profile', 'email', 'offline_access'];

/** Everything that an app may ask for. */
export const appScopes = [...identityScopes, ...scopes];

/** An app that has them can act as its user nearly everywhere: giving them takes a fresh confirmation. */
export const graveScopes = ['user:write', 'account:write', 'agents:write'];

/** What an app gets that names no scopes. */
export const usualScope = 'messages:read servers:read';

const loopback = ['127.0.0.1', '[::1]', 'localhost'];
/**
 * What is opened by the browser or the system itself, in place of an app: code, files and pages; services of networks; talks; and
 * whatever else systems have programs for.
 */
const noApps = new Set(
  [
    'javascript data vbscript file blob about filesystem view-source jar res mk mhtml content',
    'ws wss ftp ftps sftp gopher news nntp irc ircs magnet feed webcal rtsp ldap ldaps ssh telnet smb cifs nfs afp vnc rdp dav davs',
    'mailto tel sms smsto mms mmsto callto sip sips xmpp facetime',
    'intent market shell search help prefs shortcuts geo maps',
  ].flatMap((names) => names.split(' ')),
);
/** Families of those: of Windows (`ms-settings`, `search-ms`), of Apple, and of what browsers have in them. */
const noFamilies =
  /^(?:ms-.*|.*-ms|x-apple.*|apple-.*|itms.*|facetime-.*|app-prefs|web\+.*|(?:chrome|edge|moz|safari)(?:-.*)?)$/;

/** https, http of the own machine, or a scheme of an app; whole, without a fragment, a name or a password. */
function isRedirectUri(text: string): boolean {
  if (!URL.canParse(text) || /[\s#\\*]|\p{Cc}/u.test(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  const scheme = protocol.slice(0, -1);
  if (username !== '' || password !== '' || noApps.has(scheme) || noFamilies.test(scheme)) return false;
  return protocol !== 'http:' || loopback.includes(hostname);
}

const redirectUriSchema = z
  .string()
  .max(2048)
  .refine(
    isRedirectUri,
    'must be an https address, one of this machine (http://127.0.0.1), or of a scheme of your app',
  );

export const redirectUrisSchema = z.array(redirectUriSchema).min(1).max(10);

export const createAppSchema = z.object({
  name: nameSchema(100),
  website: omittable(urlSchema),
  redirectUris: redirectUrisSchema.describe('Where browsers may be sent back to; compared exactly.'),
  confidential: omittable(z.boolean()).describe(
    'Whether it runs on a server that can keep a secret; false by default.',
  ),
});

export const changeAppSchema = z.object({
  name: omittable(nameSchema(100)),
  website: urlSchema.nullish(),
  redirectUris: omittable(redirectUrisSchema),
});

export const oauthAppSchema = record('OAuthApp', {
  id: idSchema,
  clientId: idSchema.describe('The same as `id`.'),
  name: z.string(),
  website: z.string().nullable(),
  redirectUris: z.array(z.string()),
  confidential: z.boolean(),
  createdAt: timeSchema,
  updatedAt: timeSchema,
});

/** Shown once; a repeated Idempotency-Key gets null, and so do apps that keep no secret. */
export const newAppSchema = record('NewOAuthApp', { ...oauthAppSchema.shape, clientSecret: z.string().nullable() });

const shownApp = z.object({
  id: idSchema,
  name: z.string(),
  website: z.string().nullable(),
  isSelfRegistered: z
    .boolean()
    .describe('Nobody here answers for it: it registered itself, under a name of its choice.'),
});

export const allowedAppSchema = record('AllowedApp', {
  id: idSchema.describe('Of the permission: an app has one for each device it was allowed on.'),
  app: shownApp,
  scopes: z.array(z.string()),
  createdAt: timeSchema,
  lastUsedAt: timeSchema.nullable(),
});

export const serverAppSchema = record('ServerOAuthApp', {
  app: shownApp,
  scopes: z.array(z.string()).describe('All that members have allowed it, together.'),
  members: z.number().int().describe('How many members of the server have allowed it.'),
});

const text = (max: number) => omittable(z.string().max(max));

/** The parameters with which a browser came, by the names of the protocol (RFC 6749, RFC 7636). */
export const authorizeSchema = z.object({
  client_id: z.string().max(200),
  redirect_uri: z.string().max(2048),
  response_type: text(100),
  response_mode: text(100),
  scope: text(1000),
  state: text(2048),
  code_challenge: text(200),
  code_challenge_method: text(20),
  nonce: text(512),
  resource: text(2048),
  prompt: text(100),
  max_age: text(20),
});

export const decideSchema = authorizeSchema.extend({ allow: z.boolean() });

const userCode = z.string().max(40).describe('As the device shows it: `BCDF-GHJK`, in any case.');
export const lookDeviceSchema = z.object({ userCode });
export const decideDeviceSchema = z.object({ userCode, allow: z.boolean() });

const asked = {
  app: shownApp,
  scopes: z.array(z.string()),
  isGrave: z.boolean().describe('Whether allowing it takes a fresh confirmation.'),
};

export const consentSchema = record('OAuthConsent', {
  ...asked,
  redirectHost: z.string().describe('Where the browser goes afterwards: a host, or the scheme of an app.'),
  refusedTo: z
    .string()
    .nullable()
    .describe(
      'The request is not valid: the app is told so here. Ask the person first where nobody here answers for the app, or it is no web address.',
    ),
  problem: z.string().nullable().describe('What is not valid about it.'),
});

export const deviceConsentSchema = record('OAuthDeviceConsent', asked);

const appId = uuidParam('OAUTH_APP_NOT_FOUND', 'Id of the app.');
const own = ['INSUFFICIENT_PAT_SCOPE'] as const;

export const oauthAppCalls = calls('OAuth apps', {
  createOAuthApp: {
    method: 'POST',
    path: '/api/oauth/apps',
    confirmed: true,
    summary: 'Register an app that people may allow to act for them. Needs the capability oauth_app:create.',
    body: createAppSchema,
    status: 201,
    answer: newAppSchema,
    errors: ['INVITE_REQUIRED', 'OAUTH_APP_LIMIT', ...own],
    shownOnce: ['clientSecret'],
  },
  listOAuthApps: {
    method: 'GET',
    path: '/api/oauth/apps',
    summary: 'The apps that you registered, the newest first, without their secrets.',
    answer: z.array(oauthAppSchema),
    errors: own,
  },
  changeOAuthApp: {
    method: 'PATCH',
    path: '/api/oauth/apps/:appId',
    confirmed: true,
    summary: 'Change what an app is called, and where browsers are sent back to.',
    params: { appId },
    body: changeAppSchema,
    answer: oauthAppSchema,
    errors: own,
  },
  renewOAuthAppSecret: {
    method: 'POST',
    path: '/api/oauth/apps/:appId/secret',
    confirmed: true,
    summary: 'Give an app another secret; the old one ends at once, and what people allowed stays.',
    params: { appId },
    answer: newAppSchema,
    errors: own,
    repeats: 'never',
  },
  deleteOAuthApp: {
    method: 'DELETE',
    path: '/api/oauth/apps/:appId',
    summary: 'Delete an app; its tokens end at once.',
    params: { appId },
    answer: doneSchema,
    errors: own,
    limit: null,
  },
});

export const consentCalls = calls('OAuth apps', {
  lookAtAuthorization: {
    method: 'POST',
    path: '/api/oauth/authorizations/look',
    summary:
      'What an app asks for that sent the browser to /app/authorize, with its parameters. Nothing is allowed yet. With prompt=none also without signing in.',
    auth: 'optional',
    body: authorizeSchema,
    answer: consentSchema,
    errors: ['OAUTH_REFUSED', 'AUTH_TOKEN_MISSING', ...own],
    limit: 'oauth',
    repeats: 'never',
  },
  decideAuthorization: {
    method: 'POST',
    path: '/api/oauth/authorizations',
    summary: 'Allow it, or do not; send the browser to the address of the answer.',
    body: decideSchema,
    answer: z.object({ redirectTo: z.string() }),
    errors: ['OAUTH_REFUSED', 'CONFIRMATION_REQUIRED', ...own],
    limit: 'oauth',
    repeats: 'never',
  },
  lookAtDevice: {
    method: 'POST',
    path: '/api/oauth/devices/look',
    summary: 'What the app on a device asks for that shows this code.',
    body: lookDeviceSchema,
    answer: deviceConsentSchema,
    errors: ['OAUTH_CODE_NOT_FOUND', ...own],
    limit: 'oauth',
    repeats: 'never',
  },
  decideDevice: {
    method: 'POST',
    path: '/api/oauth/devices',
    summary: 'Allow it, or do not; the device learns it by itself.',
    body: decideDeviceSchema,
    answer: doneSchema,
    errors: ['OAUTH_CODE_NOT_FOUND', 'CONFIRMATION_REQUIRED', ...own],
    limit: 'oauth',
    repeats: 'never',
  },
  listAllowedApps: {
    method: 'GET',
    path: '/api/oauth/allowed',
    summary: 'The apps that may act for you, the newest first.',
    answer: z.array(allowedAppSchema),
    errors: own,
  },
  endAllowedApp: {
    method: 'DELETE',
    path: '/api/oauth/allowed/:id',
    summary: 'Take back what you allowed an app; its tokens are refused at once, and its sockets are closed.',
    params: { id: uuidParam('TOKEN_NOT_FOUND', 'Id of the permission.') },
    answer: doneSchema,
    errors: own,
    limit: null,
  },
  listServerOAuthApps: {
    method: 'GET',
    path: '/api/servers/:serverId/oauth-apps',
    summary:
      'The apps that members of a server have allowed, which so read what these members read; for those who manage it.',
    params: { serverId: uuidParam('SERVER_NOT_FOUND', 'Id of the server.') },
    answer: z.array(serverAppSchema),
    errors: ['ROLE_REQUIRED'],
    areas: ['servers'],
  },
});
