// nodes: own

import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { type Message, Parley } from '../../src/client/index.ts';
import { startNginx, type TestNginx } from '../rig/nginx.ts';
import { sharedRedis } from '../rig/redis.ts';
import { until } from '../rig/until.ts';
import { Follower, range } from '../world/follower.ts';
import { type Installation, install } from '../world/installation.ts';
import type { Loose } from '../world/person.ts';

describe('two nodes behind nginx, as docs/nginx.conf has it', () => {
  let site: Installation;
  let nginx: TestNginx;

  before(async () => {
    const env = { TRUST_PROXY: '1', CORS_ORIGINS: 'https://elsewhere.example' };
    site = await install({ nodes: 2, redisUrl: await sharedRedis(), env });
    const [one, other] = site.nodes;
    nginx = await startNginx([one?.port ?? 0, other?.port ?? 0]);
  });
  after(async () => {
    await nginx.stop();
    await site.stop();
  });

  const follower = async (options: ConstructorParameters<typeof Follower>[1]) => {
    const client = new Follower({ url: nginx.url, token: site.here.bob.token }, options);
    await client.connected(1);
    await client.join(site.here.channel.id);
    return client;
  };

  it('passes WebSockets, polling that keeps to its node by a cookie, and health', async () => {
    const { status, headers } = await fetch(`${site.nodes[0]?.url}/readyz`);
    // Who sends has to be the one who closes idle connections: nginx does after 60 s.
    expect([status, headers.get('keep-alive')]).to.deep.equal([200, 'timeout=75']);
    expect((await fetch(`${nginx.url}/readyz`)).status).to.equal(200);
    const clients = await Promise.all([
      follower({ transports: ['websocket'] }),
      ...range(1, 5).map(() => follower({ transports: ['polling'], withCredentials: true })),
    ]);
    const { seq } = await site.here.alice.say(site.here.channel.id, 'through nginx');
    for (const client of clients) await client.reach(site.here.channel.id, seq);
    for (const client of clients) {
      expect(client.connections).to.have.lengthOf(1);
      expect(client.errors).to.deep.equal([]);
      client.close();
    }
  });

  it('says which host was asked, so that pages of this site are known for its own', async () => {
    const open = (origin: string) =>
      fetch(`${nginx.url}/socket.io/?EIO=4&transport=polling`, { headers: { origin } }).then(({ status }) => status);
    expect([await open(nginx.url), await open('https://foreign.example')]).to.deep.equal([200, 403]);
  });

  it('is restarted node by node, and nobody loses a message or sees an error', async () => {
    const { alice, bob, channel } = site.here;
    const first = (await alice.say(channel.id, 'before')).seq;
    const stock = [
      await follower({ transports: ['websocket'] }),
      await follower({ transports: ['polling'], withCredentials: true }),
    ];
    const typed = talker(bob.token, channel.id);
    await until(() => typed.parley.state.status === 'live', { timeout: 40_000, message: 'not live' });
    const senders = range(1, 4).map((i) => sender(nginx.url, alice.token, channel.id, i));
    for (const node of site.nodes) {
      const exit = await node.stop();
      expect(exit, node.lines.slice(-5).join('\n')).to.include({ code: 0 });
      await node.start();
      await until(async () => (await node.health('/readyz')) === 200, { timeout: 60_000, message: 'not ready' });
    }
    const sent = await Promise.all(senders.map((one) => one.stop()));
    await typed.stop();
    const last = (await alice.say(channel.id, 'after')).seq;
    expect(sent.flatMap(({ refusals }) => refusals)).to.deep.equal([]);
    expect(sent.flatMap(({ seqs }) => seqs).length).to.be.greaterThan(20);
    for (const client of stock) {
      await client.reach(channel.id, last, 40_000);
      expect(client.seen(channel.id)).to.deep.equal(range(first + 1, last));
      expect(client.errors).to.deep.equal([]);
      client.close();
    }
    await until(() => typed.heard.at(-1)?.seq === last, { timeout: 40_000, message: 'the typed client has not all' });
    typed.parley.disconnect();
    expect(typed.heard.map(({ seq }) => seq)).to.deep.equal(range(first + 1, last));
    expect(typed.failed).to.deep.equal([]);
    expect(site.nodes.flatMap((node) => node.failures)).to.deep.equal([]);
  });

  /** The typed client, which listens and talks. */
  function talker(token: string, channelId: string) {
    const parley = new Parley({ url: nginx.url, token });
    const channel = parley.channel(channelId);
    const heard: Message[] = [];
    const failed: string[] = [];
    let over = false;
    channel.on('message:new', (message) => heard.push(message));
    channel.on('reload', () => failed.push('reload'));
    parley.connect();
    const talk = async () => {
      while (!over) await channel.send('typed').catch((error) => failed.push(String(error)));
    };
    const talking = until(() => parley.state.status === 'live', { timeout: 40_000, message: 'not live' }).then(talk);
    const stop = async () => {
      over = true;
      await talking;
    };
    return { parley, heard, failed, stop };
  }
});

/** Sends over REST, each message once and with a nonce, as fast as the answers come. */
function sender(url: string, token: string, channelId: string, index: number) {
  const seqs: number[] = [];
  const refusals: string[] = [];
  let over = false;
  const send = async () => {
    const response = await fetch(`${url}/api/channels/${channelId}/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ content: `rest ${index}`, nonce: randomUUID() }),
    });
    const text = await response.text();
    if (response.status !== 201) refusals.push(`${response.status} ${text.slice(0, 200)}`);
    else {
      const message: Loose = JSON.parse(text);
      seqs.push(message.seq);
    }
  };
  const running = (async () => {
    while (!over) await send().catch((error) => refusals.push(String(error.cause ?? error)));
  })();
  return {
    stop: async () => {
      over = true;
      await running;
      return { seqs, refusals };
    },
  };
}
