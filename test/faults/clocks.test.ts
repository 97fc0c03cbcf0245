// nodes: own

import path from 'node:path';
import { expect } from 'chai';
import { sharedRedis } from '../rig/redis.ts';
import { until } from '../rig/until.ts';
import { type Installation, install } from '../world/installation.ts';
import { type Loose, request } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { register } from '../world/world.ts';

const hour = 3_600_000;
const shifted = path.resolve(import.meta.dirname, '../rig/shifted-clock.mjs');

for (const [name, byMs] of [
  ['behind', -hour],
  ['ahead', hour],
] as const)
  describe(`two nodes, the clock of one of them an hour ${name}`, () => {
    let site: Installation;
    /** The two of them, in either order. */
    const directions = [
      [0, 1],
      [1, 0],
    ] as const;
    const node = (index: number) => site.nodes[index] ?? site.here.alice.node;

    before(async () => {
      const wrong = { NODE_OPTIONS: `--import=${shifted}`, PARLEY_TEST_CLOCK: String(byMs) };
      site = await install({
        nodes: 2,
        redisUrl: await sharedRedis(),
        env: { REDIS_PREFIX: `clock-${name}` },
        envOf: (index) => (index === 1 ? wrong : {}),
      });
    });
    after(() => site.stop());

    it('log that it is: this is what the test is about', () => {
      const logged = site.nodes.map(({ lines }) => lines.filter((line) => line.includes('clock differs')).length);
      expect(logged).to.deep.equal([0, 1]);
    });

    it('sign in, refresh and renew on either with what the other gave out', async () => {
      for (const [from, to] of directions) {
        const dora = await register(node(from));
        expect((await dora.on(node(to)).get('/api/auth/me')).status).to.equal(200);
        const { refreshToken } = dora;
        const renewed = await request(node(to), 'POST', '/api/auth/refresh', { refreshToken });
        expect(renewed.status).to.equal(200);
        const headers = { authorization: `Bearer ${renewed.body.accessToken}` };
        expect((await request(node(from), 'GET', '/api/auth/me', undefined, headers)).status).to.equal(200);
        const claims = JSON.parse(Buffer.from(renewed.body.accessToken.split('.')[1] ?? '', 'base64url').toString());
        expect(Math.abs(claims.iat * 1000 - Date.now())).to.be.below(hour / 60);
        const socket = await dora.on(node(to)).connect();
        expect((await socket.emit('auth:renew', { token: renewed.body.accessToken })).ok).to.equal(true);
        expect(socket.all('auth:expiring')).to.deep.equal([]);
        dora.hangUp();
      }
    });

    it('know the tokens of bots and persons that the other made', async () => {
      const { alice } = site.here;
      for (const [from, to] of directions) {
        const made = await alice.on(node(from)).post('/api/tokens', { name: 'one day', expiresInDays: 1 });
        const headers = { authorization: `Bearer ${made.body.token}` };
        expect((await request(node(to), 'GET', '/api/auth/me', undefined, headers)).status).to.equal(200);
        const bot = (await alice.on(node(from)).post('/api/agents', { name: `bot-${name}-${from}` })).body;
        const asBot = { authorization: `Bearer ${bot.token}` };
        expect((await request(node(to), 'GET', '/api/auth/me', undefined, asBot)).status).to.equal(200);
      }
    });

    it('open links that the other signed', async () => {
      const { alice, channel } = site.here;
      const { id } = await alice.upload('a.txt', new TextEncoder().encode('hello'));
      await alice.say(channel.id, 'here', { attachmentIds: [id] });
      for (const [from, to] of directions) {
        const link = (await alice.on(node(from)).get(`/api/attachments/${id}/media-url`)).body;
        const url = new URL(link.url, node(to).url);
        const answer = await fetch(new URL(url.pathname + url.search, node(to).url));
        expect(answer.status).to.equal(200);
        expect(await answer.text()).to.equal('hello');
        expect(Math.abs(new Date(link.expiresAt).getTime() - Date.now() - 600_000)).to.be.below(60_000);
      }
    });

    it('put mentions on either together in one notification', async () => {
      const { alice, bob, channel } = site.here;
      for (const [from, to] of directions) {
        await bob.post('/api/notifications/read-all');
        for (const at of [from, to]) {
          await alice.on(node(at)).say(channel.id, `<@${bob.id}> ${at}`);
          const count = at === from ? 1 : 2;
          await until(
            async () => {
              const { body } = await bob.get('/api/notifications');
              const list: Loose[] = body.notifications ?? body;
              const unread = list.filter((one) => one.kind === 'message.mention' && !one.isRead);
              return unread.length === 1 && unread[0]?.aggregatedCount === count;
            },
            { message: `not ${count} in one` },
          );
        }
      }
    });

    it('give what happens times and ids that fit together', async () => {
      const { alice, channel } = site.here;
      const said: Loose[] = [];
      for (let i = 0; i < 6; i++) said.push(await alice.on(node(i % 2)).say(channel.id, `${i}`));
      // A clock is measured over a connection, to within what an answer takes.
      for (const timeOf of [({ createdAt }: Loose) => Date.parse(createdAt), ({ id }: Loose) => timeWithin(id)]) {
        const times = said.map(timeOf);
        for (const [i, time] of times.entries()) expect(time - (times[i - 1] ?? time)).to.be.within(-1000, 30_000);
      }
    });

    it('keep no time that is far from that of the database', async () => {
      const columns = await query<{ table_name: string; column_name: string }>(
        site.databaseUrl,
        `SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public'
           AND data_type LIKE 'timestamp%' AND column_name ~ '(created|updated|joined|seen|used|active|verified)'`,
      );
      expect(columns.length).to.be.greaterThan(20);
      for (const { table_name: table, column_name: column } of columns) {
        const far = `SELECT count(*)::int AS count FROM "${table}" WHERE abs(extract(epoch FROM now() - "${column}")) > 1800`;
        const [row] = await query<{ count: number }>(site.databaseUrl, far);
        expect(row?.count, `${table}.${column}`).to.equal(0);
      }
    });
  });

/** The time that is in an id (UUID version 7), in ms. */
const timeWithin = (id: string): number => Number.parseInt(id.replace('-', '').slice(0, 12), 16);
