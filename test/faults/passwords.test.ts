// nodes: own
// alone

import { expect } from 'chai';
import pg from 'pg';
import { AppError } from '../../src/contract/errors.ts';
import { Passwords, saltIn } from '../../src/features/accounts/passwords.ts';
import { until } from '../rig/until.ts';
import { startCluster } from '../world/nodes.ts';
import { request } from '../world/person.ts';
import { register } from '../world/world.ts';

const settings = { memoryKib: 8192, timeCost: 2, parallelism: 1, concurrency: 2, queue: 6 };

describe('passwords', () => {
  it('are hashed two at a time, the rest waits, and beyond the queue it is refused', async () => {
    const passwords = new Passwords(settings);
    const before = process.memoryUsage().rss;
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, process.memoryUsage().rss - before);
    }, 1);
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => passwords.hash('correct horse')));
    clearInterval(watch);
    const done = results.filter((result) => result.status === 'fulfilled');
    expect(done).to.have.lengthOf(settings.concurrency + settings.queue);
    for (const result of results) {
      if (result.status === 'rejected')
        expect(result.reason).to.be.instanceOf(AppError).and.include({ code: 'SERVER_BUSY' });
    }
    // Two at a time take 16 MiB; all twenty would take 160.
    expect(most).to.be.below(80 * 1024 * 1024);
    expect(await passwords.matchesOf('correct horse', [await passwords.hash('correct horse')])).to.deep.equal([true]);
  });

  it('take the same work for someone, for nobody, for who has none, and for all of one address', async () => {
    const passwords = new Passwords({ ...settings, memoryKib: 19_456, queue: 200 });
    const hash = await passwords.hash('correct horse');
    const alike = await Promise.all([1, 2, 3, 4].map((i) => passwords.hash(`horse ${i}`, saltIn(hash))));
    expect(await passwords.matchesOf('horse 3', [null, ...alike])).to.deep.equal([false, false, false, true, false]);
    const cpu = async (...against: (string | null)[]) => {
      const start = process.cpuUsage();
      for (let i = 0; i < 5; i++) expect(await passwords.matchesOf('wrong horse', against)).not.to.include(true);
      const { user, system } = process.cpuUsage(start);
      return user + system;
    };
    await cpu(hash);
    // By turns, and the least of each: whatever else this process does only adds.
    const [known, nobody, several]: [number[], number[], number[]] = [[], [], []];
    for (let round = 0; round < 3; round++) {
      known.push(await cpu(hash));
      nobody.push(await cpu(null));
      several.push(await cpu(hash, ...alike, null));
    }
    for (const other of [nobody, several]) expect(Math.min(...other) / Math.min(...known)).to.be.within(0.5, 2);
  });
});

describe('two hundred logins at once', () => {
  it('all come through, and other requests do not wait for them', async () => {
    const password = { ...settings, queue: 200 };
    const cluster = await startCluster({ nodes: 1, settings: { accounts: { password } } });
    try {
      const [node] = cluster.nodes;
      if (!node) throw new Error('no node');
      const person = await register(node);
      const login = () =>
        request(node, 'POST', '/api/auth/login', { email: person.username, password: 'correct horse' });
      let pending = 200;
      const begun = performance.now();
      const logins = Array.from({ length: 200 }, () => login().finally(() => pending--));
      const waits: number[] = [];
      while (pending > 0) {
        const started = performance.now();
        expect((await person.get('/api/auth/me')).status).to.equal(200);
        waits.push(performance.now() - started);
      }
      const took = performance.now() - begun;
      const statuses = (await Promise.all(logins)).map((answer) => answer.status);
      expect(new Set(statuses)).to.deep.equal(new Set([200]));
      waits.sort((a, b) => a - b);
      // Whoever waited for them would wait for all that are before.
      expect(waits.at(Math.floor(waits.length * 0.9))).to.be.below(took / 4);
    } finally {
      await cluster.stop();
    }
  });
});

describe('a password that was hashed with less work than the settings ask for', () => {
  it('is hashed anew at the next login', async () => {
    const cluster = await startCluster({ nodes: 1 });
    const client = new pg.Client(cluster.databaseUrl);
    try {
      await client.connect();
      const [node] = cluster.nodes;
      if (!node) throw new Error('no node');
      const person = await register(node);
      const weak = await new Passwords({ ...settings, memoryKib: 512, timeCost: 2 }).hash('correct horse');
      await client.query('UPDATE users SET password_hash = $2 WHERE id = $1', [person.id, weak]);
      const login = { email: person.username, password: 'correct horse' };
      expect((await request(node, 'POST', '/api/auth/login', login)).status).to.equal(200);
      await until(async () => {
        const { rows } = await client.query('SELECT password_hash AS hash FROM users WHERE id = $1', [person.id]);
        return rows[0].hash.includes('m=1024,') && rows[0].hash !== weak;
      });
      expect((await request(node, 'POST', '/api/auth/login', login)).status).to.equal(200);
    } finally {
      await client.end();
      await cluster.stop();
    }
  });
});
