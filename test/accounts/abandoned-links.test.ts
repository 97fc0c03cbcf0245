// nodes: own

import { expect } from 'chai';
import type { Node } from '../../src/node/node.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { Person, request } from '../world/person.ts';
import { register } from '../world/world.ts';
import { Browser } from './browser.ts';
import { clientId, clientSecret, type Issuer, startIssuer } from './identity-provider.ts';

const site = 'https://links.example.test';
const isEnd = (url: URL) => url.origin === site && url.pathname.startsWith('/app/');

describe('linking an account of a provider', () => {
  let issuer: Issuer;
  let cluster: Cluster;
  let node: Node;
  before(async () => {
    issuer = await startIssuer();
    const corp = { name: 'corp', kind: 'openid' as const, issuer: issuer.url, clientId, clientSecret };
    // Nobody has asked this one for its addresses yet.
    const oauthProviders = [corp, { ...corp, name: 'unasked' }];
    cluster = await startCluster({ nodes: 1, settings: { publicUrl: site, oauthProviders } });
    const [only] = cluster.nodes;
    if (!only) throw new Error('no node');
    node = only;
  });
  after(async () => {
    await cluster.stop();
    issuer.stop();
  });

  const change = { oldPassword: 'correct horse', newPassword: 'a brand new one' };
  /** Signed in a second time, and the new session does not know of the first. */
  const signedInAnew = async (person: Person) => {
    const credentials = { email: person.username, password: change.oldPassword };
    const { body } = await request(node, 'POST', '/api/auth/login', credentials);
    return new Person(node, { ...person, token: body.accessToken });
  };
  const ways: ((person: Person, again: Person) => Promise<unknown>)[] = [
    (person) => person.post('/api/auth/logout'),
    (_, again) => again.put('/api/auth/password', change),
  ];

  for (const [when, isAsked] of [
    ['before the provider is asked', false],
    ['while it is asked', true],
  ] as const) {
    it(`is given up with the sessions of the user, ${when}: whoever was thrown out gets no new way in`, async () => {
      for (const throwOut of ways) {
        const person = await register(node);
        const again = await signedInAnew(person);
        const answer = await person.post('/api/auth/oauth/corp/link');
        issuer.signsIn = { sub: `thief-of-${person.username}` };
        issuer.meanwhile = async () => isAsked && throwOut(person, again);
        if (!isAsked) await throwOut(person, again);
        const browser = new Browser({ [site]: node.url });
        browser.keep(site, answer);
        expect((await browser.follow(answer.body.url, isEnd)).search).to.equal('?error=oauth_failed');
        expect((await again.get('/api/auth/oauth/accounts')).body).to.deep.equal([]);
      }
    });
  }

  it('is not begun by a session that is ended while the provider is asked for its addresses', async () => {
    const person = await register(node);
    const again = await signedInAnew(person);
    issuer.meanwhile = () => person.post('/api/auth/logout');
    expect((await person.post('/api/auth/oauth/unasked/link')).body.code).to.equal('SESSION_REVOKED');
    issuer.meanwhile = async () => {};
    expect((await again.post('/api/auth/oauth/unasked/link')).status).to.equal(200);
  });

  it('goes on where nothing was ended', async () => {
    const person = await register(node);
    const answer = await person.post('/api/auth/oauth/corp/link');
    issuer.signsIn = { sub: `own-of-${person.username}` };
    issuer.meanwhile = () => person.get('/api/auth/me');
    const browser = new Browser({ [site]: node.url });
    browser.keep(site, answer);
    expect((await browser.follow(answer.body.url, isEnd)).pathname).to.equal('/app/oauth-callback');
    expect((await person.get('/api/auth/oauth/accounts')).body).to.have.lengthOf(1);
  });
});
