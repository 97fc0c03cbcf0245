// nodes: own

import { expect } from 'chai';
import { type Cluster, startCluster } from '../world/nodes.ts';
import type { Loose } from '../world/person.ts';
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

  it('counts messages, those of a post together, and nothing of whoever cannot sign', async () => {
    const here = await world(cluster);
    const { alice, channel } = here;
    const body = { name: 'A signed tool', signingSecret: 'both know it' };
    const { token } = (await alice.post(`/api/channels/${channel.id}/hooks`, body)).body;
    const post = (length: number, secret: string) =>
      fetch(`${alice.node.url}/hooks/${token}/parley`, {
        method: 'POST',
        body: JSON.stringify({ content: 'x'.repeat(length) }),
        headers: { 'x-gitlab-token': secret },
      });
    for (let i = 0; i < 5; i++) expect((await post(1, 'a guess')).status).to.equal(401);
    const two = 20_000;
    expect((await post(two, 'both know it')).status).to.equal(200);
    expect(await code(await post(two, 'both know it'))).to.equal('RATE_LIMITED');
    const { body: page }: Loose = await alice.get(`/api/channels/${channel.id}/messages`);
    expect(page.messages).to.have.lengthOf(2);
    here.close();
  });
});
