import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { Provider } from 'oidc-provider';
import { atEnd } from '../rig/ending.ts';
import { freePort } from '../rig/free-port.ts';

/** What a provider says of one of its accounts. */
export interface Claims {
  email?: string;
  email_verified?: boolean;
  name?: string;
}

/** A real OpenID provider, whose user says yes to everything. */
export interface TestProvider {
  issuer: string;
  /** Who signs in next; null: says no. */
  user: string | null;
  accounts: Map<string, Claims>;
  stop(): Promise<void>;
}

export const clientId = 'parley';
export const clientSecret = 'a client secret for tests';

/** @param redirectUris where it may send browsers back to */
export async function startProvider(redirectUris: string[]): Promise<TestProvider> {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const accounts = new Map<string, Claims>();
  const test: TestProvider = { issuer, user: 'nobody', accounts, stop: async () => {} };
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const provider = new Provider(issuer, {
    clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: redirectUris }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    cookies: { keys: ['a cookie key for tests'] },
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: 'first', alg: 'RS256', use: 'sig' }] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
    findAccount: async (_context, id) => ({ accountId: id, claims: async () => ({ sub: id, ...accounts.get(id) }) }),
    ttl: { Session: 60, Grant: 60, Interaction: 60, AccessToken: 60, IdToken: 60 },
  });
  const interact = async (request: IncomingMessage, response: ServerResponse) => {
    const { params } = await provider.interactionDetails(request, response);
    if (test.user === null) return provider.interactionFinished(request, response, { error: 'access_denied' });
    const grant = new provider.Grant({ accountId: test.user, clientId: String(params.client_id) });
    grant.addOIDCScope('openid email profile');
    const consent = { grantId: await grant.save() };
    return provider.interactionFinished(request, response, { login: { accountId: test.user }, consent });
  };
  const handle = provider.callback();
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/interaction/')) void interact(request, response);
    else handle(request, response);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  test.stop = async () => {
    server.closeAllConnections();
    server.close();
  };
  atEnd(test.stop);
  return test;
}

/** An issuer that hands out whatever ID tokens the test wants, and changes its keys. */
export interface Issuer {
  url: string;
  /** What the ID token says of who signs in next in a browser. */
  signsIn: JWTPayload;
  /** What happens while it is asked for its addresses, or who signs in in a browser. */
  meanwhile: () => Promise<unknown>;
  /** How often its keys were asked for. */
  asked: number;
  token(claims: JWTPayload, options?: { by?: 'stranger' }): Promise<string>;
  rotate(): Promise<void>;
  stop(): void;
}

/** @param userInfo what it says of people when it is asked; left out: it cannot be asked, as OpenID allows */
export async function startIssuer(userInfo?: object): Promise<Issuer> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const newKey = async (kid: string) => ({ kid, ...(await generateKeyPair('ES256', { extractable: true })) });
  let [count, key] = [1, await newKey('key-1')];
  const stranger = await newKey('key-1');
  const server = createServer(async (request, response) => {
    const metadata = {
      issuer: url,
      jwks_uri: `${url}/keys`,
      authorization_endpoint: `${url}/authorize`,
      token_endpoint: `${url}/token`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
      ...(userInfo && { userinfo_endpoint: `${url}/userinfo` }),
    };
    const { pathname, searchParams } = new URL(request.url ?? '/', url);
    if (pathname === '/authorize') {
      // The code brings the nonce along, so nothing has to be kept.
      const back = `${searchParams.get('redirect_uri')}?code=${searchParams.get('nonce')}&state=${searchParams.get('state')}`;
      return response.writeHead(302, { location: back }).end();
    }
    const answers: Record<string, () => Promise<object>> = {
      '/keys': async () => {
        issuer.asked++;
        return { keys: [{ ...(await exportJWK(key.publicKey)), kid: key.kid, alg: 'ES256', use: 'sig' }] };
      },
      '/token': async () => {
        await issuer.meanwhile();
        const nonce = new URLSearchParams(await text(request)).get('code') ?? '';
        const idToken = await issuer.token({ ...issuer.signsIn, nonce });
        return { access_token: 'of-the-issuer', token_type: 'bearer', id_token: idToken };
      },
      '/userinfo': async () => ({ sub: issuer.signsIn.sub, ...userInfo }),
    };
    if (pathname === '/.well-known/openid-configuration') await issuer.meanwhile();
    const answer = await answers[pathname]?.();
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer ?? metadata));
  });
  const issuer: Issuer = {
    url,
    signsIn: {},
    meanwhile: async () => {},
    asked: 0,
    token: (claims, { by } = {}) => {
      const signer = by === 'stranger' ? stranger : key;
      const now = Math.floor(Date.now() / 1000);
      const payload = { iss: url, aud: clientId, iat: now, exp: now + 60, ...claims };
      return new SignJWT(payload).setProtectedHeader({ alg: 'ES256', kid: signer.kid }).sign(signer.privateKey);
    },
    rotate: async () => {
      count++;
      key = await newKey(`key-${count}`);
    },
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  atEnd(() => issuer.stop());
  return issuer;
}
