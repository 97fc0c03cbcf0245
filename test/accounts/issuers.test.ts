// nodes: own

import { expect } from 'chai';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { request } from '../world/person.ts';
import { Browser } from './browser.ts';
import { clientId, clientSecret, type Issuer, startIssuer } from './identity-provider.ts';

const site = 'https://issuers.example.test';

describe('issuers that say little', () => {
  let cluster: Cluster;
  let silent: Issuer;
  let terse: Issuer;
  let vouching: Issuer;

  before(async () => {
    [silent, terse, vouching] = [
      await startIssuer(),
      await startIssuer({}),
      await startIssuer({ email: 'vouched@example.com', email_verified: true }),
    ];
    const provider = (name: string, { url: issuer }: Issuer) => {
      return { name, kind: 'openid' as const, issuer, clientId, clientSecret };
    };
    cluster = await startCluster({
      settings: {
        publicUrl: site,
        oauthProviders: [provider('silent', silent), provider('terse', terse), provider('vouching', vouching)],
      },
    });
  });
  after(() => cluster.stop());

  const node = () => {
    const [first] = cluster.nodes;
    if (!first) throw new Error('no node');
    return first;
  };
  /** Signs in at a provider in a browser. @returns who that is here */
  const signIn = async (name: string) => {
    const isEnd = (url: URL) => url.origin === site && url.pathname.startsWith('/app/');
    const end = await new Browser({ [site]: node().url }).follow(`${site}/api/auth/oauth/${name}`, isEnd);
    expect(end.pathname, end.href).to.equal('/app/oauth-callback');
    const token = new URLSearchParams(end.hash.slice(1)).get('access_token') ?? '';
    return (await request(node(), 'GET', '/api/auth/me', undefined, { authorization: `Bearer ${token}` })).body;
  };

  it('sign in whom the ID token names, where there is nothing more to ask', async () => {
    silent.signsIn = { sub: 'silent-1', name: 'Silent One', email: 'silent@example.com' };
    const me = await signIn('silent');
    expect(me).to.include({ displayName: 'Silent One', username: 'silent', email: null });
    expect((await signIn('silent')).id).to.equal(me.id);
  });

  it('keep what the ID token says where the answer to the question says less', async () => {
    terse.signsIn = { sub: 'terse-1', name: 'Terse One', email: 'terse@example.com' };
    expect(await signIn('terse')).to.include({ displayName: 'Terse One', username: 'terse', email: null });
  });

  it('vouch for the address that they name with it, and for no other', async () => {
    vouching.signsIn = { sub: 'vouching-1', name: 'Vouching One', email: 'claimed@example.com' };
    expect(await signIn('vouching')).to.include({ displayName: 'Vouching One', email: 'vouched@example.com' });
  });

  it('may give a token for this site to another client of theirs, such as their app for phones', async () => {
    const signInBy = async (claims: object) => {
      const idToken = await silent.token({ sub: 'phone-1', azp: 'the app', ...claims });
      return (await request(node(), 'POST', '/api/auth/silent/id-token', { idToken })).status;
    };
    expect(await signInBy({})).to.equal(200);
    expect(await signInBy({ aud: [clientId, 'another'] })).to.equal(401);
    expect(await signInBy({ aud: 'the app' })).to.equal(401);
  });
});
