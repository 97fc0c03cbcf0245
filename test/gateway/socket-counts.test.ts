// nodes: own

import { expect } from 'chai';
import type { Node } from '../../src/node/node.ts';
import { startProxy } from '../rig/tcp-proxy.ts';
import { until } from '../rig/until.ts';
import { bot } from '../world/bot.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { type Listener, Person } from '../world/person.ts';
import { register } from '../world/world.ts';

const limits = { socketsPerUser: 2, socketsPerAddress: 3, ipv6SiteFactor: 2 };

describe('the sockets of a person, and of an address', () => {
  let cluster: Cluster;
  let node: Node;
  let count = 0;
  const people: Person[] = [];
  const somewhere = () => `198.51.100.${++count}`;
  const newcomer = async (): Promise<Person> => {
    const person = await register(node, {}, { 'x-forwarded-for': somewhere() });
    people.push(person);
    return person;
  };
  const from = (address: string) => ({ extraHeaders: { 'x-forwarded-for': address }, reconnection: false });
  /** What a socket that is refused is told. */
  const refusalOf = (listener: Listener) =>
    new Promise<{ message: string; data?: object }>((resolve, reject) => {
      listener.socket.once('connect_error', resolve);
      listener.socket.once('connect', () => reject(new Error('It was let in.')));
    });
  const expectRefused = async (listener: Listener) => {
    const { message, data } = await refusalOf(listener);
    expect(message).to.equal('Too many requests');
    expect(data).to.include({ code: 'RATE_LIMITED', retryAfter: 5 });
    listener.close();
  };

  before(async () => {
    const settings = {
      rateLimits: true,
      trustProxy: 1,
      limits,
      sockets: { pingIntervalMs: 300, pingTimeoutMs: 60_000 },
    };
    cluster = await startCluster({ nodes: 1, settings });
    const [first] = cluster.nodes;
    if (!first) throw new Error('no node');
    node = first;
  });
  after(async () => {
    for (const person of people) person.hangUp();
    await cluster.stop();
  });

  it('are so many; one more is refused, those that are there stay, and it may come when one has gone', async () => {
    const person = await newcomer();
    const robot = await bot(person);
    people.push(robot);
    for (const one of [person, robot]) {
      const [first, second] = [await one.connect(from(somewhere())), await one.connect(from(somewhere()))];
      await expectRefused(one.dial(from(somewhere())));
      expect([first.socket.connected, second.socket.connected]).to.deep.equal([true, true]);
      first.close();
      await until(async () => {
        const third = one.dial(from(somewhere()));
        return new Promise<boolean>((resolve) => {
          third.socket.once('connect', () => resolve(true));
          third.socket.once('connect_error', () => resolve(false));
        });
      });
    }
    const metrics = await (await fetch(`${node.url}/metrics`)).text();
    expect(metrics).to.match(/parley_sockets_refused_total\{limit="person"\} [1-9]/);
  });

  it('are counted for an address, whoever they are of, and for a /48 of IPv6 above its /64', async () => {
    const at = somewhere();
    for (let i = 0; i < 3; i++) await (await newcomer()).connect(from(at));
    await expectRefused((await newcomer()).dial(from(at)));
    await expectRefused((await newcomer()).dial(from(`::ffff:${at}`)));
    for (const network of ['1', '2'])
      for (let i = 0; i < 3; i++) await (await newcomer()).connect(from(`2001:db8:5:${network}::${i}`));
    await expectRefused((await newcomer()).dial(from('2001:db8:5:1::9')));
    await expectRefused((await newcomer()).dial(from('2001:db8:5:3::9')));
    await (await newcomer()).connect(from('2001:db8:6:1::9'));
  });

  it('do not keep out a client that is back before its lost connection is noticed', async () => {
    const person = await newcomer();
    await person.connect(from(somewhere()));
    const lost = await person.connect(from(somewhere()));
    const pid: unknown = Reflect.get(lost.socket, '_pid');
    expect(pid).to.be.a('string');
    const back = await person.connect({ ...from(somewhere()), auth: { pid } });
    await until(() => lost.socket.disconnected);
    expect(back.socket.connected).to.equal(true);
    await expectRefused(person.dial(from(somewhere())));
  });

  it('are no more for a client that names one that it has again and again', async () => {
    const person = await newcomer();
    const first = await person.connect(from(somewhere()));
    const pid: unknown = Reflect.get(first.socket, '_pid');
    const naming = () => ({ ...from(somewhere()), auth: { pid } });
    const second = await person.connect(naming());
    await until(() => first.socket.disconnected);
    const third = await person.connect(naming());
    await expectRefused(person.dial(naming()));
    expect([second.socket.connected, third.socket.connected]).to.deep.equal([true, true]);
  });

  it('do not count where they answer pings no more', async () => {
    const person = await newcomer();
    const proxy = await startProxy(node.port);
    const phone = new Person({ url: `http://127.0.0.1:${proxy.port}` }, person);
    for (let i = 0; i < 2; i++) await phone.connect(from(somewhere()));
    await expectRefused(person.dial(from(somewhere())));
    proxy.silence();
    await until(
      async () => {
        const next = person.dial(from(somewhere()));
        const isIn = await new Promise<boolean>((resolve) => {
          next.socket.once('connect', () => resolve(true));
          next.socket.once('connect_error', () => resolve(false));
        });
        return isIn;
      },
      { timeout: 10_000 },
    );
    phone.hangUp();
    await proxy.stop();
  });
});
