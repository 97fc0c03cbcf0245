// nodes: own

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { makeSocketFolder } from '../../src/node/workers/socket-folder.ts';
import { startRedis, type TestRedis } from '../rig/redis.ts';
import { until } from '../rig/until.ts';
import { Follower, range } from '../world/follower.ts';
import { NodeProcess } from '../world/node-process.ts';
import { request } from '../world/person.ts';
import { type World, worldOn } from '../world/world.ts';
import { codesIn, plain } from './life.ts';

describe('several workers behind one port', () => {
  let dataDir: string;
  let redis: TestRedis;
  let site: NodeProcess;
  let here: World<NodeProcess, unknown>;

  before(async () => {
    dataDir = mkdtempSync(path.join(tmpdir(), 'parley-workers-'));
    redis = await startRedis();
    mkdirSync(temporary());
    const env = {
      ...plain(dataDir),
      TMPDIR: temporary(),
      NEW_ACCOUNT_TIER: 'member',
      REDIS_URL: redis.url,
      WEB_CONCURRENCY: '2',
    };
    site = await NodeProcess.start(env, 60_000);
    await until(() => workers().length === 2, { timeout: 60_000, message: 'no workers' });
    here = await worldOn<NodeProcess, { nodes: NodeProcess[] }>({ nodes: [site] });
  });
  after(async () => {
    here.close();
    await site.kill();
    await redis.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  /** Where this site keeps what it needs only while it runs. */
  const temporary = () => path.join(dataDir, 'tmp');
  const doorFolders = () => readdirSync(temporary()).filter((name) => name.startsWith('parley-workers-'));

  /** The workers that live, by what they logged when they were ready. */
  const workers = (): { pid: number }[] =>
    site.lines
      .filter((line) => line.includes('A worker is ready'))
      .map((line): { pid: number } => JSON.parse(line))
      .filter(({ pid }) => isAlive(pid));

  const followers = (count: number, options: ConstructorParameters<typeof Follower>[1]) =>
    Promise.all(
      range(1, count).map(async () => {
        const client = new Follower({ url: site.url, token: here.bob.token }, options);
        await client.connected(1);
        await client.join(here.channel.id);
        return client;
      }),
    );

  it('start on one embedded PostgreSQL, with one first invite code', () => {
    expect(codesIn(site)).to.have.lengthOf(1);
    expect(site.lines.filter((line) => /embedded PostgreSQL \S+ is running/.test(line))).to.have.lengthOf(1);
  });

  it('serve WebSockets and polling alike, whichever of them a request comes to', async () => {
    const clients = [
      ...(await followers(4, { transports: ['websocket'] })),
      ...(await followers(4, { transports: ['polling'] })),
      ...(await followers(4, { transports: ['polling', 'websocket'] })),
    ];
    const { seq } = await here.alice.say(here.channel.id, 'to all workers');
    for (const client of clients) await client.reach(here.channel.id, seq);
    for (const client of clients) {
      expect(client.connections).to.have.lengthOf(1);
      expect(client.errors).to.deep.equal([]);
      client.close();
    }
  });

  it('go on with a connection whose polling session went with its worker', async () => {
    const body = 'x'.repeat(6_000_000);
    const socket = connect(site.port, '127.0.0.1');
    socket.write(
      `POST /socket.io/?EIO=4&transport=polling&sid=77-gone HTTP/1.1\r\nHost: here\r\nContent-Type: text/plain\r\nContent-Length: ${body.length}\r\n\r\n`,
    );
    socket.write(body);
    socket.write('GET /readyz HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n');
    const statuses = [...(await text(socket)).matchAll(/HTTP\/1\.1 (\d+) /g)].map((match) => match[1]);
    expect(statuses).to.deep.equal(['400', '200']);
  });

  it('show what all of them counted at /metrics', async () => {
    const clients = await followers(6, { transports: ['websocket'] });
    const sockets = async () => {
      const { body } = await request(site, 'GET', '/metrics');
      return Number(/^parley_sockets (\d+)/m.exec(body)?.[1]);
    };
    await until(async () => (await sockets()) === 6, { message: 'not all sockets are counted' });
    for (const client of clients) client.close();
  });

  it('lose nothing when one of them is killed, and get another one in its place', async () => {
    const first = (await here.alice.say(here.channel.id, 'before')).seq;
    const clients = [
      ...(await followers(3, { transports: ['websocket'] })),
      ...(await followers(3, { transports: ['polling'] })),
    ];
    for (const client of clients) comesBack(client, first);
    const [victim] = workers();
    process.kill(victim?.pid ?? 0, 'SIGKILL');
    const sends = range(1, 20).map((i) => said(`while one is gone ${i}`));
    const last = Math.max(...(await Promise.all(sends)));
    await until(() => workers().length === 2, { timeout: 60_000, message: 'no new worker' });
    for (const client of clients) {
      await client.reach(here.channel.id, last, 40_000);
      expect(client.seen(here.channel.id)).to.deep.equal(range(first + 1, last));
      client.close();
    }
  });

  /** A killed worker saved nothing: who was on it says where it was when it is back. */
  function comesBack(client: Follower, first: number): void {
    client.socket.on('connect', () => {
      if (client.socket.recovered) return;
      const last = client.seen(here.channel.id).at(-1) ?? first;
      client.join(here.channel.id, last).catch(() => {});
    });
  }

  /** Sends until it is taken: what was on its way to the worker that died has no answer. */
  async function said(content: string): Promise<number> {
    const nonce = crypto.randomUUID();
    return until(() =>
      here.alice.say(here.channel.id, content, { nonce }).then(
        ({ seq }) => seq,
        () => 0,
      ),
    );
  }

  it('leave nothing behind for good when all are killed at once', async () => {
    const [left] = doorFolders();
    const pids = workers().map(({ pid }) => pid);
    await site.kill();
    await until(() => !pids.some(isAlive), { message: 'workers live without their primary' });
    expect(doorFolders()).to.deep.equal([left]);
    // Nobody is only starting there any more.
    const then = new Date(Date.now() - 3_600_000);
    utimesSync(path.join(temporary(), left ?? ''), then, then);
    await site.start(false);
    await site.ready(60_000);
    await until(() => workers().length === 2, { timeout: 60_000, message: 'no workers' });
    expect(doorFolders()).to.have.lengthOf(1).and.not.include(left);
    // Doors that are open are left alone, however old.
    const [now] = doorFolders();
    utimesSync(path.join(temporary(), now ?? ''), then, then);
    const other = await makeSocketFolder(temporary());
    expect(doorFolders()).to.include(now);
    rmSync(other, { recursive: true });
  });

  it('end all together, in order', async () => {
    const pids = workers().map(({ pid }) => pid);
    const exit = await site.stop();
    expect(exit).to.include({ code: 0 });
    expect(pids.filter(isAlive)).to.deep.equal([]);
    expect(doorFolders()).to.deep.equal([]);
    const unforeseen = site.failures.filter((line) => !line.includes('another one takes its place'));
    expect(unforeseen).to.deep.equal([]);
  });

  it('are not started without a Redis to hear each other over', async () => {
    const alone = await NodeProcess.start({ ...plain(dataDir), WEB_CONCURRENCY: '2' }).catch((error) => String(error));
    expect(alone).to.contain('With WEB_CONCURRENCY=2 nodes hear each other over REDIS_URL; set it, or');
  });
});

function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
