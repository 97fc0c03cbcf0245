import { expect } from 'chai';
import { startCluster } from '../world/nodes.ts';
import { Person, request } from '../world/person.ts';
import { register } from '../world/world.ts';
import { Browser } from './browser.ts';
import { clientId, clientSecret, startProvider } from './identity-provider.ts';

const site = 'https://links.example.test';
const isEnd = (url: URL) => url.origin === site && url.pathname.startsWith('/app/');

describe('linking an account of a provider', () => {
  it('is given up with the sessions of the user: whoever was thrown out gets no new way in', async () => {
    const provider = await startProvider([`${site}/api/auth/oauth/corp/callback`]);
    const corp = { name: 'corp', kind: 'openid' as const, issuer: provider.issuer, clientId, clientSecret };
    const cluster = await startCluster({ nodes: 1, settings: { publicUrl: site, oauthProviders: [corp] } });
    try {
      const [node] = cluster.nodes;
      if (!node) throw new Error('no node');
      const change = { oldPassword: 'correct horse', newPassword: 'a brand new one' };
      const ways: ((person: Person) => Promise<unknown>)[] = [
        (person) => person.post('/api/auth/logout'),
        async (person) => {
          // Signed in a second time, and this one does not know of the first.
          const credentials = { email: person.username, password: change.oldPassword };
          const { body } = await request(node, 'POST', '/api/auth/login', credentials);
          const owner = new Person(node, { ...person, token: body.accessToken });
          return owner.put('/api/auth/password', change);
        },
      ];
      for (const throwOut of ways) {
        const person = await register(node);
        const answer = await person.post('/api/auth/oauth/corp/link');
        await throwOut(person);
        const browser = new Browser({ [site]: node.url });
        browser.keep(site, answer);
        provider.user = `thief-of-${person.username}`;
        expect((await browser.follow(answer.body.url, isEnd)).search).to.equal('?error=oauth_failed');
      }
    } finally {
      await cluster.stop();
      await provider.stop();
    }
  });
});
