import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { atEnd } from '../rig/ending.ts';
import { clientId, clientSecret } from './identity-provider.ts';

/** What GitHub Enterprise serves of its sign-in, for a user who says yes. */
export interface TestGitHub {
  url: string;
  user: { id: number; login: string; name: string | null; emails: object[] };
}

/** Keeps to the rules of the protocol: codes are used once, by the client, with the verifier of their challenge. */
export async function startGitHub(): Promise<TestGitHub> {
  const codes = new Map<string, string>();
  const tokens = new Set<string>();
  const github: TestGitHub = { url: '', user: { id: 0, login: '', name: null, emails: [] } };

  const authorize = (query: URLSearchParams) => {
    const code = randomBytes(8).toString('hex');
    codes.set(code, query.get('code_challenge') ?? '');
    return `${query.get('redirect_uri')}?code=${code}&state=${query.get('state')}`;
  };
  const exchange = async (request: IncomingMessage) => {
    const form = new URLSearchParams(await text(request));
    const challenge = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    const made = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const known = form.get('client_id') === clientId && form.get('client_secret') === clientSecret;
    if (challenge !== made || !known) return { error: 'bad_verification_code' };
    const token = randomBytes(8).toString('hex');
    tokens.add(token);
    return { access_token: token, token_type: 'bearer', scope: 'read:user,user:email' };
  };

  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://github');
    if (pathname === '/login/oauth/authorize')
      return response.writeHead(302, { location: authorize(searchParams) }).end();
    const isToken = pathname === '/login/oauth/access_token';
    const allowed = isToken || tokens.has((request.headers.authorization ?? '').replace(/^Bearer /i, ''));
    const { emails, ...user } = github.user;
    const answer = isToken ? await exchange(request) : pathname === '/api/v3/user' ? user : emails;
    response.writeHead(allowed ? 200 : 401, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('A TCP server has no port.');
  github.url = `http://127.0.0.1:${address.port}`;
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return github;
}
