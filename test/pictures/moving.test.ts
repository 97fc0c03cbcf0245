// nodes: own

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { parley } from '../world/operator.ts';
import { type World, world } from '../world/world.ts';
import { halves, sendPicture } from './samples.ts';

describe('pictures of a server that moves', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-pictures-'));
  let old: Cluster;
  let fresh: Cluster;
  let here: World;
  before(async () => {
    old = await startCluster({ nodes: 1 });
    fresh = await startCluster({ nodes: 1 });
    here = await world(old);
  });
  after(async () => {
    here.close();
    await Promise.all([old.stop(), fresh.stop()]);
    rmSync(folder, { recursive: true, force: true });
  });

  const operator = ({ databaseUrl }: Cluster, ...args: string[]) =>
    parley({ DATABASE_URL: databaseUrl, DATA_DIR: folder }, args);

  it('come along and keep their addresses, those that nothing shows stay', async () => {
    const { alice, bob, server } = here;
    const send = async (width: number, shape: string) => {
      const bytes = Buffer.from(await (await halves(width, width)).png().toBuffer());
      return (await sendPicture(alice, bytes, { shape })).body.url;
    };
    const [icon, banner, avatar, unused] = [
      await send(90, 'square'),
      await send(300, 'banner'),
      await send(70, 'square'),
      await send(80, 'square'),
    ];
    await alice.patch(`/api/servers/${server.id}`, { iconUrl: icon, bannerUrl: banner });
    await bob.patch('/api/auth/me', { avatarUrl: avatar });
    const file = path.join(folder, 'home.zip');
    const exported = await operator(old, 'export', server.id, '--out', file);
    expect([exported.code, exported.complaint]).to.deep.equal([0, '']);
    const imported = await operator(fresh, 'import', file);
    expect([imported.code, imported.complaint]).to.deep.equal([0, '']);
    const bytesAt = async (cluster: Cluster, url: string) => {
      const response = await fetch(`${cluster.nodes[0]?.url}${url}`);
      return response.ok ? Buffer.from(await response.arrayBuffer()).toString('base64') : response.status;
    };
    for (const url of [icon, banner, avatar]) {
      for (const size of ['large', 'small']) {
        const address = `${url}?size=${size}`;
        expect(await bytesAt(fresh, address))
          .to.be.a('string')
          .and.equal(await bytesAt(old, address));
      }
    }
    expect(await bytesAt(fresh, unused)).to.equal(404);
  });
});
