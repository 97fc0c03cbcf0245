// nodes: own

import { expect } from 'chai';
import * as openid from 'openid-client';
import type { Node } from '../../src/node/node.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { type Loose, type Person, request } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { register } from '../world/world.ts';
import { allowed, asking, back, pkce, refresh, registered, site, strangersClient, tokensOf } from './dance.ts';

describe('tools that sign people in with their account here', () => {
  let cluster: Cluster;
  let person: Person;
  let app: Loose;
  const node = (): Node => {
    const [first] = cluster.nodes;
    if (!first) throw new Error('no node');
    return first;
  };
  const asked = (more: object) => asking(app, pkce().challenge, { scope: 'openid', ...more });
  const decide = (more: object) => person.post('/api/oauth/authorizations', { ...asked(more), allow: true });
  const errorIn = (address: string) => new URL(address).searchParams.get('error');
  /** It was that long ago that they signed in. */
  const signedIn = (ago: string) =>
    query(cluster.databaseUrl, 'UPDATE sessions SET created_at = now() - $2::interval WHERE user_id = $1', [
      person.id,
      ago,
    ]);

  before(async () => {
    cluster = await startCluster({ nodes: 1, settings: { publicUrl: site } });
  });
  after(() => cluster.stop());
  beforeEach(async () => {
    person = await register(node());
    app = await registered(person, { confidential: true });
  });

  it('learn when that was, in id tokens that every client can check', async () => {
    await signedIn('1 hour');
    const config = await strangersClient(node(), app);
    expect(config.serverMetadata().id_token_signing_alg_values_supported).to.deep.equal(['RS256']);
    const { verifier, challenge } = pkce();
    const returned = await allowed(person, asking(app, challenge, { scope: 'openid', max_age: '7200' }));
    const checks = { pkceCodeVerifier: verifier, expectedState: 'a state', idTokenExpected: true, maxAge: 7200 };
    const tokens = await openid.authorizationCodeGrant(config, returned, checks);
    const ago = Date.now() / 1000 - Number(tokens.claims()?.auth_time);
    expect(ago).to.be.within(3600, 3900);
    const [header = ''] = (tokens.id_token ?? '').split('.');
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).to.include({ alg: 'RS256' });
  });

  it('get someone who has signed in lately, where they ask for it', async () => {
    await signedIn('5 minutes');
    expect((await decide({ max_age: '600' })).status).to.equal(200);
    for (const more of [{ max_age: '60' }, { max_age: '0' }, { prompt: 'login' }, { prompt: 'consent login' }]) {
      const { status, body } = await decide(more);
      expect([status, body.code], JSON.stringify(more)).to.deep.equal([403, 'CONFIRMATION_REQUIRED']);
    }
    expect(errorIn((await decide({ max_age: 'soon' })).body.redirectTo)).to.equal('invalid_request');
    await person.post('/api/auth/confirm', { password: 'correct horse' });
    expect((await decide({ max_age: '60' })).status).to.equal(200);
  });

  it('learn without a question whether someone is signed in', async () => {
    const look = (more: object, headers: Record<string, string> = {}) =>
      request(node(), 'POST', '/api/oauth/authorizations/look', asked(more), headers);
    const token = { authorization: `Bearer ${person.token}` };
    expect(errorIn((await look({ prompt: 'none' })).body.refusedTo)).to.equal('login_required');
    expect(errorIn((await look({ prompt: 'none' }, token)).body.refusedTo)).to.equal('interaction_required');
    const open = await look({});
    expect([open.status, open.body.code]).to.deep.equal([401, 'AUTH_TOKEN_MISSING']);
    const elsewhere = await look({ prompt: 'none', redirect_uri: `${back}/elsewhere` });
    expect([elsewhere.status, elsewhere.body.code]).to.deep.equal([400, 'OAUTH_REFUSED']);
  });

  it('ask again some time after they were allowed, however often they renewed their tokens', async () => {
    const age = (days: number) =>
      query(
        cluster.databaseUrl,
        'UPDATE personal_tokens SET created_at = now() - make_interval(days => $2) WHERE user_id = $1',
        [person.id, days],
      );
    const first = await tokensOf(person, app, 'account:read');
    await age(89);
    const second = (await refresh(node(), app, first.refresh_token)).body;
    const [kept] = await query<{ days: number }>(
      cluster.databaseUrl,
      `SELECT (extract(epoch FROM expires_at - now()) / 86400)::float8 AS days FROM personal_tokens WHERE user_id = $1`,
      [person.id],
    );
    expect(kept?.days).to.be.within(0.9, 1);
    await age(91);
    const third = (await refresh(node(), app, second.refresh_token)).body;
    expect((await refresh(node(), app, third.refresh_token)).body.error).to.equal('invalid_grant');
  });

  it('are sent back to no address that the system or the browser would open by itself', async () => {
    const adding = async (uri: string) =>
      (await person.post('/api/oauth/apps', { name: 'x', redirectUris: [uri] })).status;
    for (const bad of [
      ...['ms-settings:display', 'MS-Word:ofe|u|https://a.test/', 'search-ms:query=x', 'sms:+15550100', 'facetime:a'],
      ...['tel:+15550100', 'mailto:a@b.test', 'itms-services://x', 'shell:startup', 'chrome://settings', 'smb://a/b'],
    ]) {
      expect(await adding(bad), bad).to.equal(400);
    }
    for (const good of ['cursor://mcp/callback', 'com.example.tool:/done', 'vscode://an.extension/back']) {
      expect(await adding(good), good).to.equal(201);
    }
  });
});
