// nodes: own

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { mistakesIn, planFor } from '../rig/plan.ts';
import { createDatabase, startPostgres } from '../rig/postgres.ts';
import { startRedis } from '../rig/redis.ts';
import { startProxy, type TcpProxy } from '../rig/tcp-proxy.ts';
import { until } from '../rig/until.ts';
import { query } from '../world/sql.ts';

describe('the test rig', () => {
  describe('the plan', () => {
    it('has each file in its runs, and none twice', () => {
      const { runs, mistakes } = planFor([], true);
      expect(mistakes).to.deep.equal([]);
      const filesOf = (name: string) => runs.flatMap((run) => (run.name === name ? run.args : []));
      const once = [...filesOf('two nodes'), ...filesOf('own nodes')];
      expect(once.sort()).to.deep.equal(globSync('test/**/*.test.ts').sort());
      const [onOne, onTwo] = [filesOf('one node'), filesOf('two nodes')];
      expect(onTwo).to.include.members(onOne);
      expect(onOne).to.include('test/messages/talk.test.ts');
      expect(onTwo).to.not.include('test/faults/rig.test.ts');
      expect(new Set(onOne).size).to.equal(onOne.length);
    });

    it('leaves out what is for long runs alone, unless it is named', () => {
      const file = 'test/faults/transfer-size.test.ts';
      const files = (args: string[], isAll: boolean) => planFor(args, isAll).runs.flatMap((run) => run.args);
      expect(files([], false)).to.not.include(file);
      expect(files([], false)).to.include('test/faults/rig.test.ts');
      expect(files([], true)).to.include(file);
      expect(files([file], false)).to.deep.equal([file]);
    });

    it('is for named files, those of folders and of patterns, and passes on what else is said', () => {
      const args = ['test/faults/rig.test.ts', 'test/apps', 'test/messages/t*', '-g', 'see each other'];
      const { runs, isWhole } = planFor(args);
      expect(isWhole).to.equal(false);
      expect(runs.map(({ name, nodes }) => `${name}: ${nodes}`)).to.have.members([
        ...['two nodes: 2', 'own nodes: 1', 'own nodes: 1', 'one node: 1'],
      ]);
      for (const run of runs) expect(run.args).to.include.members(['-g', 'see each other']);
      const files = runs.flatMap((run) => run.args.filter((arg) => arg.endsWith('.test.ts')));
      expect(files).to.include.members([args[0], 'test/apps/proxy.test.ts', 'test/messages/talk.test.ts']);
      expect(files).to.not.include('test/messages/paging.test.ts');
    });

    it('is not made with a tag that is none', () => {
      const rest = "\nimport { expect } from 'chai';\n// nodes: later\n";
      for (const known of ['', '// nodes: own\n', '// nodes: one and two\n', '// nodes: own\n// long\n'])
        expect(mistakesIn('a.test.ts', known + rest), known).to.deep.equal([]);
      for (const unknown of ['nodes: three', 'Nodes: own', 'longer'])
        expect(mistakesIn('a.test.ts', `// ${unknown}\n${rest}`).join(), unknown).to.match(
          new RegExp(`^a\\.test\\.ts begins with "// ${unknown}", which is no tag; these are: "// nodes: own"`),
        );
    });
  });

  describe('databases', () => {
    it('are copies of a template that is prepared once', async () => {
      let prepared = 0;
      const prepare = async (url: string) => {
        prepared++;
        await query(url, 'CREATE TABLE room AS SELECT 7 AS number');
      };
      const databases = await Promise.all([createDatabase(prepare), createDatabase(prepare), createDatabase()]);
      const [first, second, empty] = databases;
      await query(first.url, 'UPDATE room SET number = 8');
      expect(await query(second.url, 'SELECT number FROM room')).to.deep.equal([{ number: 7 }]);
      expect(await query(empty.url, "SELECT to_regclass('room') AS room")).to.deep.equal([{ room: null }]);
      expect(prepared).to.equal(1);
      for (const database of databases) await database.drop();
      expect(await query(first.url, 'SELECT 1').catch((error: unknown) => error)).to.have.property('code', '3D000');
    });
  });

  describe('a private PostgreSQL', () => {
    it('dies, comes back on the same port with its data, hangs and goes on', async () => {
      const postgres = await startPostgres();
      await query(postgres.url, 'CREATE TABLE kept AS SELECT 1 AS one');
      await postgres.kill();
      expect(await query(postgres.url, 'SELECT 1').catch((error: unknown) => error)).to.be.instanceOf(Error);
      await postgres.restart();
      expect(await query(postgres.url, 'SELECT one FROM kept')).to.deep.equal([{ one: 1 }]);
      postgres.pause();
      const answer = query(postgres.url, 'SELECT one FROM kept');
      expect(await Promise.race([answer, delay(100, 'silence')])).to.equal('silence');
      postgres.resume();
      expect(await answer).to.deep.equal([{ one: 1 }]);
      await postgres.stop();
    });
  });

  describe('a Redis', () => {
    it('dies, comes back on the same port, hangs and goes on', async () => {
      const redis = await startRedis();
      const client = new Redis(redis.url, { retryStrategy: () => 20, maxRetriesPerRequest: null });
      client.on('error', () => {});
      await client.set('key', 'value');
      await redis.kill();
      await redis.restart();
      expect(await client.get('key')).to.equal(null);
      redis.pause();
      const answer = client.ping();
      expect(await Promise.race([answer, delay(100, 'silence')])).to.equal('silence');
      redis.resume();
      expect(await answer).to.equal('PONG');
      client.disconnect();
      await redis.stop();
    });
  });

  describe('a proxy', () => {
    let echo: Server;
    let proxy: TcpProxy;
    let client: Socket;
    let received: Buffer;

    const dial = async () => {
      const socket = connect(proxy.port, '127.0.0.1');
      socket.on('error', () => {});
      received = Buffer.alloc(0);
      socket.on('data', (bytes) => {
        received = Buffer.concat([received, Buffer.from(bytes)]);
      });
      await once(socket, 'connect');
      return socket;
    };

    beforeEach(async () => {
      echo = createServer({ allowHalfOpen: true }, (socket) => socket.on('error', () => {}).pipe(socket));
      echo.listen(0, '127.0.0.1');
      await once(echo, 'listening');
      const address: AddressInfo | string | null = echo.address();
      proxy = await startProxy(typeof address === 'object' ? (address?.port ?? 0) : 0);
      client = await dial();
    });

    afterEach(async () => {
      client.destroy();
      await proxy.stop();
      echo.close();
    });

    it('passes megabytes and the end of a stream', async () => {
      const sent = randomBytes(5_000_000);
      client.end(sent);
      await once(client, 'close');
      expect(received.equals(sent)).to.equal(true);
    });

    it('holds bytes while connections stay open, and passes them on later', async () => {
      proxy.hold();
      client.write('held');
      await delay(50);
      expect(received.length).to.equal(0);
      expect(client.destroyed).to.equal(false);
      proxy.release();
      await until(() => received.toString() === 'held');
    });

    it('hides even the end of a connection while it holds', async () => {
      const second = await dial();
      await until(async () => (await connections(echo)) === 2);
      proxy.hold();
      second.destroy();
      await delay(50);
      expect(await connections(echo)).to.equal(2);
      proxy.release();
      await until(async () => (await connections(echo)) === 1);
    });

    it('cuts all connections, and refuses new ones when told', async () => {
      proxy.cut();
      await until(() => client.destroyed);
      proxy.refuse(true);
      const refused = connect(proxy.port, '127.0.0.1').on('error', () => {});
      await until(() => refused.destroyed);
      proxy.refuse(false);
      client = await dial();
      client.write('again');
      await until(() => received.toString() === 'again');
    });

    it('delays by a random time and keeps the order', async () => {
      proxy.jitter(5, 30);
      const words = Array.from({ length: 40 }, (_, index) => `${index} `);
      const begun = Date.now();
      for (const word of words) {
        client.write(word);
        await delay(1);
      }
      await until(() => received.toString() === words.join(''));
      expect(Date.now() - begun).to.be.at.least(10);
    });
  });
});

function connections(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });
}
