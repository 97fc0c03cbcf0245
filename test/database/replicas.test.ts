// nodes: own

import { expect } from 'chai';
import JSZip from 'jszip';
import pino from 'pino';
import { Database } from '../../src/database/database.ts';
import { openDatabaseUrl } from '../../src/database/open.ts';
import { SettingsError } from '../../src/settings/settings.ts';
import { type FaultyPostgres, startPostgres } from '../rig/postgres.ts';
import { type Standby, startStandby } from '../rig/standby.ts';
import { until } from '../rig/until.ts';
import { type Cluster, startCluster, testSettings } from '../world/nodes.ts';
import { type Person, request } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

/** What the nodes say of their replicas, by the names of metrics with their labels: the sum over all nodes. */
async function metricsOf({ nodes }: Pick<Cluster, 'nodes'>): Promise<Map<string, number>> {
  const sums = new Map<string, number>();
  for (const node of nodes) {
    const { body } = await request(node, 'GET', '/metrics');
    for (const [, name = '', value] of String(body).matchAll(/^parley_replica_(\S+) (\S+)$/gm)) {
      sums.set(name, (sums.get(name) ?? 0) + Number(value));
    }
  }
  return sums;
}

const nameOf = (server: { url: string }) => new URL(server.url).host;

describe('replicas', () => {
  let primary: FaultyPostgres;
  let one: Standby;
  let two: Standby;
  let cluster: Cluster;
  let here: World;
  before(async () => {
    primary = await startPostgres();
    [one, two] = [await startStandby(primary), await startStandby(primary)];
    const settings = { databaseReplicaUrls: [one.url, two.url] };
    cluster = await startCluster({ nodes: 2, databaseUrl: primary.url, settings });
    here = await world(cluster);
  });
  after(async () => {
    here.close();
    await cluster.stop();
    for (const server of [one, two, primary]) await server.stop();
  });
  beforeEach(() => inUse(one, two));

  /** Waits until exactly these are read from, by both nodes. */
  async function inUse(...servers: Standby[]): Promise<void> {
    await until(
      async () => {
        const metrics = await metricsOf(cluster);
        return [one, two].every(
          (server) => metrics.get(`in_use{replica="${nameOf(server)}"}`) === (servers.includes(server) ? 2 : 0),
        );
      },
      { message: `Not just ${servers.length} replicas are read from` },
    );
  }

  /** How many reads a replica, or any, answered meanwhile, and how many the primary did in its place. */
  async function counted(work: () => Promise<unknown>): Promise<{ one: number; two: number; fallbacks: number }> {
    const before = await metricsOf(cluster);
    await work();
    const after = await metricsOf(cluster);
    const more = (prefix: string) => {
      const sum = (metrics: Map<string, number>) =>
        [...metrics].reduce((all, [name, value]) => all + (name.startsWith(prefix) ? value : 0), 0);
      return sum(after) - sum(before);
    };
    const reads = (server: Standby) => more(`reads_total{replica="${nameOf(server)}"}`);
    return { one: reads(one), two: reads(two), fallbacks: more('fallbacks_total') };
  }

  /** The contents of a page that is not cached: no other has the same limit and cursor. */
  let asked = 0;
  async function page(who: Person, channelId: string): Promise<string[]> {
    const cursor = `2100-01-01T00:00:00.${String(asked++ % 1000).padStart(3, '0')}Z`;
    const { status, body } = await who.get(`/api/channels/${channelId}/messages?limit=50&cursor=${cursor}`);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body.messages.map(({ content }: { content: string }) => content);
  }

  it('answer pages, searches, lists and files, by turns', async () => {
    const { alice, bob, server, channel } = here;
    const base = `/api/servers/${server.id}/workspace`;
    const sent = await alice.say(channel.id, 'something to be found');
    const thread = (await alice.post(`/api/messages/${sent.id}/thread`, {})).body;
    const bytes = Buffer.alloc(300_000, 'bytes of a file ');
    const upload = await alice.upload('file.bin', bytes);
    await alice.say(channel.id, '', { attachments: [{ id: upload.id }] });
    await alice.post(`${base}/files`, { name: 'a.txt', content: 'text of a file' });
    const raw = async (path: string) =>
      Buffer.from(
        await (
          await fetch(`${bob.node.url}${path}`, { headers: { authorization: `Bearer ${bob.token}` } })
        ).arrayBuffer(),
      );
    const reads: [what: string, atLeast: number, read: () => Promise<unknown>][] = [
      ['a page', 1, () => page(bob, channel.id)],
      ['messages around one', 1, () => bob.get(`/api/channels/${channel.id}/messages/around/${sent.id}`)],
      ['messages of a thread', 1, () => bob.get(`/api/threads/${thread.id}/messages`)],
      ['threads', 1, () => bob.get(`/api/channels/${channel.id}/threads`)],
      ['a search', 1, () => bob.get('/api/search/messages?query=found')],
      ['members', 1, () => bob.get(`/api/servers/${server.id}/members`)],
      ['channels', 1, () => bob.get(`/api/servers/${server.id}/channels`)],
      ['a tree', 1, () => bob.get(`${base}/tree`)],
      ['a file', 10, async () => expect((await raw(`/api/media/${upload.id}`)).equals(bytes)).to.equal(true)],
      [
        'an archive',
        2,
        async () => {
          const zip = await JSZip.loadAsync(await raw(`${base}/download`));
          expect(await zip.file('a.txt')?.async('string')).to.equal('text of a file');
        },
      ],
    ];
    const all = { one: 0, two: 0 };
    for (const [what, atLeast, read] of reads) {
      // A replica that has fallen behind on a busy machine is left out for a moment.
      const isRead = async () => {
        const answered = await counted(read);
        all.one += answered.one;
        all.two += answered.two;
        return answered.one + answered.two >= atLeast;
      };
      await until(isRead, { message: `No replica answers ${what}` });
    }
    expect(all.one).to.be.above(3);
    expect(all.two).to.be.above(3);
    // The servers themselves have read something.
    const scans = "SELECT sum(idx_scan + seq_scan)::int AS scans FROM pg_stat_user_tables WHERE relname = 'messages'";
    for (const standby of [one, two]) {
      await until(async () => {
        await page(bob, channel.id);
        return ((await query<{ scans: number }>(standby.url, scans))[0]?.scans ?? 0) > 0;
      });
    }
  });

  it('show whatever was answered before, on any node, however late they are', async () => {
    const { alice, bob } = here;
    const people = [alice, bob, alice.on(bob.node), bob.on(alice.node)];
    for (const [ms, isRead] of [[4, true] as const, [60, false] as const]) {
      for (const standby of [one, two]) {
        await standby.ask(`ALTER SYSTEM SET recovery_min_apply_delay = ${ms}`);
        await standby.ask('SELECT pg_reload_conf()');
      }
      const channelId = await here.newChannel();
      const talk = async () => {
        for (let round = 0; round < 12; round++) {
          const [writer = alice, reader = bob] = [people[round % 4], people[(round * 3 + 1) % 4]];
          const kept = await writer.say(channelId, `kept ${round}`);
          const gone = await writer.say(channelId, `gone ${round}`);
          expect((await page(reader, channelId)).slice(0, 2)).to.deep.equal([`gone ${round}`, `kept ${round}`]);
          expect((await writer.delete(`/api/messages/${gone.id}`)).status).to.equal(200);
          await writer.patch(`/api/messages/${kept.id}`, { content: `edited ${round}` });
          const seen = await page(reader, channelId);
          expect(seen[0]).to.equal(`edited ${round}`);
          expect(seen.join()).not.to.contain('gone').and.not.to.contain('kept');
        }
      };
      const { fallbacks, ...answered } = await counted(talk);
      if (!isRead) expect(fallbacks).to.be.above(0);
      else if (answered.one + answered.two === 0) {
        // A busy machine may have left both out for a while.
        const isAnswered = async () => {
          const again = await counted(talk);
          return again.one + again.two > 0;
        };
        await until(isAnswered, { timeout: 60_000, message: `No replica answers within ${ms} ms` });
      }
    }
    for (const standby of [one, two]) {
      await standby.ask('ALTER SYSTEM RESET recovery_min_apply_delay');
      await standby.ask('SELECT pg_reload_conf()');
    }
  });

  it('are not read from while they stand still, and make no node unready', async () => {
    const { alice, bob, channel, server } = here;
    const kicked = await alice.say(channel.id, 'before');
    await page(bob, channel.id);
    for (const standby of [one, two]) await standby.ask('SELECT pg_wal_replay_pause()');
    await alice.delete(`/api/messages/${kicked.id}`);
    await alice.say(channel.id, 'after');
    const answered = await counted(async () => {
      expect((await page(bob, channel.id))[0]).to.equal('after');
      const bytes = Buffer.alloc(100_000, 'new');
      const { id } = await bob.upload('new.bin', bytes);
      const response = await fetch(`${bob.node.url}/api/media/${id}`, {
        headers: { authorization: `Bearer ${bob.token}` },
      });
      expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).to.equal(true);
      const found = await bob.get(`/api/search/messages?query=before&serverId=${server.id}`);
      expect(JSON.stringify(found.body)).not.to.contain(kicked.id);
    });
    expect(answered.fallbacks).to.be.above(0);
    await inUse();
    expect((await metricsOf(cluster)).get(`lag_bytes{replica="${nameOf(one)}"}`)).to.be.above(0);
    for (const node of cluster.nodes) expect((await request(node, 'GET', '/readyz')).status).to.equal(200);
    await one.ask('SELECT pg_wal_replay_resume()');
    await inUse(one);
    await until(async () => (await counted(() => page(bob, channel.id))).one > 0);
    await two.ask('SELECT pg_wal_replay_resume()');
  });

  for (const [how, end, begin] of [
    ['die', () => one.kill(), () => one.restart()],
    ['hang', async () => one.pause(), async () => one.resume()],
  ] as const) {
    it(`that ${how} cost nobody an answer, and are read from again afterwards`, async () => {
      const { alice, bob, channel } = here;
      const bytes = Buffer.alloc(3_000_000, 'bytes of a large file ');
      const upload = await alice.upload(`${how}.bin`, bytes);
      let isOver = false;
      const reading = Promise.all(
        Array.from({ length: 6 }, async (_, index) => {
          for (; !isOver; ) await page(index % 2 ? alice : bob, channel.id);
        }),
      );
      reading.catch(() => {});
      try {
        const response = await fetch(`${alice.node.url}/api/media/${upload.id}`, {
          headers: { authorization: `Bearer ${alice.token}` },
        });
        const reader = response.body?.getReader();
        const first = (await reader?.read())?.value ?? new Uint8Array();
        await end();
        const pieces = [first];
        for (let piece = await reader?.read(); piece?.value; piece = await reader?.read()) pieces.push(piece.value);
        expect(Buffer.concat(pieces).equals(bytes)).to.equal(true);
        await inUse(two);
      } finally {
        isOver = true;
        await begin();
      }
      await reading;
      await inUse(one, two);
      await until(async () => (await counted(() => page(bob, channel.id))).one > 0);
    });
  }

  /** A database with replicas, and what it logs. */
  async function connect(url: string, ...replicas: string[]) {
    const lines: string[] = [];
    const settings = { ...testSettings(url, null), databaseReplicaUrls: replicas };
    const database = await Database.connect(
      url,
      settings,
      pino({ level: 'info' }, { write: (line) => lines.push(line) }),
      true,
    );
    const whereRead = () => database.readCurrent(({ rows }) => rows<{ standby: boolean }>(standbyNow));
    return { database, lines, isReadThere: async () => (await whereRead())[0]?.standby === true };
  }
  const standbyNow = 'SELECT pg_is_in_recovery() AS standby';

  it('that end a statement, since it stands in the way of replaying, leave it to the primary', async () => {
    await query(primary.url, 'CREATE TABLE IF NOT EXISTS in_the_way AS SELECT 1');
    const { database, isReadThere } = await connect(primary.url, one.url);
    await until(isReadThere);
    const places: boolean[] = [];
    const read = () =>
      database.readCurrent((reader) =>
        reader.transaction(async ({ rows }) => {
          const [row] = await rows<{ standby: boolean }>(`${standbyNow} FROM in_the_way`);
          places.push(row?.standby ?? false);
          if (row?.standby) await rows('SELECT pg_sleep(20)');
          return places;
        }),
      );
    let reading = read();
    // One that is behind at that moment leaves it to the primary.
    await until(async () => {
      if (places[0] !== false) return places[0];
      await reading;
      places.length = 0;
      reading = read();
      return false;
    });
    await query(primary.url, 'TRUNCATE in_the_way');
    await query(primary.url, 'INSERT INTO in_the_way VALUES (2)');
    expect(await reading).to.deep.equal([true, false]);
    expect(database.replicas?.fallbacks.failed).to.equal(1);
    await until(isReadThere);
    await database.close();
  });

  it('are not read from within a transaction, whose own changes they cannot have', async () => {
    const { database, isReadThere } = await connect(primary.url, one.url);
    await until(isReadThere);
    expect(await database.transaction(() => isReadThere())).to.equal(false);
    await database.close();
  });

  it('that are down, or none at all, are named in the log without their secrets', async () => {
    const nowhere = new URL(one.url);
    nowhere.port = '1';
    const other = new URL(one.url);
    other.pathname = '/postgres';
    const { database, lines, isReadThere } = await connect(primary.url, nowhere.href, primary.url, other.href);
    const reasons = () => lines.flatMap((line): string[] => JSON.parse(line).reason ?? []);
    await until(() => reasons().length >= 3);
    expect(reasons().join('\n')).to.contain('ECONNREFUSED').and.contain('takes writes').and.contain('another database');
    expect(await isReadThere()).to.equal(false);
    expect(lines.join('')).not.to.contain(nowhere.password);
    await database.close();
  });

  it('with a certificate that is not there stop the start with a sentence', async () => {
    const replica = `${one.url}?sslrootcert=/nowhere/ca.pem`;
    const settings = { ...testSettings(primary.url, null), databaseReplicaUrls: [replica] };
    const failure = await openDatabaseUrl(settings, pino({ level: 'silent' })).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(SettingsError).with.property('message').that.contains('/nowhere/ca.pem');
    expect(String(failure)).to.contain('DATABASE_REPLICA_URLS').and.not.contain(new URL(one.url).password);
  });

  it('that are promoted are not read from, nor are those that do not follow them', async () => {
    const { alice, bob, channel } = here;
    await two.ask('SELECT pg_promote(true)');
    await alice.say(channel.id, 'after the promotion');
    expect((await page(bob, channel.id))[0]).to.equal('after the promotion');
    await inUse(one);
    // Far ahead of the promoted one, on another history.
    await query(primary.url, "SELECT pg_logical_emit_message(false, 'parley', repeat('x', 1000000))");
    const { database, lines, isReadThere } = await connect(two.url, one.url);
    await until(() => lines.some((line) => line.includes('failover')));
    for (let i = 0; i < 5; i++) expect(await isReadThere()).to.equal(false);
    await database.close();
  });
});
