// nodes: one and two

import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import WebSocket from 'ws';
import { registered, site, tokensOf } from '../oauth-apps/dance.ts';
import { until } from '../rig/until.ts';
import { botIn } from '../world/bot.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { type Listener, type Loose, type Person, request } from '../world/person.ts';
import { query, withRows } from '../world/sql.ts';
import { register, type World, world } from '../world/world.ts';

/** All changes of someone that a socket was told, in order. */
const seen = (ear: Listener, person: Person): string[] =>
  ear
    .all('presence:change')
    .flatMap((event) => event.changes)
    .filter((change: Loose) => change.userId === person.id)
    .map((change: Loose) => change.status);

/** Waits until what was told last of someone is `status`. */
const told = (ear: Listener, person: Person, status: string) =>
  until(() => seen(ear, person).at(-1) === status, { message: `not ${status}, but ${seen(ear, person)}` });

/**
 * Someone opens a page and closes it at once: the connection breaks while the node still brings it into its rooms, or
 * handles the last that was said.
 */
const goWhileArriving = ({ node, token }: Person, ...said: [event: string, payload: object] | []): Promise<void> =>
  new Promise((resolve) => {
    const socket = new WebSocket(`${node.url.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket`);
    socket.on('message', (data) => {
      if (String(data).startsWith('0')) socket.send(`40${JSON.stringify({ token })}`);
      if (!String(data).startsWith('40')) return;
      if (said.length > 0) socket.send(`42${JSON.stringify(said)}`);
      socket.terminate();
    });
    socket.on('close', () => resolve());
  });

describe('presence', () => {
  let here: World;
  beforeEach(async () => {
    here = await world();
  });
  afterEach(() => here.close());

  it('tells the people of a server who comes and who goes', async () => {
    const { alice, bob, channel } = here;
    const ear = await alice.listen(channel.id);
    const mouth = await bob.connect();
    await told(ear, bob, 'online');
    mouth.close();
    await told(ear, bob, 'offline');
    expect(seen(ear, bob)).to.deep.equal(['online', 'offline']);
  });

  it('is told in the end where those who learn of it could not be looked up at once', async () => {
    const { alice, bob, channel, cluster, server } = here;
    const ear = await alice.listen(channel.id);
    const mouth = await bob.connect();
    await told(ear, bob, 'online');
    const isGone = async () => {
      const members: Loose[] = (await alice.get(`/api/servers/${server.id}/members`)).body;
      return members.some(({ userId, user }) => userId === bob.id && user.status === 'offline');
    };
    await withRows(cluster.databaseUrl, async (rows) => {
      await rows('ALTER TABLE friendships RENAME TO friendships_elsewhere');
      try {
        mouth.close();
        await until(isGone, { message: 'not gone' });
        // Several times as long as it takes until that is told.
        await delay(250);
        expect(seen(ear, bob)).to.deep.equal(['online']);
      } finally {
        await rows('ALTER TABLE friendships_elsewhere RENAME TO friendships');
      }
    });
    await told(ear, bob, 'offline');
  });

  it('shows who is there to one who joins, those who are present first', async () => {
    const { alice, bob, channel } = here;
    await bob.connect();
    const dora = await register(bob.node);
    await dora.post(`/api/servers/${here.server.id}/join`, { inviteCode: here.server.inviteCode });
    const ear = await alice.listen(channel.id);
    const snapshot = await ear.next('presence:snapshot');
    expect(snapshot.channelId).to.equal(channel.id);
    const statuses = new Map(snapshot.members.map((member: Loose) => [member.userId, member.status]));
    expect(statuses.get(dora.id)).to.equal('offline');
    await until(async () => {
      await ear.emit('channel:join', { channelId: channel.id });
      const [first, second] = ear.all('presence:snapshot').at(-1).members;
      return [first.status, second.status].join() === 'online,online';
    });
    // Those who are away come last; before word of the others came to this node, that was said of all.
    expect(ear.all('presence:snapshot').at(-1).members.at(-1).userId).to.equal(dora.id);
  });

  it('tells bots that may see no members of nobody, as long as that is so', async () => {
    const { alice, bob, server, channel } = here;
    const bot = await botIn(server, alice);
    const allow = async (mode: string) => {
      const path = `/api/channels/${channel.id}/agents/${bot.agentId}/policy`;
      expect((await alice.put(path, { mode })).status).to.equal(200);
    };
    await allow('disabled');
    const ear = await bot.listen(channel.id);
    const witness = await alice.listen(channel.id);
    const voice = await bob.connect();
    await told(witness, bob, 'online');
    expect((await ear.emit('presence:subscribe', { userIds: [bob.id] })).users).to.deep.equal([]);
    await delay(200);
    expect([ear.all('presence:snapshot'), seen(ear, bob)]).to.deep.equal([[], []]);
    await allow('replyAll');
    await ear.emit('channel:join', { channelId: channel.id });
    await ear.next('presence:snapshot');
    expect((await ear.emit('presence:subscribe', { userIds: [bob.id] })).users).to.have.length(1);
    await voice.emit('presence:update', { status: 'dnd' });
    await told(ear, bob, 'dnd');
    await allow('disabled');
    await ear.emit('channel:join', { channelId: channel.id });
    // The node puts it out of the rooms of people a moment after the answer.
    await until(
      async () => {
        const before = seen(ear, bob).length;
        for (const status of ['idle', 'dnd']) {
          await voice.emit('presence:update', { status });
          await told(witness, bob, status);
        }
        await delay(200);
        return seen(ear, bob).length === before;
      },
      { message: 'the bot is still told of people' },
    );
    bot.hangUp();
  });

  it('shows those who join a channel only the bots that are in it', async () => {
    const { alice, server, channel } = here;
    const bot = await botIn(server, alice);
    const elsewhere = await here.newChannel();
    const ear = await alice.listen(channel.id, elsewhere);
    const shown = async (channelId: string) => {
      const { members } = await ear.next('presence:snapshot', (snapshot) => snapshot.channelId === channelId);
      return members.map((member: Loose) => member.userId);
    };
    expect(await shown(channel.id)).to.include.members([alice.id, bot.id]);
    expect(await shown(elsewhere)).to.include(alice.id);
    expect(await shown(elsewhere)).not.to.include(bot.id);
  });

  it('of one who joins a server while online is told to its people at once', async () => {
    const { alice, bob, carol, channel, server } = here;
    const ears = [await alice.listen(channel.id), await bob.listen(channel.id)];
    const mouth = await carol.connect();
    const own = [mouth, await carol.on(bob.node).connect()];
    await mouth.emit('presence:update', { status: 'dnd' });
    // Both nodes have told what she was before.
    for (const ear of own) await told(ear, carol, 'dnd');
    await carol.post(`/api/servers/${server.id}/join`, { inviteCode: server.inviteCode });
    for (const ear of ears) await told(ear, carol, 'dnd');
    // Where she was in already when her wish was passed on, it is told for that too.
    for (const ear of ears) expect(new Set(seen(ear, carol))).to.deep.equal(new Set(['dnd']));
  });

  it('does not outlast those who go while they are still being let in', async () => {
    const { alice, bob, channel } = here;
    const ear = await alice.listen(channel.id);
    for (let i = 0; i < 20; i++) await goWhileArriving(bob);
    const tab = await bob.connect();
    await told(ear, bob, 'online');
    tab.close();
    await told(ear, bob, 'offline');
  });

  it('holds while one of several devices is there', async () => {
    const { alice, bob, channel } = here;
    const ear = await alice.listen(channel.id);
    const [phone, laptop] = [await bob.connect(), await bob.on(alice.node).connect()];
    await told(ear, bob, 'online');
    phone.close();
    await laptop.emit('presence:update', { status: 'dnd' });
    await told(ear, bob, 'dnd');
    laptop.close();
    await told(ear, bob, 'offline');
    expect(seen(ear, bob)).to.deep.equal(['online', 'dnd', 'offline']);
  });

  it('is as its user wishes, on all devices, until it wishes otherwise', async () => {
    const { alice, bob, channel } = here;
    const ear = await alice.listen(channel.id);
    const phone = await bob.connect();
    expect(await phone.emit('presence:update', { status: 'dnd' })).to.deep.equal({ ok: true, status: 'dnd' });
    await told(ear, bob, 'dnd');
    await told(phone, bob, 'dnd');
    phone.close();
    await told(ear, bob, 'offline');
    const laptop = await bob.on(alice.node).connect();
    await told(ear, bob, 'dnd');
    await laptop.emit('presence:update', { status: 'offline' });
    await told(ear, bob, 'offline');
    await laptop.emit('presence:update', { status: 'online' });
    await told(ear, bob, 'online');
    expect((await laptop.emit('presence:update', { status: 'busy' })).code).to.equal('VALIDATION_FAILED');
    laptop.close();
  });

  it('is as its user wishes, too, for a bot that lives by heartbeats alone', async () => {
    const { alice, channel, server } = here;
    const bot = await botIn(server, alice);
    const ear = await alice.listen(channel.id);
    const mouth = await bot.connect();
    await mouth.emit('presence:update', { status: 'dnd' });
    await told(ear, bot, 'dnd');
    mouth.close();
    await told(ear, bot, 'offline');
    await bot.post(`/api/agents/${bot.agentId}/heartbeat`);
    await told(ear, bot, 'dnd');
    expect(seen(ear, bot).slice(-3)).to.deep.equal(['dnd', 'offline', 'dnd']);
  });

  it('is nobody else’s business', async () => {
    const { alice, bob, carol, channel } = here;
    await carol.post('/api/friends/request', { username: bob.username });
    const stranger = await carol.connect();
    const ear = await alice.listen(channel.id);
    await bob.connect();
    await told(ear, bob, 'online');
    const answer = await stranger.emit('presence:subscribe', { userIds: [bob.id, alice.id, carol.id] });
    expect(answer.users).to.deep.equal([{ userId: carol.id, status: 'online' }]);
    bob.hangUp();
    await told(ear, bob, 'offline');
    expect(seen(stranger, bob)).to.deep.equal([]);
    expect(seen(stranger, alice)).to.deep.equal([]);
  });

  it('is told to friends and to those with a DM, wherever they are', async () => {
    const { alice, bob, carol } = here;
    const dora = await register(here.bob.node);
    const { id } = (await carol.post('/api/friends/request', { username: dora.username })).body;
    await dora.post(`/api/friends/${id}/accept`);
    await alice.post('/api/dm/channels', { userId: carol.id });
    const [friend, partner, other] = [await dora.connect(), await alice.connect(), await bob.connect()];
    const ear = await carol.connect();
    await told(friend, carol, 'online');
    await told(partner, carol, 'online');
    expect(seen(other, carol)).to.deep.equal([]);
    for (const [one, person] of [
      [friend, dora],
      [partner, alice],
    ] as const) {
      await one.emit('presence:update', { status: 'idle' });
      await told(ear, person, 'idle');
    }
    const asked = { userIds: [dora.id, alice.id, bob.id, carol.id] };
    const known = async (one: Listener) =>
      (await one.emit('presence:subscribe', asked)).users.map(({ userId }: Loose) => userId);
    expect(await known(ear)).to.have.members([dora.id, alice.id, carol.id]);
    expect(await known(friend)).to.have.members([dora.id, carol.id]);
    expect(await known(partner)).to.have.members([alice.id, bob.id, carol.id]);
    dora.hangUp();
  });

  it('is told once to one who knows someone in several ways', async () => {
    const { alice, bob, carol, channel } = here;
    const other = (await alice.post('/api/servers', { name: 'Another' })).body;
    await bob.post(`/api/servers/${other.id}/join`, { inviteCode: other.inviteCode });
    const [ear, far] = [await alice.listen(channel.id), await alice.connect()];
    await alice.post('/api/dm/channels', { userId: carol.id });
    const asked = [ear, far].map((one) => one.emit('presence:subscribe', { userIds: [bob.id] }));
    // Those who are told of anyway are not answered unasked.
    for (const { users } of await Promise.all(asked)) {
      expect(users).to.deep.equal([{ userId: bob.id, status: 'offline' }]);
    }
    const mouth = await bob.connect();
    for (const one of [ear, far]) await told(one, bob, 'online');
    const { id } = (await alice.post('/api/friends/request', { username: bob.username })).body;
    await bob.post(`/api/friends/${id}/accept`);
    await alice.post('/api/dm/channels', { userId: bob.id });
    for (const status of ['idle', 'dnd']) {
      await mouth.emit('presence:update', { status });
      for (const one of [ear, far]) await told(one, bob, status);
    }
    for (const one of [ear, far]) expect(seen(one, bob)).to.deep.equal(['online', 'idle', 'dnd']);
  });

  it('is not told to who asked for it and was put out of the server before the answer', async () => {
    const { alice, bob, channel, cluster, server } = here;
    const watcher = await alice.listen(channel.id);
    const ear = await bob.connect();
    await withRows(cluster.databaseUrl, async (rows) => {
      await rows('BEGIN');
      await rows('LOCK TABLE friendships IN ACCESS EXCLUSIVE MODE');
      const asked = ear.emit('presence:subscribe', { userIds: [alice.id] });
      const waiting = `SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%friendships%'`;
      await until(async () => (await query(cluster.databaseUrl, waiting)).length > 0, { message: 'nobody asked' });
      expect((await alice.delete(`/api/servers/${server.id}/members/${bob.id}`)).status).to.equal(200);
      await rows('COMMIT');
      expect(await asked).to.include({ ok: true });
    });
    await watcher.emit('presence:update', { status: 'idle' });
    await told(watcher, alice, 'idle');
    await delay(250);
    expect(seen(ear, alice)).not.to.include('idle');
  });

  it('is told of those who were asked for, until the server is left', async () => {
    const { alice, bob, server, channel } = here;
    const watcher = await alice.listen(channel.id);
    const ear = await bob.connect();
    const subscribe = () => ear.emit('presence:subscribe', { userIds: [alice.id] });
    // That Alice has come may take a moment to reach Bob's node; it is told then.
    const [first] = (await subscribe()).users;
    if (first.status === 'offline') await told(ear, alice, 'online');
    expect((await subscribe()).users).to.deep.equal([{ userId: alice.id, status: 'online' }]);
    await watcher.emit('presence:update', { status: 'idle' });
    await told(ear, alice, 'idle');
    await bob.post(`/api/servers/${server.id}/leave`);
    await watcher.emit('presence:update', { status: 'dnd' });
    await told(watcher, alice, 'dnd');
    expect(seen(ear, alice).filter((status) => status !== 'online')).to.deep.equal(['idle']);
    expect((await ear.emit('presence:subscribe', { userIds: [alice.id] })).users).to.deep.equal([]);
    const tooMany = Array.from({ length: 201 }, () => alice.id);
    expect((await ear.emit('presence:subscribe', { userIds: tooMany })).code).to.equal('VALIDATION_FAILED');
  });

  describe('activity', () => {
    it('is shown in a channel, and ends with the connection', async () => {
      const { alice, bob, channel } = here;
      const ear = await alice.listen(channel.id);
      const mouth = await bob.listen(channel.id);
      const activity = { channelId: channel.id, activity: 'is thinking' };
      expect(await mouth.emit('presence:activity', activity)).to.deep.equal({ ok: true });
      expect(await ear.next('presence:activity')).to.deep.equal({ ...activity, userId: bob.id });
      mouth.close();
      await ear.next('presence:activity', (event) => event.activity === null);
      expect(mouth.all('presence:activity')).to.deep.equal([]);
    });

    it('ends also where the connection was gone before it began', async () => {
      const { alice, bob, channel } = here;
      const ear = await alice.listen(channel.id);
      const activity = { channelId: channel.id, activity: 'is leaving' };
      for (let i = 0; i < 10; i++) await goWhileArriving(bob, 'presence:activity', activity);
      const mouth = await bob.listen(channel.id);
      await mouth.emit('presence:activity', activity);
      mouth.close();
      // Each may have taken over from the one before, which then ends silently: what counts is what is left.
      await until(() => ear.all('presence:activity').at(-1)?.activity === null, { message: 'not all have ended' });
      const late = await alice.listen(channel.id);
      expect((await late.next('presence:snapshot')).activities).to.deep.equal([]);
    });

    it('needs a channel that one is in, and a text that fits', async () => {
      const { carol, channel, bob } = here;
      const code = async (ear: Listener, activity: unknown) =>
        (await ear.emit('presence:activity', { channelId: channel.id, activity })).code;
      expect(await code(await carol.connect(), 'is lurking')).to.equal('CHANNEL_NOT_FOUND');
      const ear = await bob.connect();
      for (const bad of ['x'.repeat(129), '', 7]) expect(await code(ear, bad)).to.equal('VALIDATION_FAILED');
    });
  });
});

describe('presence of many', () => {
  let cluster: Cluster;
  const people: Person[] = [];
  before(async () => {
    cluster = await startCluster({ settings: { presence: { tellMs: 1000 } } });
  });
  after(async () => {
    for (const person of people) person.hangUp();
    await cluster.stop();
  });

  it('who come at once is put together', async () => {
    const { alice, server, channel, close } = await world(cluster);
    for (let i = 0; i < 24; i++) {
      const node = cluster.nodes[i % cluster.nodes.length] ?? alice.node;
      const person = await register(node);
      people.push(person);
      await person.post(`/api/servers/${server.id}/join`, { inviteCode: server.inviteCode });
    }
    const ear = await alice.listen(channel.id);
    await Promise.all(people.map((person) => person.connect()));
    for (const person of people) await told(ear, person, 'online');
    expect(ear.all('presence:change').length).to.be.below(people.length / 2);
    for (const person of people) expect(seen(ear, person)).to.deep.equal(['online']);
    close();
  });
});

describe('presence with a grace that is longer than any reload', () => {
  let cluster: Cluster;
  before(async () => {
    cluster = await startCluster({ settings: { presence: { graceMs: 30_000 } } });
  });
  after(() => cluster.stop());

  it('makes no noise when someone reloads, also on another node', async () => {
    const { alice, bob, channel, close } = await world(cluster);
    const ear = await alice.listen(channel.id);
    let tab = await bob.connect();
    await told(ear, bob, 'online');
    for (let i = 0; i < 4; i++) {
      tab.close();
      const node = cluster.nodes[i % cluster.nodes.length] ?? bob.node;
      tab = await bob.on(node).connect();
    }
    await tab.emit('presence:update', { status: 'idle' });
    await told(ear, bob, 'idle');
    expect(seen(ear, bob)).to.deep.equal(['online', 'idle']);
    close();
  });
});

describe('a good-bye', () => {
  let cluster: Cluster;
  before(async () => {
    cluster = await startCluster({ settings: { publicUrl: site, presence: { graceMs: 3_600_000 } } });
  });
  after(() => cluster.stop());

  it('ends presence at once on all nodes, unless a socket still lives', async () => {
    const { alice, bob, channel, close } = await world(cluster);
    const ear = await alice.listen(channel.id);
    const [phone, laptop] = [await bob.connect(), await bob.on(alice.node).connect()];
    await told(ear, bob, 'online');
    phone.close();
    expect((await bob.post('/api/auth/disconnect')).body).to.deep.equal({ ok: true, success: true });
    await laptop.emit('presence:update', { status: 'idle' });
    await told(ear, bob, 'idle');
    laptop.close();
    await until(async () => {
      await bob.on(alice.node).post('/api/auth/disconnect');
      return seen(ear, bob).at(-1) === 'offline';
    });
    expect(seen(ear, bob)).to.deep.equal(['online', 'idle', 'offline']);
    close();
  });

  it('is for who is signed in: no app, no rehearsal and no token for something else does it for them', async () => {
    const { alice, bob, channel, server, close } = await world(cluster);
    const ear = await alice.listen(channel.id);
    const [robot, other] = [await botIn(server, alice), await botIn(server, alice)];
    const app = await registered(alice);
    const signOffs = [
      [bob, (await tokensOf(bob, app, 'messages:write')).access_token],
      [bob, (await bob.post('/api/tokens', { name: 'reader', scope: 'messages:read account:write' })).body.token],
      [robot, (await alice.post(`/api/agents/${robot.agentId}/rehearsals`)).body.token],
    ] as const;
    for (const one of [bob, robot, other]) {
      (await one.connect()).close();
      await told(ear, one, 'online');
    }
    const signOff = ({ node }: Person, token: string) =>
      request(node, 'POST', '/api/auth/disconnect', { token }).then(({ status }) => expect(status).to.equal(200));
    // By then the node knows that the other sockets are gone, too.
    await until(async () => {
      for (const [who, token] of signOffs) await signOff(who, token);
      await signOff(other, other.token);
      return seen(ear, other).at(-1) === 'offline';
    });
    for (const [who, token] of signOffs) await signOff(who, token);
    const mark = await botIn(server, alice);
    await mark.connect();
    await told(ear, mark, 'online');
    for (const one of [bob, robot]) expect(seen(ear, one)).to.deep.equal(['online']);
    for (const one of [bob, robot]) await signOff(one, one.token);
    await told(ear, bob, 'offline');
    await told(ear, robot, 'offline');
    mark.hangUp();
    close();
  });

  const forms = {
    URLSearchParams: (token: string) => new URLSearchParams({ token }),
    FormData: (token: string) => {
      const form = new FormData();
      form.set('token', token);
      return form;
    },
  };
  for (const [name, formOf] of Object.entries(forms)) {
    it(`is understood as the form that \`sendBeacon\` makes of ${name}`, async () => {
      const { alice, bob, channel, close } = await world(cluster);
      const ear = await alice.listen(channel.id);
      (await bob.connect()).close();
      await told(ear, bob, 'online');
      await until(async () => {
        await fetch(`${bob.node.url}/api/auth/disconnect`, { method: 'POST', body: formOf(bob.token) });
        return seen(ear, bob).at(-1) === 'offline';
      });
      close();
    });
  }
});
