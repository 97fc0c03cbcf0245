import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { bot } from '../world/bot.ts';
import { type Cluster, sharedCluster } from '../world/nodes.ts';
import type { Loose, Person } from '../world/person.ts';
import { query, withRows } from '../world/sql.ts';
import { register } from '../world/world.ts';

describe('friends', () => {
  let cluster: Cluster;
  const people: Person[] = [];
  before(async () => {
    cluster = await sharedCluster();
  });
  after(() => {
    for (const person of people) person.hangUp();
  });

  /** Two strangers, on two nodes where there are two. */
  async function strangers(): Promise<[Person, Person]> {
    const [first, second = first] = cluster.nodes;
    if (!first || !second) throw new Error('no node');
    const pair: [Person, Person] = [await register(first), await register(second)];
    people.push(...pair);
    return pair;
  }

  const ask = (from: Person, to: Person) => from.post('/api/friends/request', { username: to.username });
  const ids = (answer: { body: Loose }) => answer.body.map(({ id }: { id: string }) => id);

  async function friends(): Promise<[Person, Person, string]> {
    const [ann, ben] = await strangers();
    const { id } = (await ask(ann, ben)).body;
    await ben.post(`/api/friends/${id}/accept`);
    return [ann, ben, id];
  }

  it('are people: bots neither ask nor are asked', async () => {
    const [ann, ben] = await strangers();
    const robot = await bot(ann);
    for (const answer of [await ask(ben, robot), await ask(ann, robot), await ask(robot, ben)]) {
      expect([answer.status, answer.body.code]).to.deep.equal([403, 'FORBIDDEN']);
    }
    expect((await ben.get('/api/friends/pending')).body).to.deep.equal([]);
  });

  it('begin with a request, seen from both sides', async () => {
    const [ann, ben] = await strangers();
    const [annEar, benEar] = [await ann.connect(), await ben.connect()];
    const asked = await ann.post('/api/friends/request', { username: ben.username.toUpperCase() });
    expect(asked.status).to.equal(201);
    const { id } = asked.body;
    const common = { id, friendshipId: id, requesterId: ann.id, addresseeId: ben.id, status: 'pending' };
    expect(asked.body).to.include({ ...common, userId: ann.id, friendId: ben.id });
    expect(asked.body.user).to.include({ id: ben.id, username: ben.username, isBot: false });
    const [received] = (await ben.get('/api/friends/pending')).body;
    expect(received).to.include({ ...common, userId: ben.id, friendId: ann.id });
    expect((await ann.get('/api/friends/sent')).body).to.deep.equal([asked.body]);
    expect((await ann.get('/api/friends/pending')).body).to.deep.equal([]);
    expect((await ben.get('/api/friends/sent')).body).to.deep.equal([]);
    expect((await ben.get('/api/friends')).body).to.deep.equal([]);
    expect(await benEar.next('friend:request')).to.deep.include(received);
    expect(await annEar.next('friend:request')).to.deep.include(asked.body);
  });

  it('are made by accepting, and both are told', async () => {
    const [ann, ben] = await strangers();
    const { id } = (await ask(ann, ben)).body;
    const [annEar, benEar] = [await ann.connect(), await ben.connect()];
    expect((await ann.post(`/api/friends/${id}/accept`)).body.code).to.equal('FORBIDDEN');
    const accepted = await ben.post(`/api/friends/${id}/accept`);
    expect(accepted.status).to.equal(200);
    expect(accepted.body).to.include({ id, status: 'accepted', userId: ben.id, friendId: ann.id });
    expect((await ben.get('/api/friends')).body).to.deep.equal([accepted.body]);
    const [seen] = (await ann.get('/api/friends')).body;
    expect(seen).to.include({ id, userId: ann.id, friendId: ben.id, status: 'accepted' });
    expect((await ben.get('/api/friends/pending')).body).to.deep.equal([]);
    expect((await ann.get('/api/friends/sent')).body).to.deep.equal([]);
    expect(await annEar.next('friend:accepted')).to.deep.include(seen);
    expect(await benEar.next('friend:accepted')).to.deep.include(accepted.body);
    expect((await ask(ann, ben)).body.code).to.equal('ALREADY_FRIENDS');
    expect((await ask(ben, ann)).body.code).to.equal('ALREADY_FRIENDS');
    expect((await ben.post(`/api/friends/${id}/accept`)).body.code).to.equal('ALREADY_FRIENDS');
  });

  it('are made by requests that cross, also at once on two nodes', async () => {
    for (let round = 0; round < 5; round++) {
      const [ann, ben] = await strangers();
      const answers = await Promise.all([ask(ann, ben), ask(ben, ann)]);
      expect(answers.map(({ status }) => status)).to.deep.equal([201, 201]);
      expect(answers.map(({ body }) => body.status).sort()).to.deep.equal(['accepted', 'pending']);
      expect(ids(await ann.get('/api/friends'))).to.deep.equal(ids(await ben.get('/api/friends')));
      expect(ids(await ann.get('/api/friends'))).to.have.length(1);
    }
  });

  it('need one request only, however often it is sent at once', async () => {
    const [ann, ben] = await strangers();
    const answers = await Promise.all([0, 1, 2, 3].map(() => ask(ann, ben)));
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([201, 409, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body.code).to.equal('FRIEND_REQUEST_EXISTS');
    expect(ids(await ben.get('/api/friends/pending'))).to.have.length(1);
  });

  it('may be turned down; then the asker waits a day, the other does not', async () => {
    const [ann, ben] = await strangers();
    const { id } = (await ask(ann, ben)).body;
    const ear = await ann.connect();
    expect((await ann.post(`/api/friends/${id}/reject`)).status).to.equal(403);
    const rejected = await ben.post(`/api/friends/${id}/reject`);
    expect(rejected.body).to.include({ ok: true, id, status: 'rejected', userId: ben.id });
    expect(await ear.next('friend:removed')).to.include({ friendshipId: id, userId: ben.id });
    expect((await ann.get('/api/friends/sent')).body).to.deep.equal([]);
    expect((await ben.get('/api/friends/pending')).body).to.deep.equal([]);
    const again = await ask(ann, ben);
    expect([again.status, again.body.code]).to.deep.equal([409, 'FRIEND_REQUEST_REJECTED']);
    expect((await ann.delete(`/api/friends/${id}`)).status).to.equal(404);
    expect((await ben.post(`/api/friends/${id}/accept`)).body.code).to.equal('FRIEND_REQUEST_CLOSED');
    const turned = await ask(ben, ann);
    expect(turned.status).to.equal(201);
    expect(turned.body).to.include({ status: 'pending', requesterId: ben.id });
    expect(turned.body.id).not.to.equal(id);
  });

  it('may be asked again a day after a rejection', async () => {
    const [ann, ben] = await strangers();
    const { id } = (await ask(ann, ben)).body;
    await ben.post(`/api/friends/${id}/reject`);
    const age = `UPDATE friendships SET updated_at = now() - interval '24 hours' WHERE id = $1`;
    await query(cluster.databaseUrl, age, [id]);
    expect((await ask(ann, ben)).status).to.equal(201);
  });

  it('end by either side, and requests are taken back; both are told', async () => {
    const [ann, ben, id] = await friends();
    const [annEar, benEar] = [await ann.connect(), await ben.connect()];
    expect((await ben.delete(`/api/friends/${id}`)).body).to.deep.equal({ ok: true, success: true });
    expect(await annEar.next('friend:removed')).to.include({ friendshipId: id, userId: ben.id });
    expect(await benEar.next('friend:removed')).to.include({ friendshipId: id, userId: ann.id });
    expect((await ann.get('/api/friends')).body).to.deep.equal([]);
    expect((await ann.delete(`/api/friends/${id}`)).body.code).to.equal('FRIENDSHIP_NOT_FOUND');
    const request = (await ask(ann, ben)).body;
    expect((await ann.delete(`/api/friends/${request.id}`)).status).to.equal(200);
    expect((await ben.get('/api/friends/pending')).body).to.deep.equal([]);
  });

  it('are nobody else’s business', async () => {
    const [, , id] = await friends();
    const [carl] = await strangers();
    for (const path of [`/api/friends/${id}/accept`, `/api/friends/${id}/reject`]) {
      expect((await carl.post(path)).body.code).to.equal('FRIENDSHIP_NOT_FOUND');
    }
    expect((await carl.delete(`/api/friends/${id}`)).status).to.equal(404);
    expect((await carl.delete('/api/friends/12')).status).to.equal(404);
  });

  it('are asked for by a name that fits', async () => {
    const [ann] = await strangers();
    const code = async (body: unknown) => (await ann.post('/api/friends/request', body)).body.code;
    expect(await code({ username: `nobody-${randomUUID().slice(0, 8)}` })).to.equal('USER_NOT_FOUND');
    expect(await code({ username: ann.username })).to.equal('OWN_USER');
    expect(await code({})).to.equal('VALIDATION_FAILED');
    expect(await code({ username: 7 })).to.equal('VALIDATION_FAILED');
    expect(await code({ username: '   ' })).to.equal('VALIDATION_FAILED');
  });

  it('are two thousand at most, whichever way they are made', async () => {
    const [ann, ben] = await strangers();
    const { id } = (await ask(ben, ann)).body;
    await withRows(cluster.databaseUrl, async (rows) => {
      await rows(`WITH crowd AS (
            INSERT INTO users (id, username, username_key, display_name, is_bot, tier, created_at, updated_at)
            SELECT id, id, id, 'x', false, 'visitor', now(), now()
            FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, 2000)) AS ids RETURNING id)
          INSERT INTO friendships (id, low_id, high_id, requester_id, status, created_at, updated_at)
          SELECT gen_random_uuid(), least(id, '${ann.id}'), greatest(id, '${ann.id}'), id, 'accepted', now(), now()
          FROM crowd`);
    });
    expect((await ask(ann, ben)).body.code).to.equal('FRIEND_LIMIT');
    expect((await ann.post(`/api/friends/${id}/accept`)).body.code).to.equal('FRIEND_LIMIT');
    await withRows(cluster.databaseUrl, async (rows) => {
      await rows(
        "DELETE FROM friendships WHERE id IN (SELECT id FROM friendships WHERE (low_id = $1 OR high_id = $1) AND status = 'accepted' LIMIT 1)",
        [ann.id],
      );
    });
    expect((await ask(ann, ben)).body).to.include({ id, status: 'accepted' });
  });

  describe('blocking', () => {
    it('ends a friendship, and keeps the blocked one away without a word', async () => {
      const [ann, ben, id] = await friends();
      const ear = await ben.connect();
      const blocked = await ann.put(`/api/friends/blocks/${ben.id}`);
      expect(blocked.status).to.equal(200);
      expect(blocked.body).to.include({ userId: ben.id });
      expect(blocked.body.user).to.include({ username: ben.username });
      await ear.next('friend:removed', (event) => event.friendshipId === id);
      expect((await ben.get('/api/friends')).body).to.deep.equal([]);
      expect((await ask(ben, ann)).body.code).to.equal('USER_NOT_FOUND');
      expect((await ask(ann, ben)).body.code).to.equal('USER_BLOCKED');
      expect((await ann.get('/api/friends/blocks')).body).to.deep.equal([blocked.body]);
      expect((await ben.get('/api/friends/blocks')).body).to.deep.equal([]);
      expect((await ann.put(`/api/friends/blocks/${ben.id}`)).body).to.deep.equal(blocked.body);
    });

    it('has an end at two thousand, where those who are blocked stay so', async () => {
      const [ann, ben] = await strangers();
      const other = await register(ann.node);
      const first = (await ann.put(`/api/friends/blocks/${ben.id}`)).body;
      await withRows(cluster.databaseUrl, async (rows) => {
        await rows(`WITH crowd AS (
            INSERT INTO users (id, username, username_key, display_name, is_bot, tier, created_at, updated_at)
            SELECT id, id, id, 'x', false, 'visitor', now(), now()
            FROM (SELECT gen_random_uuid() AS id FROM generate_series(2, 2000)) AS ids RETURNING id)
          INSERT INTO blocks (user_id, blocked_id, created_at) SELECT '${ann.id}', id, now() FROM crowd`);
      });
      expect((await ann.put(`/api/friends/blocks/${other.id}`)).body.code).to.equal('BLOCK_LIMIT');
      const again = await ann.put(`/api/friends/blocks/${ben.id}`);
      expect([again.status, again.body]).to.deep.equal([200, first]);
    });

    it('is taken back', async () => {
      const [ann, ben] = await strangers();
      await ann.put(`/api/friends/blocks/${ben.id}`);
      for (let i = 0; i < 2; i++) expect((await ann.delete(`/api/friends/blocks/${ben.id}`)).status).to.equal(200);
      expect((await ask(ben, ann)).status).to.equal(201);
    });

    it('does not shorten the wait after a rejection', async () => {
      const [ann, ben] = await strangers();
      const { id } = (await ask(ann, ben)).body;
      await ben.post(`/api/friends/${id}/reject`);
      await ann.put(`/api/friends/blocks/${ben.id}`);
      await ann.delete(`/api/friends/blocks/${ben.id}`);
      expect((await ask(ann, ben)).body.code).to.equal('FRIEND_REQUEST_REJECTED');
    });

    it('needs someone else who exists', async () => {
      const [ann] = await strangers();
      expect((await ann.put(`/api/friends/blocks/${ann.id}`)).body.code).to.equal('OWN_USER');
      expect((await ann.put(`/api/friends/blocks/${randomUUID()}`)).body.code).to.equal('USER_NOT_FOUND');
      expect((await ann.put('/api/friends/blocks/nobody')).status).to.equal(404);
    });
  });
});
