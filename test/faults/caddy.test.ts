// nodes: own
// long

import { expect } from 'chai';
import { Agent, fetch } from 'undici';
import { z } from 'zod';
import { startCaddy, type TestCaddy } from '../rig/caddy.ts';
import { sharedRedis } from '../rig/redis.ts';
import { until } from '../rig/until.ts';
import { Follower, range } from '../world/follower.ts';
import { type Installation, install } from '../world/installation.ts';

const messageSchema = z.object({ seq: z.number() });

describe('two nodes behind Caddy, as compose.yaml has them', () => {
  let site: Installation;
  let caddy: TestCaddy;
  let dispatcher: Agent;

  before(async () => {
    site = await install({
      nodes: 2,
      redisUrl: await sharedRedis(),
      env: { TRUST_PROXY: '1', CORS_ORIGINS: 'https://elsewhere.example' },
    });
    caddy = await startCaddy(site.nodes.map(({ port }) => `127.0.0.1:${port}`));
    dispatcher = new Agent({ connect: { ca: caddy.authority } });
  });
  after(async () => {
    await dispatcher?.close();
    await caddy?.stop();
    await site?.stop();
  });

  const follower = async (options: ConstructorParameters<typeof Follower>[1]) => {
    const client = new Follower({ url: caddy.url, token: site.here.bob.token }, { ...options, ca: caddy.authority });
    await client.connected(1);
    await client.join(site.here.channel.id);
    return client;
  };

  it('passes WebSockets over TLS, polling that keeps to its node by a cookie, and health', async () => {
    expect((await fetch(`${caddy.url}/readyz`, { dispatcher })).status).to.equal(200);
    const clients = await Promise.all([
      follower({ transports: ['websocket'] }),
      ...range(1, 5).map(() => follower({ transports: ['polling'], withCredentials: true })),
    ]);
    const { seq } = await site.here.alice.say(site.here.channel.id, 'through Caddy');
    for (const client of clients) await client.reach(site.here.channel.id, seq);
    for (const client of clients) {
      expect(client.connections).to.have.lengthOf(1);
      expect(client.errors).to.deep.equal([]);
      client.close();
    }
  });

  it('says which host was asked, so that pages of this site are known for its own', async () => {
    const open = async (origin: string) => {
      const address = `${caddy.url}/socket.io/?EIO=4&transport=polling`;
      return (await fetch(address, { headers: { origin }, dispatcher })).status;
    };
    expect([await open(caddy.url), await open('https://foreign.example')]).to.deep.equal([200, 403]);
  });

  it('is restarted node by node, and nobody loses a message', async () => {
    const { alice, channel } = site.here;
    const first = (await alice.say(channel.id, 'before')).seq;
    const stock = [
      await follower({ transports: ['websocket'] }),
      await follower({ transports: ['polling'], withCredentials: true }),
    ];
    const statuses: number[] = [];
    let over = false;
    const reading = (async () => {
      while (!over) {
        const answer = await fetch(`${caddy.url}/api/channels/${channel.id}/messages?limit=1`, {
          headers: { authorization: `Bearer ${alice.token}` },
          dispatcher,
        });
        statuses.push(answer.status);
        await answer.arrayBuffer();
      }
    })();
    for (const node of site.nodes) {
      expect(await node.stop(), node.lines.slice(-5).join('\n')).to.include({ code: 0 });
      await node.start();
      await until(async () => (await node.health('/readyz')) === 200, { timeout: 60_000, message: 'not ready' });
      await say(`after ${node.port}`);
    }
    over = true;
    await reading;
    const last = await say('after');
    for (const client of stock) {
      await client.reach(channel.id, last, 40_000);
      expect(client.seen(channel.id)).to.deep.equal(range(first + 1, last));
      client.close();
    }
    expect(statuses.filter((status) => status !== 200)).to.deep.equal([]);
    expect(site.nodes.flatMap((node) => node.failures)).to.deep.equal([]);
  });

  async function say(content: string): Promise<number> {
    const answer = await fetch(`${caddy.url}/api/channels/${site.here.channel.id}/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${site.here.alice.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ content }),
      dispatcher,
    });
    return messageSchema.parse(await answer.json()).seq;
  }
});
