// nodes: own

import { expect } from 'chai';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { world } from '../world/world.ts';

const code = async (answer: Response): Promise<unknown> => JSON.parse(await answer.text()).code;

describe('the limit of an incoming webhook', () => {
  let cluster: Cluster;
  before(async () => {
    const rates = { hookMessages: { points: 3, seconds: 60 } };
    cluster = await startCluster({ nodes: 1, settings: { rateLimits: true, rates } });
  });
  after(() => cluster.stop());

  it('is its own: another one posts on, and the sender learns when to come back', async () => {
    const here = await world(cluster);
    const make = async (name: string): Promise<string> =>
      (await here.alice.post(`/api/channels/${here.channel.id}/hooks`, { name })).body.token;
    const [first, second] = [await make('One tool'), await make('Two tools')];
    const post = (token: string) =>
      fetch(`${here.alice.node.url}/hooks/${token}`, { method: 'POST', body: '{"text":"x"}' });
    for (let i = 0; i < 3; i++) expect((await post(first)).status).to.equal(200);
    const refused = await post(first);
    expect([refused.status, await code(refused)]).to.deep.equal([429, 'RATE_LIMITED']);
    expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 60);
    expect((await post(second)).status).to.equal(200);
    here.close();
  });
});
