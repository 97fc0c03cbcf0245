// nodes: one and two

import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { Follower, range } from '../world/follower.ts';
import { trimLogs } from '../world/log.ts';
import type { Answer, Loose } from '../world/person.ts';
import { withRows } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

/** Where all write in one room at once on a busy machine, some are told to try again: nothing of theirs was changed. */
async function persistently(ask: () => Promise<Answer>): Promise<Answer> {
  return until(async () => {
    const answer = await ask();
    return answer.status !== 503 && answer;
  });
}

describe('the order of a room', () => {
  let here: World;
  const followers: Follower[] = [];

  before(async () => {
    here = await world();
  });
  afterEach(() => {
    for (const follower of followers.splice(0)) follower.close();
  });
  after(() => here.close());

  /** A socket on each person's node, in the channel. */
  async function ears(channelId: string): Promise<Follower[]> {
    const { alice, bob } = here;
    const made = [alice, bob].map(({ node, token }) => new Follower({ url: node.url, token }));
    followers.push(...made);
    for (const ear of made) {
      await ear.connected(1);
      await ear.join(channelId);
    }
    return made;
  }

  it('is the same for everyone, without holes, when all kinds of writes cross on all nodes', async () => {
    const { alice, bob, cluster } = here;
    const channelId = await here.newChannel();
    const listeners = await ears(channelId);
    const mouth = await bob.connect();
    const first = (await alice.get(`/api/channels/${channelId}`)).body.lastSeq;
    const work = range(1, 60).map(async (i) => {
      const mine = await alice.say(channelId, `rest ${i}`);
      const theirs = (await mouth.emit('message:send', { channelId, content: `socket ${i}` })).message;
      const edit = persistently(() => alice.patch(`/api/messages/${mine.id}`, { content: `edited ${i}` }));
      const change = persistently(() =>
        i % 2 ? bob.delete(`/api/messages/${theirs.id}`) : bob.patch(`/api/messages/${theirs.id}`, mine),
      );
      for (const answer of await Promise.all([edit, change])) expect(answer.status).to.equal(200);
    });
    await Promise.all(work);
    const last = first + 240;
    for (const ear of listeners) {
      await ear.reach(channelId, last);
      expect(ear.seen(channelId)).to.deep.equal(range(first + 1, last));
    }
    const log = await withRows(cluster.databaseUrl, (rows) =>
      rows<{ seq: string; numbered: string }>(
        "SELECT seq, data->>'eventSeq' AS numbered FROM log_entries WHERE stream_id = $1 ORDER BY seq",
        [channelId],
      ),
    );
    expect(log.map((entry) => Number(entry.seq))).to.deep.equal(range(first + 1, last));
    expect(log.every((entry) => entry.numbered === String(entry.seq))).to.equal(true);
  });

  it('tells of a message in the same words in its answer, live and from the log, however it was written', async () => {
    const { alice, bob, cluster } = here;
    const channelId = await here.newChannel();
    const [ear] = await ears(channelId);
    const live = new Map<number, Loose>();
    ear?.socket.on('message:new', (data: Loose) => live.set(data.eventSeq, data));
    const odd = '"seq":7,"eventSeq":8} \\u0041 \\ \n {"a"} 🦜';
    const first = await alice.say(channelId, odd);
    const more = [
      () => ({}),
      () => ({ metadata: { seq: 1, deep: { '}': 1e21 } } }),
      (i: number) => ({ nonce: `${odd} ${i}` }),
      () => ({ replyToId: first.id }),
    ];
    const sends = range(1, 40).map((i) => (i % 3 ? alice : bob).say(channelId, `${odd} ${i}`, more[i % 4]?.(i)));
    const answers = [first, ...(await Promise.all(sends))];
    await ear?.reach(channelId, answers.length);
    const log = await withRows(cluster.databaseUrl, (rows) =>
      rows<{ seq: string; data: Loose }>('SELECT seq, data FROM log_entries WHERE stream_id = $1', [channelId]),
    );
    const logged = new Map(log.map((entry) => [Number(entry.seq), entry.data]));
    for (const answer of answers) {
      const event = { ...answer, eventSeq: answer.seq };
      expect(live.get(answer.seq)).to.deep.equal(event);
      expect(logged.get(answer.seq)).to.deep.equal(event);
      expect((await alice.get(`/api/messages/${answer.id}`)).body).to.deep.include({ seq: answer.seq, id: answer.id });
    }
  });

  it('keeps the neighbours of a message that was there before, or whose reply is gone, when all come at once', async () => {
    const { alice, bob } = here;
    const channelId = await here.newChannel();
    const [ear] = await ears(channelId);
    const gone = await alice.say(channelId, 'gone');
    await alice.delete(`/api/messages/${gone.id}`);
    for (const i of range(1, 5)) await bob.say(channelId, `before ${i}`, { nonce: `n${i}` });
    const path = `/api/channels/${channelId}/messages`;
    const sends = range(1, 10).flatMap((i) => [
      alice.post(path, { content: `new ${i}` }),
      bob.post(path, { content: `again ${i}`, nonce: `n${i}` }),
      alice.post(path, { content: `to nothing ${i}`, replyToId: gone.id }),
    ]);
    const answers = await Promise.all(sends);
    const of = (rest: number) => answers.filter((_, at) => at % 3 === rest);
    expect(of(0).map(({ status }) => status)).to.deep.equal(Array(10).fill(201));
    expect(of(1).map(({ status }) => status)).to.deep.equal([...Array(5).fill(200), ...Array(5).fill(201)]);
    for (const { status, body } of of(2)) expect([status, body.code]).to.deep.equal([404, 'MESSAGE_NOT_FOUND']);
    await ear?.reach(channelId, 22);
    expect(ear?.seen(channelId)).to.deep.equal(range(1, 22));
  });

  it('holds back no room for the sake of a later one: batches take rooms in one order, whatever order they were sent in', async () => {
    const { alice, cluster } = here;
    const rooms: string[] = [];
    for (let i = 0; i < 6; i++) rooms.push(await here.newChannel());
    const [first = '', ...others] = rooms.sort();
    const taken = 'SELECT id FROM streams WHERE id = ANY($1::uuid[]) FOR UPDATE NOWAIT';
    const sends = await withRows(cluster.databaseUrl, async (rows) => {
      await rows('BEGIN');
      await rows(taken, [[first]]);
      // The first of them goes alone; the others become one batch, whose first room is not to be had.
      const sends = [await here.newChannel(), ...others.reverse(), first].map((id) => alice.say(id, 'hello'));
      const waiting = 'SELECT pid FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))';
      await until(async () => (await rows(waiting)).length > 0);
      expect(await rows(taken, [others])).to.have.lengthOf(others.length);
      await rows('COMMIT');
      return sends;
    });
    for (const { seq } of await Promise.all(sends)) expect(seq).to.equal(1);
  });

  it('holds while the old end of the log is trimmed', async () => {
    const { alice, bob, cluster } = here;
    const channelId = await here.newChannel();
    const listeners = await ears(channelId);
    let going = true;
    const trimming = (async () => {
      while (going) await trimLogs(cluster.databaseUrl, 5);
    })();
    try {
      for (const i of range(1, 15)) {
        const sends = [alice, bob, alice, bob].map((person) => person.say(channelId, `hello ${i}`));
        await Promise.all(sends);
        // A node that finds what it has not heard of trimmed lets everyone start over.
        for (const ear of listeners) await ear.reach(channelId, 4 * i);
      }
    } finally {
      going = false;
    }
    await trimming;
    await trimLogs(cluster.databaseUrl, 5);
    for (const ear of listeners) {
      expect(ear.seen(channelId)).to.deep.equal(range(1, 60));
    }
    const page = (await bob.get(`/api/channels/${channelId}/events?after=54`)).body;
    expect(page).to.include({ recovered: false, seq: 60 });
    expect((await bob.get(`/api/channels/${channelId}/events?after=55`)).body.events).to.have.lengthOf(5);
  });

  it('waits for no trimming that waits for it: both take the head of a log before its entries', async () => {
    const { alice, cluster } = here;
    const channelId = await here.newChannel();
    for (const i of range(1, 10)) await alice.say(channelId, `hello ${i}`);
    await withRows(cluster.databaseUrl, async (rows) => {
      await rows('BEGIN');
      // As whoever takes the words of a message out of the log.
      await rows('SELECT FROM streams WHERE id = $1 FOR UPDATE', [channelId]);
      const trimming = trimLogs(cluster.databaseUrl, 5);
      const waiting = 'SELECT FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))';
      await until(async () => (await rows(waiting)).length > 0);
      const entries = await rows('SELECT FROM log_entries WHERE stream_id = $1 FOR UPDATE NOWAIT', [channelId]);
      expect(entries).to.have.lengthOf(10);
      await rows('COMMIT');
      await trimming;
    });
    expect((await alice.get(`/api/channels/${channelId}/events?after=4`)).body.recovered).to.equal(false);
  });

  it('holds for the same nonce sent at once over REST and sockets on all nodes: one message, one event', async () => {
    const { alice, bob } = here;
    const channelId = await here.newChannel();
    const [ear] = await ears(channelId);
    const elsewhere = alice.on(bob.node);
    const mouths = [await alice.connect(), await elsewhere.connect()];
    for (const i of range(1, 15)) {
      const nonce = `n${i}`;
      const body = { content: 'once', nonce };
      const byRest = [alice, elsewhere].map((person) => person.post(`/api/channels/${channelId}/messages`, body));
      const bySocket = mouths.map((mouth) => mouth.emit('message:send', { channelId, ...body }));
      const answers = await Promise.all(byRest);
      const acks = await Promise.all(bySocket);
      const messages: Loose[] = [...answers.map((answer) => answer.body), ...acks.map((ack) => ack.message)];
      for (const message of messages) expect(message).to.deep.equal(messages[0]);
      expect(messages[0].nonce).to.equal(nonce);
      const created = answers.filter((answer) => answer.status === 201).length;
      expect(created).to.be.at.most(1);
    }
    const last = await bob.say(channelId, 'last');
    await ear?.reach(channelId, last.seq);
    expect(ear?.seen(channelId)).to.deep.equal(range(1, 16));
  });

  it('lets the same nonce stand for different messages in other channels and of other people', async () => {
    const { alice, bob } = here;
    const [one, two] = [await here.newChannel(), await here.newChannel()];
    const body = { content: 'hello', nonce: 'same' };
    const sends = [alice, bob].flatMap((person) =>
      [one, two].map((id) => person.post(`/api/channels/${id}/messages`, body)),
    );
    const answers = await Promise.all(sends);
    expect(new Set(answers.map((answer) => answer.body.id)).size).to.equal(4);
  });

  it('does a POST with an Idempotency-Key once, whichever nodes get it at the same moment', async () => {
    const { alice, bob } = here;
    const elsewhere = alice.on(bob.node);
    for (const i of range(1, 5)) {
      const headers = { 'idempotency-key': `server-${i}` };
      const posts = [alice, elsewhere, alice, elsewhere].map((p) => p.post('/api/servers', { name: `S${i}` }, headers));
      const answers: Answer[] = await Promise.all(posts);
      expect(answers.map((answer) => answer.status)).to.deep.equal([201, 201, 201, 201]);
      for (const answer of answers) expect(answer.body).to.deep.equal(answers[0]?.body);
      const replayed = answers.filter((answer) => answer.headers.get('idempotency-replayed') === 'true');
      expect(replayed).to.have.lengthOf(3);
    }
    const own = (await alice.get('/api/servers')).body;
    expect(own.filter((server: Loose) => /^S\d$/.test(server.name))).to.have.lengthOf(5);
  });

  it('does a message with an Idempotency-Key once', async () => {
    const { alice, bob } = here;
    const channelId = await here.newChannel();
    const headers = { 'idempotency-key': 'a key' };
    const posts = [alice, alice.on(bob.node)].map((p) =>
      p.post(`/api/channels/${channelId}/messages`, { content: 'once' }, headers),
    );
    const [one, two] = await Promise.all(posts);
    expect(one?.body).to.deep.equal(two?.body);
    expect((await alice.get(`/api/channels/${channelId}`)).body.lastSeq).to.equal(1);
  });
});
