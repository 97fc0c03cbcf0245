// nodes: own

import { expect } from 'chai';
import * as openid from 'openid-client';
import type { Node } from '../../src/node/node.ts';
import { until } from '../rig/until.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { Person, request } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { register, type World, world } from '../world/world.ts';
import {
  allowed,
  asking,
  back,
  clientOf,
  exchange,
  pkce,
  refresh,
  registered,
  sendForm,
  site,
  strangersClient,
  tokensOf,
} from './dance.ts';

describe('apps that people allow to act for them', () => {
  let cluster: Cluster;
  let here: World;
  const at = (i: number): Node => {
    const node = cluster.nodes[i % cluster.nodes.length];
    if (!node) throw new Error('no node');
    return node;
  };
  /** A person by the token of an app. */
  const holder = (person: Person, token: string, i = 1) => new Person(at(i), { ...person, token });
  const isRefused = async (person: Person, token: string) =>
    (await holder(person, token).get('/api/auth/me')).status === 401;

  before(async () => {
    cluster = await startCluster({ nodes: 2, settings: { publicUrl: site } });
    here = await world(cluster);
  });
  after(async () => {
    here.close();
    await cluster.stop();
  });

  it('sign people in, and read and renew what they may, by a client library of strangers', async () => {
    const { alice, bob, channel } = here;
    const app = await registered(alice, { confidential: true });
    const config = await strangersClient(at(1), app);
    expect(config.serverMetadata()).to.include({ issuer: site, token_endpoint: `${site}/oauth/token` });
    const [codeVerifier, nonce] = [openid.randomPKCECodeVerifier(), openid.randomNonce()];
    const url = openid.buildAuthorizationUrl(config, {
      redirect_uri: back,
      scope: 'openid profile email messages:read',
      code_challenge: await openid.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
      nonce,
      state: 'xyz',
    });
    expect(`${url.origin}${url.pathname}`).to.equal(`${site}/app/authorize`);
    const asked = Object.fromEntries(url.searchParams);
    const shown = (await bob.post('/api/oauth/authorizations/look', asked)).body;
    expect(shown).to.deep.include({
      scopes: ['openid', 'profile', 'email', 'messages:read'],
      isGrave: false,
      refusedTo: null,
    });
    expect(shown.app).to.include({ id: app.id, name: 'A tool', isSelfRegistered: false });
    const returned = await allowed(bob, asked);
    const checks = {
      pkceCodeVerifier: codeVerifier,
      expectedNonce: nonce,
      expectedState: 'xyz',
      idTokenExpected: true,
    };
    const tokens = await openid.authorizationCodeGrant(config, returned, checks);
    expect(tokens.claims()).to.include({ sub: bob.id, iss: site, aud: app.clientId, preferred_username: bob.username });
    const info = await openid.fetchUserInfo(config, tokens.access_token, bob.id);
    expect(info).to.include({ sub: bob.id, preferred_username: bob.username, email: `${bob.username}@example.com` });
    const reader = holder(bob, tokens.access_token);
    expect((await reader.get(`/api/channels/${channel.id}/messages`)).status).to.equal(200);
    const refused = await reader.post(`/api/channels/${channel.id}/messages`, { content: 'no' });
    expect([refused.status, refused.body.code]).to.deep.equal([403, 'INSUFFICIENT_PAT_SCOPE']);
    const socket = await reader.listen(channel.id);
    const message = await alice.say(channel.id, 'heard by an app');
    await socket.next('message:new', ({ id }) => id === message.id);
    reader.hangUp();
    const renewed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '');
    expect(renewed.refresh_token).not.to.equal(tokens.refresh_token);
    await openid.tokenRevocation(config, renewed.access_token);
    expect(await isRefused(bob, tokens.access_token)).to.equal(true);
    expect(await isRefused(bob, renewed.access_token)).to.equal(true);
  });

  it('exchange a code once; a second use ends what the first gave', async () => {
    const { alice, bob } = here;
    const app = await registered(alice);
    const { verifier, challenge } = pkce();
    const url = await allowed(bob, asking(app, challenge, { scope: 'account:read' }));
    expect(Object.fromEntries(url.searchParams)).to.include({ state: 'a state', iss: site });
    const proof = { code: url.searchParams.get('code') ?? '', code_verifier: verifier };
    const both = await Promise.all([exchange(at(0), app, proof), exchange(at(1), app, proof)]);
    expect(both.map(({ status }) => status).sort()).to.deep.equal([200, 400]);
    const won = both.find(({ status }) => status === 200);
    await until(async () => isRefused(bob, won?.body.access_token));
    const again = await exchange(at(0), app, proof);
    expect([again.status, again.body.error]).to.deep.equal([400, 'invalid_grant']);
  });

  it('need PKCE with S256, and the right verifier', async () => {
    const { alice, bob } = here;
    const app = await registered(alice, { confidential: true });
    const { verifier, challenge } = pkce();
    for (const weaker of [
      { code_challenge_method: 'plain' },
      { code_challenge_method: undefined },
      { code_challenge: undefined, code_challenge_method: undefined },
      { code_challenge: 'short' },
    ]) {
      const url = await allowed(bob, asking(app, challenge, weaker));
      expect(Object.fromEntries(url.searchParams)).to.include({ error: 'invalid_request', state: 'a state' });
    }
    const url = await allowed(bob, asking(app, challenge));
    const code = url.searchParams.get('code') ?? '';
    const wrong = await exchange(at(0), app, { code, code_verifier: pkce().verifier });
    expect([wrong.status, wrong.body.error]).to.deep.equal([400, 'invalid_grant']);
    const late = await exchange(at(0), app, { code, code_verifier: verifier });
    expect(late.body.error, 'a code that was tried').to.equal('invalid_grant');
    const without = await exchange(at(0), app, { code });
    expect(without.body.error).to.equal('invalid_request');
  });

  it('are sent back to exactly their own addresses', async () => {
    const { alice, bob } = here;
    const app = await registered(alice, { redirectUris: [back, 'http://127.0.0.1/done', 'tool.example:/done'] });
    const { challenge } = pkce();
    const look = (redirect_uri: string) =>
      bob.post('/api/oauth/authorizations/look', asking(app, challenge, { redirect_uri }));
    for (const own of [back, 'http://127.0.0.1:51234/done', 'tool.example:/done']) {
      expect((await look(own)).status, own).to.equal(200);
    }
    for (const other of [
      `${back}/`,
      `${back}?x=1`,
      'https://evil.example.test/back',
      'http://127.0.0.1:51234/other',
      '',
    ]) {
      const { status, body } = await look(other);
      expect([status, body.code, body.reason], other).to.deep.equal([400, 'OAUTH_REFUSED', 'invalid_request']);
    }
    for (const bad of [
      'javascript:alert(1)',
      'data:text/html,x',
      'http://tool.example.test/',
      `${back}#x`,
      'https://a@b.test/',
    ]) {
      const { status } = await alice.post('/api/oauth/apps', { name: 'x', redirectUris: [bad] });
      expect(status, bad).to.equal(400);
    }
  });

  it('get nothing by tokens of another kind, or of another app', async () => {
    const { alice, bob } = here;
    const [app, other] = [await registered(alice), await registered(alice, { confidential: true })];
    const tokens = await tokensOf(bob, app, 'openid user:read');
    for (const wrong of [tokens.refresh_token, tokens.id_token]) expect(await isRefused(bob, wrong)).to.equal(true);
    expect((await refresh(at(0), other, tokens.refresh_token)).body.error).to.equal('invalid_grant');
    expect((await refresh(at(0), app, tokens.access_token)).body.error).to.equal('invalid_grant');
    expect((await refresh(at(0), app, bob.refreshToken)).body.error).to.equal('invalid_grant');
    const session = await request(at(0), 'POST', '/api/auth/refresh', { refreshToken: tokens.refresh_token });
    expect(session.body.code).to.equal('REFRESH_TOKEN_INVALID');
    const { verifier, challenge } = pkce();
    const url = await allowed(bob, asking(app, challenge));
    const code = url.searchParams.get('code') ?? '';
    expect((await exchange(at(0), other, { code, code_verifier: verifier })).body.error).to.equal('invalid_grant');
    const noSecret = await refresh(at(0), { clientId: other.clientId }, 'x');
    expect([noSecret.status, noSecret.body.error]).to.deep.equal([401, 'invalid_client']);
    const own = holder(bob, tokens.access_token);
    expect((await own.get('/api/auth/me')).status).to.equal(200);
    for (const path of ['/api/tokens', '/api/auth/sessions', '/api/oauth/allowed', '/api/oauth/apps']) {
      expect((await own.get(path)).body.code, path).to.equal('INSUFFICIENT_PAT_SCOPE');
    }
    const more = await own.post('/api/oauth/authorizations', { ...asking(other, challenge), allow: true });
    expect(more.status, 'an app allows another').to.equal(403);
  });

  it('renew their tokens; one that is used again later ends all, on all nodes', async () => {
    const { alice, bob } = here;
    const app = await registered(alice);
    const first = await tokensOf(bob, app, 'messages:read account:read');
    const second = (await refresh(at(0), app, first.refresh_token)).body;
    const repeated = (await refresh(at(1), app, first.refresh_token)).body;
    expect(repeated.refresh_token).to.equal(second.refresh_token);
    const socket = await holder(bob, second.access_token).connect();
    await query(cluster.databaseUrl, `UPDATE used_app_tokens SET used_at = used_at - interval '1 hour'`);
    expect((await refresh(at(1), app, first.refresh_token)).body.error).to.equal('invalid_grant');
    await until(() => !socket.socket.connected);
    expect(await isRefused(bob, second.access_token)).to.equal(true);
    expect((await refresh(at(0), app, second.refresh_token)).body.error).to.equal('invalid_grant');
  });

  it('get scopes that can do much only from someone who has just confirmed it', async () => {
    const { alice } = here;
    const app = await registered(alice);
    const person = await register(at(0));
    await query(cluster.databaseUrl, `UPDATE sessions SET created_at = now() - interval '1 hour' WHERE user_id = $1`, [
      person.id,
    ]);
    const { challenge } = pkce();
    const asked = asking(app, challenge, { scope: 'user:write' });
    expect((await person.post('/api/oauth/authorizations/look', asked)).body.isGrave).to.equal(true);
    const refused = await person.post('/api/oauth/authorizations', { ...asked, allow: true });
    expect(refused.body.code).to.equal('CONFIRMATION_REQUIRED');
    const unknown = await allowed(person, asking(app, challenge, { scope: 'everything' }));
    expect(unknown.searchParams.get('error')).to.equal('invalid_scope');
    const elsewhere = await allowed(person, asking(app, challenge, { resource: 'https://other.example.test/' }));
    expect(elsewhere.searchParams.get('error')).to.equal('invalid_target');
    await person.post('/api/auth/confirm', { password: 'correct horse' });
    expect((await allowed(person, asked)).searchParams.get('code')).to.be.a('string');
  });

  it('wait on a device until its user has entered the code elsewhere', async () => {
    const { alice, bob } = here;
    const app = await registered(alice);
    const start = async () =>
      (await sendForm(at(0), '/oauth/device', { ...clientOf(app), scope: 'account:read' })).body;
    const poll = (device: { device_code: string }, i = 1) => {
      const grant = { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: device.device_code };
      return sendForm(at(i), '/oauth/token', { ...grant, ...clientOf(app) });
    };
    const device = await start();
    expect(device.verification_uri).to.equal(`${site}/app/device`);
    expect((await poll(device)).body.error).to.equal('authorization_pending');
    expect((await poll(device, 0)).body.error).to.equal('slow_down');
    const typed = device.user_code.toLowerCase().replace('-', ' ');
    expect((await bob.post('/api/oauth/devices/look', { userCode: typed })).body.app.id).to.equal(app.id);
    expect((await bob.post('/api/oauth/devices/look', { userCode: 'BCDF-BCDF' })).body.code).to.equal(
      'OAUTH_CODE_NOT_FOUND',
    );
    expect((await bob.post('/api/oauth/devices', { userCode: typed, allow: true })).status).to.equal(200);
    expect((await alice.post('/api/oauth/devices', { userCode: typed, allow: true })).status).to.equal(404);
    const tokens = (await poll(device)).body;
    expect((await holder(bob, tokens.access_token).get('/api/auth/me')).body.id).to.equal(bob.id);
    expect((await poll(device)).body.error).to.equal('invalid_grant');
    const denied = await start();
    await bob.post('/api/oauth/devices', { userCode: denied.user_code, allow: false });
    expect((await poll(denied)).body.error).to.equal('access_denied');
  });

  it('are listed for whom they act for, and for those who manage a server, until it is taken back', async () => {
    const { alice, bob, server } = here;
    const app = await registered(alice, { name: 'Listed' });
    const tokens = await tokensOf(bob, app, 'messages:read account:read');
    const isThis = (one: { app: { id: string } }) => one.app.id === app.id;
    const listed = (await bob.get('/api/oauth/allowed')).body.find(isThis);
    expect(listed.scopes).to.deep.equal(['messages:read', 'account:read']);
    expect((await bob.get('/api/tokens')).body.map(({ id }: { id: string }) => id)).not.to.include(listed.id);
    const inServer = (await alice.get(`/api/servers/${server.id}/oauth-apps`)).body.find(isThis);
    expect(inServer).to.deep.include({ members: 1, scopes: ['messages:read', 'account:read'] });
    expect((await bob.get(`/api/servers/${server.id}/oauth-apps`)).body.code).to.equal('ROLE_REQUIRED');
    expect((await alice.delete(`/api/oauth/allowed/${listed.id}`)).status).to.equal(404);
    expect((await bob.on(at(0)).delete(`/api/oauth/allowed/${listed.id}`)).status).to.equal(200);
    expect(await isRefused(bob, tokens.access_token)).to.equal(true);
  });

  it('end with the session in which they were allowed, and with the app itself', async () => {
    const { alice } = here;
    const app = await registered(alice);
    const person = await register(at(0));
    const tokens = await tokensOf(person, app, 'account:read');
    const login = { email: person.username, password: 'correct horse' };
    const other = (await request(at(1), 'POST', '/api/auth/login', login)).body;
    const again = new Person(at(1), { ...person, token: other.accessToken });
    const more = await tokensOf(again, app, 'account:read');
    const sessions: { id: string; current: boolean }[] = (await again.get('/api/auth/sessions')).body;
    const former = sessions.find(({ current }) => !current);
    await again.delete(`/api/auth/sessions/${former?.id}`);
    expect(await isRefused(person, tokens.access_token)).to.equal(true);
    expect(await isRefused(person, more.access_token)).to.equal(false);
    expect((await alice.delete(`/api/oauth/apps/${app.id}`)).status).to.equal(200);
    expect(await isRefused(person, more.access_token)).to.equal(true);
    expect((await refresh(at(0), app, more.refresh_token)).body.error).to.equal('invalid_client');
  });

  it('may register themselves, without a secret', async () => {
    const { bob } = here;
    const about = {
      redirect_uris: [back],
      client_name: 'From elsewhere',
      token_endpoint_auth_method: 'client_secret_basic',
    };
    const { status, body } = await request(at(0), 'POST', '/oauth/register', about);
    expect(status).to.equal(201);
    expect(body).to.include({ client_name: 'From elsewhere', token_endpoint_auth_method: 'none' });
    const app = { clientId: body.client_id };
    const shown = (await bob.post('/api/oauth/authorizations/look', asking(app, pkce().challenge))).body;
    expect(shown.app.isSelfRegistered).to.equal(true);
    expect((await tokensOf(bob, app, 'account:read')).scope).to.equal('account:read');
    const bad = await request(at(0), 'POST', '/oauth/register', { redirect_uris: ['http://evil.example.test/'] });
    expect([bad.status, bad.body.error]).to.deep.equal([400, 'invalid_redirect_uri']);
  });

  it('with a secret learn of their own tokens whether they are valid', async () => {
    const { alice, bob } = here;
    const [app, other] = [
      await registered(alice, { confidential: true }),
      await registered(alice, { confidential: true }),
    ];
    const tokens = await tokensOf(bob, app, 'account:read');
    const ask = async (who: object, token: string) =>
      (await sendForm(at(0), '/oauth/introspect', { ...clientOf(who), token })).body;
    expect(await ask(app, tokens.access_token)).to.include({ active: true, sub: bob.id, scope: 'account:read' });
    expect(await ask(app, tokens.refresh_token)).to.include({ active: true, client_id: app.clientId });
    expect(await ask(other, tokens.access_token)).to.deep.equal({ active: false });
    expect(await ask(app, bob.token)).to.deep.equal({ active: false });
    await sendForm(at(1), '/oauth/revoke', { ...clientOf(other), token: tokens.refresh_token });
    expect((await ask(app, tokens.access_token)).active).to.equal(true);
    await sendForm(at(1), '/oauth/revoke', { ...clientOf(app), token: tokens.refresh_token });
    expect((await ask(app, tokens.access_token)).active).to.equal(false);
  });

  it('are asked about on a page that no other site can show in a frame', async () => {
    const { headers } = await request(at(0), 'GET', '/app/authorize');
    expect(headers.get('content-security-policy')).to.contain("frame-ancestors 'none'");
    expect(headers.get('x-frame-options')).to.equal('SAMEORIGIN');
  });

  it('find who issues tokens for the site and its parts', async () => {
    const { body } = await request(at(0), 'GET', '/.well-known/oauth-protected-resource/mcp');
    expect(body).to.deep.include({ resource: `${site}/mcp`, authorization_servers: [site] });
    const metadata = (await request(at(1), 'GET', '/.well-known/oauth-authorization-server')).body;
    expect(metadata.code_challenge_methods_supported).to.deep.equal(['S256']);
    const keys = async (i: number) => (await request(at(i), 'GET', '/oauth/jwks')).body;
    expect(await keys(0)).to.deep.equal(await keys(1));
  });
});
