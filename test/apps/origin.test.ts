import { expect } from 'chai';
import { raw } from '../rest/raw.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import type { Loose } from '../world/person.ts';
import { type World, world } from '../world/world.ts';

describe('apps with an origin of their own', () => {
  let cluster: Cluster;
  let here: World;
  let app: Loose;
  before(async () => {
    cluster = await startCluster({ settings: { appsUrl: 'https://apps.example.com' } });
    here = await world(cluster);
    const made = { name: 'App', type: 'html', htmlContent: 'hi' };
    app = (await here.alice.post(`/api/servers/${here.server.id}/apps`, made)).body;
  });
  after(async () => {
    here.close();
    await cluster.stop();
  });

  const ask = (host: string, path: string) => raw(here.bob.node, 'GET', path, { headers: { host } });
  const serve = () => `/api/servers/${here.server.id}/apps/${app.id}/serve/`;

  it('are served there, and led there from everywhere else', async () => {
    const away = await ask('parley.example.com', `${serve()}?a=b`);
    expect([away.status, away.headers.get('location')]).to.deep.equal([302, `https://apps.example.com${serve()}?a=b`]);
    const there = await ask('APPS.example.com', serve());
    expect([there.status, there.body]).to.deep.equal([200, 'hi']);
    expect(there.headers.get('content-security-policy')).to.contain('sandbox');
    const proxied = await ask('parley.example.com', `/api/app-proxy/${app.id}/x`);
    expect(proxied.headers.get('location')).to.equal(`https://apps.example.com/api/app-proxy/${app.id}/x`);
  });

  it('share it with nothing', async () => {
    for (const path of ['/api/servers/discover', '/api/auth/me', '/app/login', `/api/servers/${here.server.id}/apps`]) {
      const { status, body } = await ask('apps.example.com', path);
      expect([status, body.code], path).to.deep.equal([404, 'ROUTE_NOT_FOUND']);
      expect((await ask('parley.example.com', path)).status, path).not.to.equal(404);
    }
    expect((await ask('apps.example.com', '/healthz')).status).to.equal(200);
    const opening = '/socket.io/?EIO=4&transport=polling';
    expect((await ask('apps.EXAMPLE.com', opening)).status).to.equal(403);
    expect((await ask('parley.example.com', opening)).status).to.equal(200);
  });
});
