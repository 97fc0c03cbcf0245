// nodes: one and two

import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { WebSocket } from 'ws';
import { until } from '../rig/until.ts';
import { range } from '../world/follower.ts';
import { appendCopies } from '../world/log.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import type { Loose } from '../world/person.ts';
import { type World, world } from '../world/world.ts';

/** Socket.IO's packets over a WebSocket, so that they can be sent late and twice, as lines and proxies do. */
class Line {
  readonly packets: string[] = [];
  private readonly socket: WebSocket;

  private constructor(url: string) {
    this.socket = new WebSocket(`${url.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket`);
    this.socket.on('message', (data) => this.packets.push(String(data)));
  }

  static async open(url: string): Promise<Line> {
    const line = new Line(url);
    await once(line.socket, 'open');
    return line;
  }

  get isOpen(): boolean {
    return this.socket.readyState === WebSocket.OPEN;
  }

  /** The private id of its session, once it is connected. */
  get pid(): string | undefined {
    return this.connected?.pid;
  }

  /** The id of its socket. */
  get sid(): string | undefined {
    return this.connected?.sid;
  }

  private get connected(): { pid: string; sid: string } | undefined {
    const packet = this.packets.find((text) => text.startsWith('40'));
    return packet && JSON.parse(packet.slice(2));
  }

  get events(): [string, Loose, string][] {
    return this.packets.filter((packet) => packet.startsWith('42')).map((packet) => JSON.parse(packet.slice(2)));
  }

  get seqs(): number[] {
    return this.events.filter(([event]) => event === 'message:new').map(([, { eventSeq }]) => eventSeq);
  }

  /** The numbers of the large copies. */
  get own(): number[] {
    return this.events.filter(([, { pad }]) => pad).map(([, { eventSeq }]) => eventSeq);
  }

  get offset(): string | undefined {
    return this.events.findLast(([, , offset]) => offset)?.[2];
  }

  send(packet: string): void {
    this.socket.send(packet);
  }

  connect(auth: object): void {
    this.send(`40${JSON.stringify(auth)}`);
  }

  /** Reads nothing more. */
  pause(): void {
    this.socket.pause();
  }

  end(): void {
    this.socket.terminate();
  }

  /** Ends it in a way that the server has heard of by then. */
  async leave(): Promise<void> {
    const closed = once(this.socket, 'close');
    this.socket.close();
    await closed;
  }
}

describe('a session that is taken up again', () => {
  let cluster: Cluster;
  let here: World;
  let channelId: string;
  const lines: Line[] = [];

  before(async () => {
    cluster = await startCluster({ settings: { sockets: { pingIntervalMs: 200, pingTimeoutMs: 20_000 } } });
    here = await world(cluster);
  });
  afterEach(() => {
    for (const line of lines.splice(0)) line.end();
  });
  after(async () => {
    here.close();
    await cluster.stop();
  });

  const open = async () => {
    const line = await Line.open(here.bob.node.url);
    lines.push(line);
    return line;
  };
  const say = async (count: number) => {
    const said = [];
    for (let i = 0; i < count; i++) said.push((await here.alice.say(channelId, 'hello')).seq);
    return said;
  };
  const reach = (line: Line, seq: number | undefined) =>
    until(() => line.seqs.some((given) => given === seq), { message: `event ${seq} did not come` });

  /** Bob in a new channel of which he got one message. @returns what his client would come back with */
  async function begin(): Promise<{
    line: Line;
    auth: { token: string; pid?: string; offset?: string };
    from: number;
  }> {
    channelId = await here.newChannel();
    const line = await open();
    line.connect({ token: here.bob.token });
    await until(() => line.offset, { message: 'not ready' });
    line.send(`421${JSON.stringify(['channel:join', { channelId }])}`);
    await until(() => line.packets.some((packet) => packet.startsWith('431')), { message: 'not joined' });
    const [from = 0] = await say(1);
    await reach(line, from);
    return { line, auth: { token: here.bob.token, pid: line.pid, offset: line.offset }, from };
  }

  it('by two connections at once is only with one, which hears everything once', async () => {
    const { line, auth, from } = await begin();
    line.end();
    await say(3);
    const both = [await open(), await open()];
    for (const each of both) each.connect(auth);
    await until(() => both.some((each) => !each.isOpen), { message: 'both are there' });
    expect(both[0]?.sid).not.to.equal(both[1]?.sid);
    const other = both.find((each) => each.isOpen);
    const [last = 0] = await say(1);
    if (!other) throw new Error('none is there');
    await reach(other, last);
    expect(other.seqs).to.deep.equal(range(from + 1, last));
    // The one that was turned away comes again.
    const again = await open();
    again.connect(auth);
    const [end = 0] = await say(1);
    await reach(again, end);
    expect(again.seqs).to.deep.equal(range(from + 1, end));
    expect(again.pid).to.equal(auth.pid);
  });

  it('has the same id, as the documents of Socket.IO say, and again the next time', async () => {
    const { line, auth } = await begin();
    let last = line;
    for (let i = 0; i < 3; i++) {
      await last.leave();
      const next = await open();
      next.connect({ ...auth, offset: last.offset ?? auth.offset });
      // Until it is ready its id is promised to it, and who comes meanwhile gets another one.
      await until(() => next.events.some(([event]) => event === 'ready'), { message: 'not ready' });
      expect(next.sid).to.equal(line.sid);
      last = next;
    }
  });

  it('has the same id also after its token was refused once', async () => {
    const { line, auth } = await begin();
    line.end();
    const refused = await open();
    refused.connect({ ...auth, token: 'nonsense' });
    await until(() => refused.packets.some((packet) => packet.startsWith('44')), { message: 'not refused' });
    const next = await open();
    next.connect(auth);
    await until(() => next.sid, { message: 'not back' });
    expect([next.pid, next.sid]).to.deep.equal([auth.pid, line.sid]);
  });

  it('twice on one connection, by a request that was repeated, is whole with the next one', async () => {
    const { line, auth, from } = await begin();
    line.end();
    await say(3);
    const twice = await open();
    twice.connect(auth);
    twice.connect(auth);
    await until(() => !twice.isOpen, { message: 'it goes on' });
    const got = twice.seqs;
    const next = await open();
    next.connect({ ...auth, offset: twice.offset ?? auth.offset });
    const [last = 0] = await say(1);
    await reach(next, last);
    expect([...got, ...next.seqs]).to.deep.equal(range(from + 1, last));
    expect(next.pid).to.equal(auth.pid);
  });

  it('once more on a connection that has been whole for long ends that connection, and no other', async () => {
    const { line, auth } = await begin();
    line.connect({ token: auth.token });
    await until(() => !line.isOpen, { message: 'it is still there' });
    const [last] = await say(1);
    const again = await open();
    again.connect(auth);
    await reach(again, last);
  });

  it('by an old request that came late sends nothing again to the client, which was back before', async () => {
    const { line, auth } = await begin();
    line.end();
    const seqs = await say(3);
    const back = await open();
    back.connect(auth);
    await reach(back, seqs.at(-1));
    const late = await open();
    late.connect(auth);
    await reach(late, seqs.at(-1));
    expect(back.isOpen).to.equal(false);
    const next = await open();
    next.connect({ ...auth, offset: back.offset });
    await until(() => next.events.some(([event]) => event === 'ready'), { message: 'not ready' });
    await say(1);
    // It was told to begin anew, with the position that it has.
    expect(next.pid).not.to.equal(auth.pid);
    expect(next.seqs).to.deep.equal([]);
  });

  it('after a pong that came twice has what was sent between ping and pong, and did not arrive', async () => {
    const { line, auth, from } = await begin();
    const pings = () => line.packets.filter((packet) => packet === '2').length;
    await until(() => pings() > 0, { message: 'no ping' });
    const last = (await say(3)).at(-1) ?? 0;
    await reach(line, last);
    line.send('3');
    line.send('3');
    // Its answer says that both were heard.
    line.send('422["no such event"]');
    await until(() => line.packets.some((packet) => packet.startsWith('432')), { message: 'not heard' });
    line.end();
    const next = await open();
    next.connect(auth);
    await reach(next, last);
    expect(next.pid).to.equal(auth.pid);
    expect(next.seqs).to.deep.equal(range(from + 1, last));
  });

  it('after a late pong has what was sent again since the ping, and did not arrive', async () => {
    const { line, auth, from } = await begin();
    line.end();
    await say(3);
    const back = await open();
    await until(() => back.packets.includes('2'), { message: 'no ping' });
    back.connect(auth);
    await until(() => back.seqs.length >= 3, { message: 'not all came' });
    back.send('3');
    // Its answer says that this was heard.
    back.send('422["no such event"]');
    await until(() => back.packets.some((packet) => packet.startsWith('432')), { message: 'not heard' });
    back.end();
    const next = await open();
    next.connect(auth);
    const [last = 0] = await say(1);
    await reach(next, last);
    expect(next.pid).to.equal(auth.pid);
    expect(next.seqs).to.deep.equal(range(from + 1, last));
  });

  it('begins anew where more came at once than a room remembers the delivery of: nobody knows what arrived', async () => {
    const { line, auth } = await begin();
    const many = 10_000;
    await appendCopies(cluster.databaseUrl, channelId, many);
    await until(() => line.events.length > many, { message: 'not all came' });
    line.end();
    const next = await open();
    next.connect(auth);
    await until(() => next.pid, { message: 'not back' });
    expect(next.pid).not.to.equal(auth.pid);
  });

  it('goes on where more came than a room remembers the delivery of, once the client has answered a ping after that', async () => {
    const { line, auth } = await begin();
    const many = 10_000;
    await appendCopies(cluster.databaseUrl, channelId, many);
    await until(() => line.events.length > many, { message: 'not all came' });
    const pings = () => line.packets.filter((packet) => packet === '2').length;
    const before = pings();
    line.send('3');
    await until(() => pings() > before, { message: 'no ping' });
    line.send('3');
    // Its answer says that this was heard.
    line.send('422["no such event"]');
    await until(() => line.packets.some((packet) => packet.startsWith('432')), { message: 'not heard' });
    const { offset } = line;
    line.end();
    const next = await open();
    next.connect({ ...auth, offset });
    await until(() => next.pid, { message: 'not back' });
    expect(next.pid).to.equal(auth.pid);
    const [last] = await say(1);
    await reach(next, last);
    expect(next.seqs).to.deep.equal([last]);
  });

  it('is not in a channel that was left after it had come back to it', async () => {
    const { line, auth } = await begin();
    line.end();
    const [missed = 0] = await say(1);
    const back = await open();
    back.connect(auth);
    await reach(back, missed);
    back.send(`423${JSON.stringify(['channel:leave', { channelId }])}`);
    await until(() => back.packets.some((packet) => packet.startsWith('433')), { message: 'has not left' });
    back.end();
    await say(1);
    const next = await open();
    next.connect({ ...auth, offset: back.offset });
    await until(() => next.pid, { message: 'not back' });
    expect(next.pid).to.equal(auth.pid);
    // What comes of a join comes behind all that was missed.
    next.send(`424${JSON.stringify(['channel:join', { channelId: here.channel.id }])}`);
    await until(() => next.packets.some((packet) => packet.startsWith('434')), { message: 'not joined' });
    expect(next.seqs).to.deep.equal([]);
  });

  it('goes on in the middle of what it missed in the own room, and in the DM of which it was told before that', async () => {
    const { line, auth } = await begin();
    line.end();
    const { alice, bob } = here;
    const { seq } = (await bob.get('/api/events')).body;
    const { id } = (await alice.post('/api/dm/channels', { userId: bob.id })).body;
    await alice.say(id, 'in the DM');
    // The DM, and its notification.
    await until(async () => (await bob.get(`/api/events?after=${seq}`)).body.events.length === 2);
    const head = await appendCopies(cluster.databaseUrl, bob.id, 300, 40_000);
    const back = await open();
    back.connect(auth);
    await until(() => back.own.length > 50, { message: 'nothing comes' });
    back.pause();
    // Until as much is on its way as a line holds; the rest waits for the reader.
    await delay(300);
    back.end();
    const next = await open();
    next.connect({ ...auth, offset: back.offset });
    await until(() => next.own.at(-1) === head, { message: 'not all came' });
    await until(() => next.events.some(([, { content }]) => content === 'in the DM'), { message: 'nothing of the DM' });
    expect(next.pid).to.equal(auth.pid);
    expect([...back.own, ...next.own]).to.deep.equal(range(back.own[0] ?? 0, head));
    expect(next.own[0]).to.be.greaterThan(50);
  });

  for (const [when, away] of [
    ['while its line was dead', false],
    ['while it was away, and its line died again when it was back', true],
  ] as const) {
    it(`hears of the end of a channel ${when}`, async () => {
      const { line, auth } = await begin();
      const witness = await here.alice.listen(channelId);
      const isOver = (one: Line) => one.events.some(([event]) => event === 'channel:deleted');
      if (away) line.end();
      expect((await here.alice.delete(`/api/channels/${channelId}`)).status).to.equal(200);
      await witness.next('channel:deleted');
      const last = away ? await open() : line;
      if (away) last.connect(auth);
      await until(() => isOver(last), { message: 'not told' });
      last.end();
      // With the offset from before: none of it has arrived.
      const next = await open();
      next.connect(auth);
      await until(() => next.pid, { message: 'not back' });
      expect(next.pid).to.equal(auth.pid);
      await until(() => isOver(next), { message: 'not told again' });
      next.end();
      const end = await open();
      end.connect({ ...auth, offset: next.offset });
      // What comes of a join comes behind all that was missed.
      await until(() => end.pid, { message: 'not back' });
      end.send(`424${JSON.stringify(['channel:join', { channelId: here.channel.id }])}`);
      await until(() => end.packets.some((packet) => packet.startsWith('434')), { message: 'not joined' });
      expect(end.pid).to.equal(auth.pid);
      expect(isOver(end)).to.equal(false);
    });
  }

  it('begins anew where it missed more than may be sent to it again', async () => {
    const { line, auth } = await begin();
    line.end();
    await appendCopies(cluster.databaseUrl, channelId, 5001);
    const next = await open();
    next.connect(auth);
    await until(() => next.pid, { message: 'not back' });
    expect(next.pid).not.to.equal(auth.pid);
  });

  it('brings nothing of a room from before it was entered, though its offset is older than that', async () => {
    const { line, auth } = await begin();
    const entered = channelId;
    channelId = await here.newChannel();
    // So that this node gives out what is said there before.
    await here.bob.listen(channelId);
    await say(3);
    line.send(`422${JSON.stringify(['channel:join', { channelId }])}`);
    await until(() => line.packets.some((packet) => packet.startsWith('432')), { message: 'not joined' });
    line.end();
    const next = await open();
    next.connect(auth);
    const [seq = 0] = await say(1);
    channelId = entered;
    const [last = 0] = await say(1);
    await until(() => next.seqs.length >= 2, { message: 'not all came' });
    expect(next.pid).to.equal(auth.pid);
    expect(next.seqs.sort()).to.deep.equal([last, seq].sort());
  });
});
