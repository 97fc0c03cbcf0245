// nodes: one and two

import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { Follower, range } from '../world/follower.ts';
import { appendCopies, sweepAnew, trimLogs } from '../world/log.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import type { Loose, Person } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

describe('coming back', () => {
  let here: World;
  let channelId: string;
  const followers: Follower[] = [];

  before(async () => {
    here = await world();
  });
  beforeEach(async () => {
    channelId = await here.newChannel();
  });
  afterEach(() => {
    for (const follower of followers.splice(0)) follower.close();
  });
  after(() => here.close());

  async function follow(person: Person, auth: object = {}): Promise<Follower> {
    const follower = new Follower({ url: person.node.url, token: person.token }, { auth });
    followers.push(follower);
    await follower.connected(1);
    return follower;
  }

  async function sayAll(count: number, content = 'hello'): Promise<void> {
    await Promise.all(range(1, count).map(() => here.alice.say(channelId, content)));
  }

  /** Says things until told to stop. @returns how many were said */
  function chatter(): () => Promise<number> {
    let going = true;
    const voices = [here.alice, here.bob].map(async (person) => {
      let count = 0;
      for (; going; count++) await person.say(channelId, 'chatter');
      return count;
    });
    return async () => {
      going = false;
      return (await Promise.all(voices)).reduce((sum, count) => sum + count, 0);
    };
  }

  describe('by channel:join { after }', () => {
    it('goes on exactly where it was, while others talk', async () => {
      const stop = chatter();
      const members = await Promise.all(range(1, 6).map((i) => follow(i % 2 ? here.alice : here.bob)));
      for (const round of range(1, 8)) {
        for (const member of members) {
          const after = member.seen(channelId).at(-1) ?? 0;
          if (round > 1) await member.socket.emitWithAck('channel:leave', { channelId });
          // What was still on its way when it left is known to it.
          const position = Math.max(after, member.seen(channelId).at(-1) ?? 0);
          for (let ack = await member.join(channelId, position); ack.hasMore; )
            ack = await member.join(channelId, ack.seq);
        }
      }
      const total = await stop();
      for (const member of members) {
        await member.reach(channelId, total);
        expect(member.seen(channelId)).to.deep.equal(range(1, total));
      }
    });

    it('brings at most 200 events or 1 MiB at a time, and nothing live before the rest', async () => {
      await sayAll(450);
      const follower = await follow(here.bob);
      const first = await follower.join(channelId, 0);
      expect(first).to.include({ seq: 200, hasMore: true, recovered: true });
      await here.alice.say(channelId, 'live');
      const second = await follower.join(channelId, first.seq);
      const third = await follower.join(channelId, second.seq);
      expect(third).to.include({ seq: 451, hasMore: false });
      await here.alice.say(channelId, 'live');
      await follower.reach(channelId, 452);
      expect(follower.seen(channelId)).to.deep.equal(range(1, 452));
      await sayAll(80, 'x'.repeat(15_900));
      const big = await (await follow(here.bob)).join(channelId, 452);
      expect(big.hasMore).to.equal(true);
      expect(big.events.length).to.be.within(60, 66);
      await sayAll(30, '漢'.repeat(15_900));
      const wide = await (await follow(here.bob)).join(channelId, 532);
      expect(wide.hasMore).to.equal(true);
      expect(wide.events.length).to.be.within(20, 22);
    });

    it('says recovered: false past the head and beyond the floor, and goes on from the head', async () => {
      await sayAll(30);
      const follower = await follow(here.bob);
      expect(await follower.join(channelId, 31)).to.deep.include({ recovered: false, seq: 30, events: [] });
      await trimLogs(here.cluster.databaseUrl, 10);
      expect(await follower.join(channelId, 19)).to.deep.include({ recovered: false, seq: 30, events: [] });
      const ack = await follower.join(channelId, 20);
      expect(ack).to.include({ recovered: true, seq: 30 });
      expect(ack.events.map((event: Loose) => event.seq)).to.deep.equal(range(21, 30));
      await sayAll(1);
      await follower.reach(channelId, 31);
    });

    it('answers with the head where no position is given', async () => {
      await sayAll(3);
      const ack = await (await follow(here.bob)).join(channelId);
      expect(ack).to.deep.include({ events: [], seq: 3, recovered: true, hasMore: false });
    });

    it('refuses nonsense', async () => {
      const { socket } = await follow(here.bob);
      for (const after of [-1, 1.5, '3', {}]) {
        const ack = await socket.emitWithAck('channel:join', { channelId, after });
        expect(ack).to.include({ ok: false, code: 'VALIDATION_FAILED' });
      }
    });
  });

  describe('by auth.resume', () => {
    it('that is nonsense is passed over: the token still counts', async () => {
      for (const resume of ['x', 5, [1], { [channelId]: -1 }, { [channelId]: 'y' }, { user: 1.5 }]) {
        (await here.bob.connect({ auth: { resume } })).close();
      }
    });

    it('with a position that is none brings back the other rooms, and says which it was', async () => {
      const { alice, bob } = here;
      const dm = (await alice.post('/api/dm/channels', { userId: bob.id })).body.id;
      await sayAll(2);
      const nowhere = randomUUID();
      const resume = { [channelId]: 0, [dm]: null, [nowhere]: 1, user: '5' };
      const ear = await bob.connect({ auth: { resume } });
      const { channels, user } = await ear.next('resumed');
      expect(channels[channelId]).to.deep.equal({ seq: 2, recovered: true, hasMore: false });
      expect(ear.all('message:new')).to.have.length(2);
      expect(channels[dm]).to.include({ ok: false, code: 'VALIDATION_FAILED' });
      expect(channels[nowhere]).to.include({ ok: false, code: 'CHANNEL_NOT_FOUND' });
      expect(user).to.include({ ok: false, code: 'VALIDATION_FAILED' });
      await alice.say(dm, 'heard without joining');
      await ear.next('message:new', ({ channelId }) => channelId === dm);
    });

    it('brings what was missed in all rooms, then says so', async () => {
      const { alice, bob, server } = here;
      const other = await here.newChannel();
      await sayAll(5);
      await alice.say(other, 'one');
      const follower = new Follower(
        { url: bob.node.url, token: bob.token },
        { auth: { resume: { [channelId]: 2, [other]: 0, user: 0, [server.id]: 4 } } },
      );
      followers.push(follower);
      let resumed: Loose;
      follower.socket.on('resumed', (answer) => {
        resumed = { ...answer, before: follower.seen(channelId).length };
      });
      await until(() => resumed);
      expect(resumed.before).to.equal(3);
      expect(resumed.channels[channelId]).to.deep.equal({ seq: 5, recovered: true, hasMore: false });
      expect(resumed.channels[other]).to.deep.equal({ seq: 1, recovered: true, hasMore: false });
      expect(resumed.channels[server.id]).to.include({ ok: false, code: 'CHANNEL_NOT_FOUND' });
      expect(resumed.user).to.include({ recovered: true, hasMore: false });
      await sayAll(1);
      await follower.reach(channelId, 6);
      expect(follower.seen(channelId)).to.deep.equal(range(3, 6));
      expect(follower.seen(other)).to.deep.equal([1]);
    });

    it('says how far each room has come by then, not by when it was entered', async () => {
      const { alice, bob } = here;
      const long = await here.newChannel();
      await Promise.all(range(1, 500).map((i) => alice.say(long, `${i}`)));
      let last = 0;
      let isOver = false;
      const talk = async () => {
        while (!isOver) last = (await alice.say(channelId, 'meanwhile')).seq;
      };
      const talks = range(1, 4).map(talk);
      for (const round of range(1, 20)) {
        // By turns from where it was, and from where nobody was, after which it begins anew.
        const after = last + (round % 2 === 0 ? 1_000_000 : 0);
        const auth = { resume: { [channelId]: after, [long]: 0 } };
        const follower = new Follower({ url: bob.node.url, token: bob.token }, { auth });
        followers.push(follower);
        const [said, seen] = await new Promise<Loose[]>((resolve) => {
          follower.socket.on('resumed', ({ channels }) => {
            resolve([channels[channelId].seq, follower.seen(channelId).at(-1) ?? channels[channelId].seq]);
          });
        });
        expect(said).to.equal(seen);
      }
      isOver = true;
      await Promise.all(talks);
    });

    it('gives nothing of rooms that are not the caller’s', async () => {
      const { carol } = here;
      await sayAll(2);
      const follower = new Follower(
        { url: carol.node.url, token: carol.token },
        { auth: { resume: { [channelId]: 0 } } },
      );
      followers.push(follower);
      let resumed: Loose;
      follower.socket.on('resumed', (answer) => {
        resumed = answer;
      });
      await until(() => resumed);
      expect(resumed.channels[channelId].code).to.equal('CHANNEL_NOT_FOUND');
      expect(follower.seen(channelId)).to.deep.equal([]);
    });

    it('sends a thousand at most, and the rest on request', async () => {
      await sayAll(1100);
      const follower = new Follower(
        { url: here.bob.node.url, token: here.bob.token },
        { auth: { resume: { [channelId]: 0 } } },
      );
      followers.push(follower);
      let resumed: Loose;
      follower.socket.on('resumed', (answer) => {
        resumed = answer;
      });
      await until(() => resumed);
      expect(resumed.channels[channelId]).to.deep.equal({ seq: 1000, recovered: true, hasMore: true });
      await here.alice.say(channelId, 'live');
      await follower.join(channelId, 1000);
      expect(follower.seen(channelId)).to.deep.equal(range(1, 1101));
    });
  });

  describe('by auth.resume into very many rooms', () => {
    it('leaves none without a word: the client joins those beyond the first 500 by itself', async () => {
      await sayAll(3);
      const others = range(1, 501).map(() => [randomUUID(), 0]);
      const follower = new Follower(
        { url: here.bob.node.url, token: here.bob.token },
        { auth: { resume: { user: 0, nonsense: 1, ...Object.fromEntries(others), [channelId]: 1 } } },
      );
      followers.push(follower);
      let resumed: Loose;
      follower.socket.on('resumed', (answer) => {
        resumed = answer;
      });
      await until(() => resumed);
      const ids = Object.keys(resumed.channels);
      expect(ids).to.have.members([...others.map(([id]) => id), channelId]);
      expect(resumed.channels[channelId]).to.deep.equal({ seq: 1, recovered: true, hasMore: true });
      await follower.join(channelId, resumed.channels[channelId].seq);
      expect(follower.seen(channelId)).to.deep.equal([2, 3]);
    });
  });

  describe('by long polls', () => {
    const poll = (query: string, person = here.bob) => person.get(`/api/channels/${channelId}/events?${query}`);

    it('answers at once with what is there, page by page', async () => {
      await sayAll(7);
      const first = (await poll('after=2&limit=3')).body;
      expect(first).to.include({ seq: 5, hasMore: true, recovered: true });
      expect(first.events[0]).to.include({ seq: 3, event: 'message:new' });
      expect(first.events[0].data).to.include({ content: 'hello', eventSeq: 3 });
      expect((await poll('after=5&limit=3&wait=20')).body).to.include({ seq: 7, hasMore: false });
      expect((await poll('after=7')).body).to.deep.equal({ events: [], seq: 7, recovered: true, hasMore: false });
      expect((await poll('after=8')).body).to.deep.equal({ events: [], seq: 7, recovered: false, hasMore: false });
    });

    it('waits for the first event, wherever it is written, or until the time is over', async () => {
      const begun = Date.now();
      const waiting = poll('after=0&wait=20');
      await new Promise((resolve) => setTimeout(resolve, 150));
      await here.alice.say(channelId, 'at last');
      expect((await waiting).body.events).to.have.lengthOf(1);
      expect(Date.now() - begun).to.be.below(15_000);
      const again = Date.now();
      expect((await poll('after=1&wait=0.3')).body).to.deep.include({ events: [], seq: 1, recovered: true });
      expect(Date.now() - again).to.be.within(290, 15_000);
    });

    it('answers someone who loses access while waiting with 404', async () => {
      const { alice, carol, server } = here;
      await carol.post(`/api/servers/${server.id}/join`, { inviteCode: server.inviteCode });
      const { lastSeq } = (await alice.get(`/api/channels/${channelId}`)).body;
      const waiting = poll(`after=${lastSeq + 1}&wait=0`, carol);
      expect((await waiting).status).to.equal(200);
      const head = (await poll('after=999999', carol)).body.seq;
      const late = poll(`after=${head}&wait=10`, carol);
      await new Promise((resolve) => setTimeout(resolve, 100));
      await carol.post(`/api/servers/${server.id}/leave`);
      await alice.say(channelId, 'not for carol');
      expect((await late).status).to.equal(404);
    });

    it('tells those without a position where the log is, and lets them wait from there', async () => {
      await sayAll(3);
      expect((await poll('')).body).to.deep.equal({ events: [], seq: 3, recovered: true, hasMore: false });
      const own = (await here.bob.get('/api/events')).body;
      expect(own).to.deep.include({ events: [], recovered: true, hasMore: false });
      expect((await here.bob.get(`/api/events?after=${own.seq}`)).body).to.include({ recovered: true });
      const waiting = poll('wait=20');
      await until(() => here.bob.node.delivery.peek(`channel:${channelId}`)?.isWaitedFor);
      await here.alice.say(channelId, 'at last');
      const { events, seq } = (await waiting).body;
      expect(events.map(({ data }: Loose) => data.content)).to.deep.equal(['at last']);
      expect(seq).to.equal(4);
    });

    it('refuses nonsense', async () => {
      const positions = ['after=', 'after=%20', 'after=x', 'after=-1', 'after=1.5', 'after=0x1', 'after=0&after=1'];
      const limits = ['limit=', 'limit=0', 'limit=501', 'limit=1.5', 'wait=', 'wait=26', 'wait=-1', 'wait=Infinity'];
      for (const query of [...positions, ...limits.map((limit) => `after=0&${limit}`)]) {
        expect((await poll(query)).status, query).to.equal(400);
        expect((await here.bob.get(`/api/events?${query}`)).status, query).to.equal(400);
      }
      expect((await here.carol.get(`/api/channels/${channelId}/events?after=0`)).status).to.equal(404);
    });

    it('tells of one’s own room', async () => {
      const { bob, alice } = here;
      const head = (await bob.get('/api/events?after=999999')).body.seq;
      const waiting = bob.get(`/api/events?after=${head}&wait=10`);
      const server = (await alice.post('/api/servers', { name: 'New' })).body;
      await bob.post(`/api/servers/${server.id}/join`, { inviteCode: server.inviteCode });
      const { events } = (await waiting).body;
      expect(events[0]).to.include({ seq: head + 1 });
    });
  });

  it('ends with the membership: who left a server gets nothing more of it, on any node', async () => {
    const { alice, bob, carol } = here;
    const server = (await alice.post('/api/servers', { name: 'To leave' })).body;
    const [{ id }] = (await alice.get(`/api/servers/${server.id}/channels`)).body;
    await carol.post(`/api/servers/${server.id}/join`, { inviteCode: server.inviteCode });
    const ears = await Promise.all([follow(carol), follow(carol.on(alice.node)), follow(carol.on(bob.node))]);
    for (const ear of ears) await ear.join(id);
    const before = await alice.say(id, 'all hear this');
    for (const ear of ears) await ear.reach(id, before.seq);
    expect((await carol.post(`/api/servers/${server.id}/leave`)).status).to.equal(200);
    await alice.say(id, 'carol does not');
    await bob.post(`/api/servers/${server.id}/join`, { inviteCode: server.inviteCode });
    for (const ear of ears) {
      const ack = await ear.socket.emitWithAck('channel:join', { channelId: id, after: 0 });
      expect(ack).to.include({ ok: false, code: 'CHANNEL_NOT_FOUND' });
      expect(ear.seen(id).at(-1)).to.be.at.most(before.seq + 1);
    }
    for (const person of [carol, carol.on(alice.node), carol.on(bob.node)]) {
      expect((await person.get(`/api/channels/${id}/messages`)).status).to.equal(404);
      expect((await person.post(`/api/channels/${id}/messages`, { content: 'no' })).status).to.equal(404);
    }
  });
});

describe('coming back to a node that has not heard of what others committed', () => {
  let cluster: Cluster;
  before(async () => {
    cluster = await startCluster({ nodes: 1, redisUrl: null, settings: { delivery: { sweepMs: 600_000 } } });
  });
  after(() => cluster.stop());

  it('brings that too, by every way, and once to those who are there', async () => {
    const { alice, bob, channel } = await world(cluster);
    const followers = [1, 2, 3].map(() => new Follower({ url: bob.node.url, token: bob.token }));
    const [present, returning, coming] = followers;
    try {
      for (const follower of followers) await follower.connected(1);
      await present?.join(channel.id);
      const { seq } = await alice.say(channel.id, 'hello');
      await present?.reach(channel.id, seq);
      const miss = (count: number) => appendCopies(cluster.databaseUrl, channel.id, count);

      await miss(1);
      const polled = await bob.get(`/api/channels/${channel.id}/events?after=${seq}`);
      expect(polled.body).to.deep.include({ seq: seq + 1, recovered: true, hasMore: false });
      await miss(1);
      expect(await returning?.join(channel.id, seq)).to.include({ seq: seq + 2, recovered: true, hasMore: false });
      // More than is read at once.
      await miss(1100);
      const head = seq + 1102;
      expect(await coming?.join(channel.id)).to.include({ seq: head });

      for (const follower of [present, returning]) await follower?.reach(channel.id, head);
      expect(present?.seen(channel.id)).to.deep.equal(range(seq, head));
      expect(returning?.seen(channel.id)).to.deep.equal(range(seq + 1, head));
      expect(coming?.seen(channel.id)).to.deep.equal([]);
    } finally {
      for (const follower of followers) follower.close();
    }
  });

  it('brings it by the next look at the log also after one that failed', async () => {
    const { alice, bob, channel } = await world(cluster);
    const { delivery } = bob.node;
    const follower = new Follower({ url: bob.node.url, token: bob.token });
    try {
      await follower.connected(1);
      await follower.join(channel.id);
      const { seq } = await alice.say(channel.id, 'hello');
      const before = delivery.counters.failedSweeps;
      await query(cluster.databaseUrl, 'ALTER TABLE streams RENAME TO streams_elsewhere');
      await sweepAnew(bob.node);
      await query(cluster.databaseUrl, 'ALTER TABLE streams_elsewhere RENAME TO streams');
      expect(delivery.counters.failedSweeps).to.be.greaterThan(before);
      await appendCopies(cluster.databaseUrl, channel.id, 1);
      await sweepAnew(bob.node);
      await follower.reach(channel.id, seq + 1);
    } finally {
      follower.close();
    }
  });
});
