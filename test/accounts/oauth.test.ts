// nodes: own

import { expect } from 'chai';
import type { Node } from '../../src/node/node.ts';
import { until } from '../rig/until.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { Person, request } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { register } from '../world/world.ts';
import { Browser } from './browser.ts';
import { startGitHub, type TestGitHub } from './github.ts';
import {
  clientId,
  clientSecret,
  type Issuer,
  startIssuer,
  startProvider,
  type TestProvider,
} from './identity-provider.ts';
import { dataFolder, proveAddress } from './mailbox.ts';

const site = 'https://chat.example.test';
const folder = dataFolder();

describe('identity providers', () => {
  let cluster: Cluster;
  let provider: TestProvider;
  let issuer: Issuer;
  let github: TestGitHub;
  let count = 0;

  const at = (i: number): Node => {
    const node = cluster.nodes[i % cluster.nodes.length];
    if (!node) throw new Error('no node');
    return node;
  };
  const browser = (i = 0) => new Browser({ [site]: at(i).url });
  const isBack = (url: URL) => url.origin === site && url.pathname.endsWith('/callback');
  const isEnd = (url: URL) => url.origin === site && url.pathname.startsWith('/app/');
  const start = `${site}/api/auth/oauth/corp`;
  const fragment = (url: URL) => Object.fromEntries(new URLSearchParams(url.hash.slice(1)));
  /** A new account at the provider, which signs in next. */
  const someone = (claims: object = {}) => {
    const id = `subject-${++count}`;
    const given = {
      email: `p${count}-${Date.now()}@example.com`,
      email_verified: true,
      name: `Person ${count}`,
      ...claims,
    };
    provider.accounts.set(id, given);
    provider.user = id;
    return given;
  };
  /** What the owner of an account is mailed, each by its kind and what it names. */
  const noticesOf = async (userId: string) => {
    const all = 'SELECT kind, detail FROM security_notices WHERE user_id = $1 ORDER BY id';
    const rows = await query<{ kind: string; detail: string | null }>(cluster.databaseUrl, all, [userId]);
    return rows.map(({ kind, detail }) => (detail === null ? kind : `${kind}: ${detail}`));
  };
  const asPerson = async (token: string, node = at(0)) => {
    const person = new Person(node, { id: '', username: '', token, refreshToken: '' });
    return { person, me: (await person.get('/api/auth/me')).body };
  };

  before(async () => {
    provider = await startProvider([`${site}/api/auth/oauth/corp/callback`]);
    issuer = await startIssuer();
    github = await startGitHub();
    cluster = await startCluster({
      settings: {
        publicUrl: site,
        dataDir: folder.dataDir,
        newAccountTier: 'visitor',
        bootstrapInviteCode: 'COMEINCOMEIN',
        accounts: { oauth: { keysCooldownMs: 200 } },
        oauthProviders: [
          { name: 'corp', kind: 'openid', issuer: provider.issuer, clientId, clientSecret },
          { name: 'github', kind: 'github', issuer: github.url, clientId, clientSecret },
          { name: 'google', kind: 'openid', issuer: issuer.url, clientId, clientSecret },
        ],
      },
    });
  });
  after(() => cluster.stop());

  it('are listed for whoever draws the buttons, with nothing that is secret', async () => {
    const { status, body } = await request(at(1), 'GET', '/api/auth/oauth/providers');
    expect(status).to.equal(200);
    expect(body).to.deep.equal([
      { provider: 'corp', name: 'Corp' },
      { provider: 'github', name: 'GitHub' },
      { provider: 'google', name: 'Google' },
    ]);
  });

  describe('in the browser', () => {
    it('sign up who is new and sign in who is known, with state, PKCE and nonce, over all nodes', async () => {
      const { email } = someone();
      const out = await browser().get(`${start}?redirect=/app/somewhere%3Fa=1`);
      expect(out.status).to.equal(302);
      const asked = new URL(out.headers.get('location') ?? '');
      expect(asked.origin).to.equal(provider.issuer);
      for (const name of ['state', 'nonce', 'code_challenge'])
        expect(asked.searchParams.get(name)).to.match(/^[\w-]{43}$/);
      expect(asked.searchParams.get('code_challenge_method')).to.equal('S256');
      expect(out.headers.get('set-cookie')).to.match(/HttpOnly; SameSite=Lax; Secure$/);

      const first = await browser().follow(`${start}?redirect=/app/somewhere%3Fa=1`, isEnd);
      expect(first.pathname).to.equal('/app/oauth-callback');
      const given = fragment(first);
      expect(given).to.have.all.keys('access_token', 'refresh_token', 'device_token', 'redirect');
      expect(given.redirect).to.equal('/app/somewhere?a=1');
      const { me } = await asPerson(given.access_token ?? '');
      expect(me).to.include({ email, status: 'visitor', displayName: `Person ${count}` });
      const back = browser(1);
      const again = fragment(await back.follow(start, isEnd));
      expect((await asPerson(again.access_token ?? '')).me.id).to.equal(me.id);
      expect(
        (await request(at(0), 'POST', '/api/auth/refresh', { refreshToken: again.refresh_token })).status,
      ).to.equal(200);
    });

    it('link to the account that has the verified e-mail, whose owner is told', async () => {
      const { email } = someone();
      const owner = await register(at(0), { email });
      await proveAddress(owner, folder, email);
      const { access_token } = fragment(await browser().follow(start, isEnd));
      expect((await asPerson(access_token ?? '')).me.id).to.equal(owner.id);
      const [linked] = (await owner.get('/api/auth/oauth/accounts')).body;
      expect(linked).to.include({ provider: 'corp', providerEmail: email });
      expect(linked).to.have.all.keys('id', 'provider', 'providerEmail', 'createdAt');
      await until(async () => (await folder.mails()).some((mail) => mail.to?.[0]?.address === email));
    });

    it('take no e-mail on trust: an unverified one finds no account and makes no claim', async () => {
      const { email } = someone({ email_verified: false });
      const owner = await register(at(0), { email });
      const { access_token } = fragment(await browser().follow(start, isEnd));
      const { me } = await asPerson(access_token ?? '');
      expect(me.id).not.to.equal(owner.id);
      expect(me.email).to.equal(null);
    });

    it('redeem an invite code on the way and pass it on; a bad one stops nobody', async () => {
      someone();
      const member = fragment(await browser().follow(`${start}?inviteCode=comeincomein`, isEnd));
      expect(member.invite_code).to.equal('comeincomein');
      expect((await asPerson(member.access_token ?? '')).me.status).to.equal('member');
      someone();
      const visitor = fragment(await browser().follow(`${start}?inviteCode=NOSUCH22`, isEnd));
      expect(visitor.invite_code).to.equal('NOSUCH22');
      expect((await asPerson(visitor.access_token ?? '')).me.status).to.equal('visitor');
    });

    it('never lead off this site', async () => {
      someone();
      const bad = [
        'https://evil.example',
        '//evil.example',
        '/\\evil.example',
        '/\t/evil.example',
        'javascript:alert(1)',
      ];
      for (const redirect of [...bad, `${site}.evil.example/`, '/..//evil.example']) {
        const end = await browser().follow(`${start}?redirect=${encodeURIComponent(redirect)}`, isEnd);
        expect(fragment(end).redirect, redirect).to.match(/^\/(?![/\\])/);
        expect(new URL(fragment(end).redirect ?? '', site).origin, redirect).to.equal(site);
      }
    });

    it('refuse a state that was used, belongs to another browser, or was made up', async () => {
      someone();
      const mine = browser();
      const back = await mine.follow(start, isBack);
      const failed = async (who: Browser, url: string) => {
        const { headers } = await who.get(url);
        expect(headers.get('location')).to.equal(`${site}/app/login?error=oauth_failed`);
      };
      await failed(browser(), back.href);
      const other = new URL(back);
      other.searchParams.set('state', 'x'.repeat(43));
      await failed(mine, other.href);
      await failed(mine, `${site}/api/auth/oauth/corp/callback`);
      const confused = browser();
      const mixed = await confused.follow(start, isBack);
      await failed(confused, `${site}/api/auth/oauth/google/callback${mixed.search}`);
      expect((await mine.get(back.href, 'HEAD')).status).to.equal(405);
      const landed = await mine.follow(back.href, isEnd);
      expect(landed.pathname).to.equal('/app/oauth-callback');
      await failed(mine, back.href);
    });

    it('say that it did not work when the user declines, or the provider is gone', async () => {
      provider.user = null;
      const declined = await browser().follow(start, isEnd);
      expect(declined.href).to.equal(`${site}/app/login?error=oauth_failed&reason=denied`);
      const unknown = await request(at(0), 'GET', '/api/auth/oauth/nobody');
      expect([unknown.status, unknown.body.code]).to.deep.equal([501, 'PROVIDER_NOT_CONFIGURED']);
    });

    it('are linked by who is signed in, to one account only, and unlinked but for the last way in', async () => {
      someone();
      const owner = await register(at(0));
      await proveAddress(owner, folder, `${owner.username}@example.com`);
      const page = browser();
      const link = async (person: Person, who: Browser) => {
        const answer = await person.post('/api/auth/oauth/corp/link', { redirect: '/app/settings' });
        expect(answer.status).to.equal(200);
        who.keep(site, answer);
        return who.follow(answer.body.url, isEnd);
      };
      expect(fragment(await link(owner, page))).to.deep.equal({ linked: 'corp', redirect: '/app/settings' });
      const [linked] = (await owner.get('/api/auth/oauth/accounts')).body;
      const stranger = await register(at(0));
      const refused = await link(stranger, browser());
      expect(refused.search).to.equal('?error=oauth_failed&reason=linked_elsewhere');
      const foreign = await stranger.delete(`/api/auth/oauth/accounts/${linked.id}`);
      expect([foreign.status, foreign.body.code]).to.deep.equal([404, 'OAUTH_ACCOUNT_NOT_FOUND']);
      expect((await owner.delete(`/api/auth/oauth/accounts/${linked.id}`)).status).to.equal(200);
      expect((await owner.get('/api/auth/oauth/accounts')).body).to.deep.equal([]);
      expect(await noticesOf(owner.id)).to.deep.equal(['provider-linked: corp', 'provider-unlinked: corp']);
    });

    it('are linked once by all who do it at the same moment: the others hear why not', async () => {
      for (let round = 0; round < 5; round++) {
        someone();
        const [one, two] = [await register(at(0)), await register(at(1))];
        const backs: (() => Promise<string>)[] = [];
        for (const person of [one, one, two, two]) {
          const tab = browser(backs.length);
          const answer = await person.post('/api/auth/oauth/corp/link', { redirect: '/app/settings' });
          tab.keep(site, answer);
          const back = await tab.follow(answer.body.url, isBack);
          backs.push(async () => String((await tab.get(back.href)).headers.get('location')));
        }
        const ends = await Promise.all(backs.map((arrive) => arrive()));
        const linked = `${site}/app/oauth-callback#linked=corp&redirect=%2Fapp%2Fsettings`;
        const elsewhere = `${site}/app/login?error=oauth_failed&reason=linked_elsewhere`;
        const expected = [linked, linked, elsewhere, elsewhere];
        expect(ends).to.deep.equal(ends[0] === linked ? expected : expected.reverse());
        const lists = await Promise.all([one, two].map((person) => person.get('/api/auth/oauth/accounts')));
        expect(lists.map(({ body }) => body.length)).to.have.members([0, 1]);
      }
    });

    it('cannot be unlinked where they are the only way in, until there is a password', async () => {
      someone();
      const { access_token } = fragment(await browser().follow(start, isEnd));
      const { person, me } = await asPerson(access_token ?? '');
      const [linked] = (await person.get('/api/auth/oauth/accounts')).body;
      const last = await person.delete(`/api/auth/oauth/accounts/${linked.id}`);
      expect([last.status, last.body.code]).to.deep.equal([409, 'LAST_SIGN_IN_METHOD']);
      expect((await person.put('/api/auth/password', { newPassword: 'my first password' })).status).to.equal(200);
      expect((await person.delete(`/api/auth/oauth/accounts/${linked.id}`)).status).to.equal(200);
      expect(await noticesOf(me.id)).to.deep.equal(['password-set', 'provider-unlinked: corp']);
    });
  });

  describe('GitHub', () => {
    it('signs in by its own interface, with the primary e-mail if that is verified', async () => {
      const email = `octo-${Date.now()}@example.com`;
      const owner = await register(at(0), { email });
      const idOf = async () => {
        const end = await browser().follow(`${site}/api/auth/oauth/github`, isEnd);
        return (await asPerson(fragment(end).access_token ?? '')).me;
      };
      github.user = { id: 1, login: 'octo', name: null, emails: [{ email, primary: true, verified: true }] };
      expect((await idOf()).id).to.equal(owner.id);
      github.user = { id: 2, login: 'other', name: 'Other', emails: [{ email, primary: true, verified: false }] };
      expect(await idOf()).to.include({ email: null, displayName: 'Other' });
      const idToken = await request(at(0), 'POST', '/api/auth/github/id-token', { idToken: 'x' });
      expect([idToken.status, idToken.body.code]).to.deep.equal([501, 'PROVIDER_NOT_CONFIGURED']);
    });
  });

  describe('by ID token', () => {
    const signIn = (body: object, i = 0) => request(at(i), 'POST', '/api/auth/google/id-token', body);

    it('sign up and in, under both names of the field, and link by verified e-mail', async () => {
      const email = `id-${Date.now()}@example.com`;
      const owner = await register(at(0), { email });
      const idToken = await issuer.token({ sub: 'google-1', email: email.toUpperCase(), email_verified: true });
      const answers = await Promise.all(
        [0, 1, 2, 3].map((i) => signIn(i % 2 ? { idToken } : { credential: idToken }, i)),
      );
      expect(answers.map(({ status, body }) => [status, body.user?.id])).to.deep.equal(Array(4).fill([200, owner.id]));
    });

    it('of someone new make one account, however many come at once', async () => {
      const idToken = await issuer.token({
        sub: 'google-2',
        email: `n-${Date.now()}@example.com`,
        email_verified: true,
      });
      const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => signIn({ idToken }, i)));
      expect(answers.map((answer) => answer.status)).to.deep.equal(Array(8).fill(200));
      expect(new Set(answers.map((answer) => answer.body.user.id)).size).to.equal(1);
    });

    it('are refused with another issuer, audience, signature, nonce, or past their time', async () => {
      const now = Math.floor(Date.now() / 1000);
      const bad = {
        issuer: { idToken: await issuer.token({ sub: 'x', iss: 'https://evil.example' }) },
        audience: { idToken: await issuer.token({ sub: 'x', aud: 'another client' }) },
        shared: { idToken: await issuer.token({ sub: 'x', aud: [clientId, 'another'], azp: 'another' }) },
        signature: { idToken: await issuer.token({ sub: 'x' }, { by: 'stranger' }) },
        expiry: { idToken: await issuer.token({ sub: 'x', iat: now - 120, exp: now - 60 }) },
        eternity: { idToken: await issuer.token({ sub: 'x', exp: undefined }) },
        nonce: { idToken: await issuer.token({ sub: 'x', nonce: 'theirs' }), nonce: 'ours' },
        nobody: { idToken: await issuer.token({}) },
        nonsense: { idToken: 'nonsense' },
      };
      for (const [what, body] of Object.entries(bad)) {
        const { status, body: answer } = await signIn(body);
        expect([status, answer.code], what).to.deep.equal([401, 'ID_TOKEN_INVALID']);
      }
      const good = await issuer.token({ sub: 'google-3', nonce: 'ours' });
      expect((await signIn({ idToken: good, nonce: 'ours' })).status).to.equal(200);
      const missing = await signIn({});
      expect([missing.status, missing.body.issues[0].path]).to.deep.equal([400, 'idToken']);
    });

    it('hold with keys that are kept, and with new ones when the provider changes them', async () => {
      await signIn({ idToken: await issuer.token({ sub: 'google-4' }) });
      const asked = issuer.asked;
      for (let i = 0; i < 5; i++) await signIn({ idToken: await issuer.token({ sub: 'google-4' }) });
      expect(issuer.asked).to.equal(asked);
      await issuer.rotate();
      const idToken = await issuer.token({ sub: 'google-4' });
      await until(async () => (await signIn({ idToken })).status === 200);
    });
  });
});
