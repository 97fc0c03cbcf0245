// nodes: own

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { startRedis, type TestRedis } from '../rig/redis.ts';
import { startProxy, type TcpProxy } from '../rig/tcp-proxy.ts';
import { range } from '../world/follower.ts';
import { type Installation, install } from '../world/installation.ts';
import { NodeProcess, siteEnvironment } from '../world/node-process.ts';

describe('a node that loses its power, of which Redis knows nothing', () => {
  let redis: TestRedis;
  let wire: TcpProxy;
  let site: Installation;
  let dataDir: string;
  before(async () => {
    redis = await startRedis();
    wire = await startProxy(redis.port);
    site = await install({ nodes: 2, redisUrl: redis.url });
    dataDir = await mkdtemp(path.join(tmpdir(), 'parley-lost-'));
    const url = new URL(redis.url);
    url.port = String(wire.port);
    const node = await NodeProcess.start(siteEnvironment(site.databaseUrl, url.href, dataDir));
    wire.hold();
    await node.kill();
  });
  after(async () => {
    await site.stop();
    await wire.stop();
    await redis.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('slows changes down once, not all of them for minutes', async () => {
    const { alice } = site.here;
    const rename = async (i: number) => {
      const { status } = await alice.patch('/api/auth/me', { displayName: `Alice ${i}` });
      expect(status).to.equal(200);
    };
    await rename(0);
    const begun = performance.now();
    for (const i of range(1, 10)) await rename(i);
    // Each would wait for 2 s.
    expect(performance.now() - begun).to.be.below(10_000);
  });
});
