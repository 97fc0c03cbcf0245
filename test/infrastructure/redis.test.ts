// nodes: own

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import pino from 'pino';
import { RedisPresenceStore } from '../../src/features/presence/redis-store.ts';
import { RedisConnections } from '../../src/infrastructure/redis.ts';
import { sharedRedis, startRedis } from '../rig/redis.ts';
import { startProxy } from '../rig/tcp-proxy.ts';
import { until } from '../rig/until.ts';
import { botIn } from '../world/bot.ts';
import { keptLog } from '../world/kept-log.ts';
import { startCluster, testSettings } from '../world/nodes.ts';
import { world } from '../world/world.ts';

describe('the connections to Redis', () => {
  it('are closed without a word: a node that ends has not lost its Redis', async () => {
    const { log, messages } = keptLog();
    const redis = new RedisConnections({ url: await sharedRedis(), cluster: false, prefix: 'parley' }, log);
    expect(await redis.waitUntilHealthy(10_000)).to.equal(true);
    const ended = [redis.commands, redis.subscriber].map((client) => once(client, 'end'));
    await redis.close();
    await Promise.all(ended);
    expect(messages).to.deep.equal(['Redis is reachable.']);
  });

  it('are made anew when the other end has gone without a word', async () => {
    const url = new URL(await sharedRedis());
    const proxy = await startProxy(Number(url.port));
    const { log, messages } = keptLog();
    const place = { url: `redis://127.0.0.1:${proxy.port}`, cluster: false, prefix: 'gone' };
    const redis = new RedisConnections(place, log);
    const operator = new Redis(url.href);
    const heard: string[] = [];
    redis.onMessage((channel) => heard.push(channel));
    redis.adapterSubscriber.on('message', (channel: string) => heard.push(channel));
    await redis.waitUntilHealthy(10_000);
    await Promise.all([redis.subscribe('gone:orders'), redis.adapterSubscriber.subscribe('gone:adapter')]);
    proxy.silence();
    await until(() => messages.length === 3 && redis.healthy, { timeout: 30_000 });
    await until(
      async () => {
        const channels = ['gone:orders', 'gone:adapter'];
        for (const channel of channels) await operator.publish(channel, '');
        return channels.every((channel) => heard.includes(channel));
      },
      { timeout: 30_000 },
    );
    await redis.close();
    operator.disconnect();
    await proxy.stop();
    expect(messages[2]).to.equal('Redis is reachable.');
  });

  it('need no more rights than the documents name', async () => {
    const own = await startRedis();
    const operator = new Redis(own.url);
    const guide = readFileSync(path.resolve(import.meta.dirname, '../../docs/deploying.md'), 'utf8');
    const rule = /^ +ACL (SETUSER parley .*)$/m.exec(guide)?.[1] ?? '';
    await operator.call('ACL', rule.split(' '));
    const redisUrl = `redis://parley:secret@127.0.0.1:${own.port}`;
    const cluster = await startCluster({ nodes: 2, redisUrl });
    const here = await world(cluster);
    const { alice, bob, channel } = here;
    const [ear, mouth] = [await bob.listen(channel.id), await alice.listen(channel.id)];
    await until(async () => {
      // What is stale at once may be left out where a connection is busy.
      await mouth.emit('message:typing', { channelId: channel.id, typing: true });
      return ear.all('message:typing').length > 0;
    });
    await alice.say(channel.id, 'hello');
    await ear.next('message:new');
    expect(await operator.call('ACL', 'LOG')).to.deep.equal([]);
    here.close();
    await cluster.stop();
    operator.disconnect();
    await own.stop();
  });

  it('say why there is no Redis, and what it refuses', async () => {
    const own = await startRedis();
    const operator = new Redis(own.url);
    await operator.call('ACL', 'SETUSER', 'held', 'on', '>secret', '~*', '&parley:*', '+@all');
    const seen: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line) => void seen.push(line) });
    const says = async (login: string, what: RegExp) => {
      const url = `redis://${login}@127.0.0.1:${own.port}`;
      const redis = new RedisConnections({ url, cluster: false, prefix: 'parley' }, log);
      await redis.waitUntilHealthy(1000);
      void redis.adapterSubscriber.psubscribe('parley:socket.io#/#*');
      await until(() => seen.some((line) => what.test(line)), { message: `it only says: ${seen.join()}` });
      await redis.close();
    };
    await says('held:secret', /NOPERM.*Redis refuses what a node needs/);
    await says('held:wrong', /WRONGPASS.*Redis is not there yet/);
    operator.disconnect();
    await own.stop();
  });

  it('say why a Redis that answers is of no use, and that it takes nothing any more though it can be spoken to', async () => {
    const own = await startRedis();
    const operator = new Redis(own.url);
    await operator.call('ACL', 'SETUSER', 'held', 'on', '>secret', '~*', '&*', '+@all', '-ping');
    const seen: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line) => void seen.push(line) });
    const says = (what: RegExp) =>
      until(() => seen.some((line) => what.test(line)), { message: `it only says: ${seen.join()}` });
    const place = { cluster: false, prefix: 'parley' };
    const held = new RedisConnections({ ...place, url: `redis://held:secret@127.0.0.1:${own.port}` }, log);
    await held.waitUntilHealthy(2000);
    await says(/NOPERM.*'ping' command.*Redis is not there yet/);
    await held.close();
    const redis = new RedisConnections({ ...place, url: own.url }, log);
    expect(await redis.waitUntilHealthy(10_000)).to.equal(true);
    // As with a full disk, and on a server that has become a replica.
    await operator.config('SET', 'min-replicas-to-write', '1');
    const { presence } = testSettings('postgres://127.0.0.1/none', own.url);
    const store = new RedisPresenceStore(redis, 'a-node', presence, log);
    store.start({ forgotten() {}, emptied() {}, missed() {} });
    await says(/NOREPLICAS.*Redis refuses what a node needs/);
    await until(() => !redis.healthy);
    expect(redis.problem).to.equal('Redis takes no writes.');
    await operator.config('SET', 'min-replicas-to-write', '0');
    await until(() => redis.healthy);
    await store.retire();
    await redis.close();
    operator.disconnect();
    await own.stop();
  });

  it('fill no log when they are cut again and again', async () => {
    const own = await startRedis();
    const operator = new Redis(own.url);
    const { log, messages } = keptLog();
    const redis = new RedisConnections({ url: own.url, cluster: false, prefix: 'parley' }, log);
    await redis.waitUntilHealthy(10_000);
    await redis.subscribe('parley:orders');
    let losses = 0;
    redis.onHealth((healthy) => {
      losses += healthy ? 0 : 1;
    });
    await until(async () => {
      if (redis.healthy) await operator.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
      return losses >= 10;
    });
    expect(messages.length).to.be.below(10);
    await redis.close();
    operator.disconnect();
    await own.stop();
  });

  it('are not there where Redis does not have the database that is asked for, rather than with another one', async () => {
    const own = await startRedis();
    const operator = new Redis(own.url);
    const seen: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line) => void seen.push(line) });
    const redis = new RedisConnections({ url: `${own.url}/99`, cluster: false, prefix: 'parley' }, log);
    void redis.subscribe('parley:orders');
    await until(() => seen.some((line) => /DB index.*Redis refuses what a node needs/.test(line)));
    expect(await redis.waitUntilHealthy(1500)).to.equal(false);
    expect(await operator.pubsub('CHANNELS')).to.deep.equal([]);
    await redis.close();
    operator.disconnect();
    await own.stop();
  });

  it('name all that is kept and said there after their deployment, so that several may use one Redis', async () => {
    const own = await startRedis();
    const client = new Redis(own.url);
    // ioredis fails where a command is reported in the moment in which it begins to watch: its own first ones are over.
    await client.ping();
    const watcher = await client.monitor();
    const names = new Set<string>();
    watcher.on('monitor', (_time: string, command: string[]) => {
      for (const name of namesIn(command)) names.add(name);
    });
    const cluster = await startCluster({
      nodes: 2,
      redisUrl: own.url,
      settings: { redisPrefix: 'staging', rateLimits: true },
    });
    const here = await world(cluster);
    const { alice, bob, channel, server } = here;
    const [ear, helper] = [await bob.listen(channel.id), await botIn(server, alice)];
    const voice = await helper.listen(channel.id);
    voice.socket.emit('message:stream', { channelId: channel.id, streamId: 'one', delta: 'He' });
    await ear.next('message:stream');
    await alice.say(channel.id, 'hello');
    await ear.next('message:new');
    ear.socket.io.engine.close();
    await until(() => [...names].some((name) => name.includes(':recovery:')), { message: 'nothing was saved' });
    await alice.delete(`/api/servers/${server.id}/members/${bob.id}`);
    const kinds = ['control', 'reply', 'room', 'presence', 'limit', 'streams', 'recovery', 'socket.io'];
    for (const kind of kinds) expect([...names].join(' ')).to.contain(`staging:${kind}`);
    expect([...names].filter((name) => !/^\{?staging:/.test(name))).to.deep.equal([]);
    here.close();
    helper.hangUp();
    await cluster.stop();
    for (const connection of [watcher, client]) connection.disconnect();
    await own.stop();
  });
});

const nameless = new Set([
  'ping',
  'info',
  'client',
  'hello',
  'select',
  'script',
  'monitor',
  'time',
  'multi',
  'exec',
  'quit',
]);

/** The keys and channels in a command. */
function namesIn([command = '', ...rest]: string[]): string[] {
  const name = command.toLowerCase();
  if (nameless.has(name)) return [];
  if (name.startsWith('eval')) return rest.slice(2, 2 + Number(rest[1]));
  return /subscribe|^del$/.test(name) ? rest : rest.slice(0, 1);
}
