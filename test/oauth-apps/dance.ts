import { createHash, randomBytes } from 'node:crypto';
import * as openid from 'openid-client';
import type { Node } from '../../src/node/node.ts';
import { type Answer, type Loose, type Person, request } from '../world/person.ts';

/** Where the nodes of these tests say that they are. */
export const site = 'https://chat.example.test';
export const back = 'https://tool.example.test/back';

/** An app as its maker registered it. */
export async function registered(person: Person, more: object = {}): Promise<Loose> {
  const answer = await person.post('/api/oauth/apps', { name: 'A tool', redirectUris: [back], ...more });
  if (answer.status !== 201) throw new Error(`no app: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** What an app sends as it sends a form. */
export function sendForm(node: Node, path: string, fields: Record<string, string>, headers = {}): Promise<Answer> {
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  return request(node, 'POST', path, new URLSearchParams(fields).toString(), { ...type, ...headers });
}

/** The two halves of PKCE. */
export function pkce(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** What an app asks for, by the names of the protocol. */
export const asking = (app: Loose, challenge: string, more: object = {}) => ({
  client_id: app.clientId,
  redirect_uri: back,
  response_type: 'code',
  code_challenge: challenge,
  code_challenge_method: 'S256',
  state: 'a state',
  ...more,
});

/** A person allows it, as the page does. @returns where the browser goes */
export async function allowed(person: Person, asked: object): Promise<URL> {
  const { status, body } = await person.post('/api/oauth/authorizations', { ...asked, allow: true });
  if (status !== 200) throw new Error(`not allowed: ${JSON.stringify(body)}`);
  return new URL(body.redirectTo);
}

/** The whole way of an app to its tokens. */
export async function tokensOf(person: Person, app: Loose, scope: string, node = person.node): Promise<Loose> {
  const { verifier, challenge } = pkce();
  const url = await allowed(person, asking(app, challenge, { scope }));
  const answer = await exchange(node, app, { code: url.searchParams.get('code') ?? '', code_verifier: verifier });
  if (answer.status !== 200) throw new Error(`no tokens: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** Exchanges a code. */
export const exchange = (node: Node, app: Loose, more: Record<string, string>): Promise<Answer> =>
  sendForm(node, '/oauth/token', { grant_type: 'authorization_code', ...clientOf(app), redirect_uri: back, ...more });

/** Exchanges a refresh token. */
export const refresh = (node: Node, app: Loose, token: string): Promise<Answer> =>
  sendForm(node, '/oauth/token', { grant_type: 'refresh_token', ...clientOf(app), refresh_token: token });

export const clientOf = (app: Loose): Record<string, string> => ({
  client_id: app.clientId,
  ...(app.clientSecret ? { client_secret: app.clientSecret } : {}),
});

/** A stranger's client library, which finds everything by itself. */
export async function strangersClient(node: Node, app: Loose): Promise<openid.Configuration> {
  const reach: openid.CustomFetch = (url, options) =>
    fetch(url.replace(site, node.url), { ...options, body: options.body ?? null });
  const auth = app.clientSecret ? openid.ClientSecretBasic(app.clientSecret) : openid.None();
  const config = await openid.discovery(new URL(site), app.clientId, undefined, auth, { [openid.customFetch]: reach });
  config[openid.customFetch] = reach;
  return config;
}
