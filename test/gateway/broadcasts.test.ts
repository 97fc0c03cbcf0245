// nodes: own

import { Socket as TcpSocket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { WebSocket } from 'ws';
import { randomOf, seedOfRun } from '../rig/random.ts';
import { until } from '../rig/until.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { type World, world } from '../world/world.ts';

const writesAtOnce = 10;
const inRoom = 100;

/** A client with as little cost of its own as possible, that notes the numbers of a room's events. */
class Listener {
  /** Of the messages, since it was last joined. */
  seqs: number[] = [];
  /** How often it was told that someone is typing. */
  typing = 0;
  joinedAt = 0;
  isGone = false;
  private readonly socket: WebSocket;
  private readonly acks = new Map<number, (answer: { ok: boolean; seq: number }) => void>();
  private nextId = 0;

  private constructor(socket: WebSocket) {
    this.socket = socket;
  }

  static connect(port: number, token: string): Promise<Listener> {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/socket.io/?EIO=4&transport=websocket`);
    const listener = new Listener(socket);
    return new Promise((resolve) => {
      socket.on('message', (data: Buffer) => {
        const text = data.toString();
        if (text.startsWith('0')) socket.send(`40${JSON.stringify({ token })}`);
        else if (text === '2') socket.send('3');
        else if (text.startsWith('42["ready"')) resolve(listener);
        else listener.take(text);
      });
    });
  }

  async join(channelId: string): Promise<void> {
    await this.ask('channel:join', { channelId }, ({ seq }) => {
      this.joinedAt = seq;
      this.seqs = [];
    });
  }

  async leave(channelId: string): Promise<void> {
    await this.ask('channel:leave', { channelId }, () => {});
  }

  close(): void {
    this.isGone = true;
    this.socket.terminate();
  }

  /** @param answered called in the turn of the ack: the next packet may be an event */
  private ask(event: string, payload: object, answered: (answer: { seq: number }) => void): Promise<void> {
    const id = this.nextId++;
    return new Promise((resolve, reject) => {
      this.acks.set(id, (answer) => {
        if (!answer.ok) reject(new Error(JSON.stringify(answer)));
        answered(answer);
        resolve();
      });
      this.socket.send(`42${id}${JSON.stringify([event, payload])}`);
    });
  }

  private take(text: string): void {
    const [, id, answer] = /^43(\d+)(.*)$/s.exec(text) ?? [];
    if (id !== undefined && answer !== undefined) {
      this.acks.get(Number(id))?.(JSON.parse(answer)[0]);
      this.acks.delete(Number(id));
    } else if (text.startsWith('42["message:typing"')) this.typing++;
    else if (text.startsWith('42["message:new"')) this.seqs.push(JSON.parse(text.slice(2))[1].eventSeq);
  }
}

describe('a broadcast to many', () => {
  let cluster: Cluster;
  let here: World;
  let listeners: Listener[];

  before(async () => {
    cluster = await startCluster({ nodes: 1, settings: { sockets: { writesAtOnce } } });
    here = await world(cluster);
    const { bob, channel } = here;
    listeners = await Promise.all(Array.from({ length: inRoom }, () => Listener.connect(bob.node.port, bob.token)));
    for (const listener of listeners) await listener.join(channel.id);
  });
  after(async () => {
    for (const listener of listeners) listener.close();
    here.close();
    await cluster.stop();
  });

  /** The most frames with an event that are written between two turns of the event loop, while `work` runs. */
  async function mostInOneTurn(event: string, work: () => Promise<unknown>): Promise<number> {
    const { write } = TcpSocket.prototype;
    let most = 0;
    let inTurn = 0;
    Reflect.set(TcpSocket.prototype, 'write', function count(this: TcpSocket, ...given: Parameters<typeof write>) {
      if (given[0] instanceof Buffer && given[0].includes(`"${event}"`)) most = Math.max(most, ++inTurn);
      return write.apply(this, given);
    });
    let isOver = false;
    const turns = async () => {
      for (; !isOver; inTurn = 0) await nextTurn();
    };
    const turning = turns();
    await work();
    isOver = true;
    await turning;
    TcpSocket.prototype.write = write;
    return most;
  }

  it('lets everything else have its turn after so many sockets, also when several follow one another', async () => {
    const { alice, channel } = here;
    const many = Array.from({ length: 20 }, (_, i) => `number ${i}`);
    const most = await mostInOneTurn('message:new', async () => {
      const before = listeners[0]?.seqs.length ?? 0;
      await Promise.all(many.map((text) => alice.say(channel.id, text)));
      await until(() => listeners.every(({ seqs }) => seqs.length === before + many.length));
    });
    // What has come meanwhile leaves with what waits for a socket, in pieces of its own.
    expect(most).to.be.within(writesAtOnce, 2 * writesAtOnce);
    const [first] = listeners;
    for (const { seqs } of listeners) expect(seqs).to.deep.equal(first?.seqs);
  });

  it('does so for events outside the log, too', async () => {
    const { alice, channel } = here;
    const typist = await alice.listen(channel.id);
    const most = await mostInOneTurn('message:typing', async () => {
      await typist.emit('message:typing', { channelId: channel.id });
      await until(() => listeners.every(({ typing }) => typing === 1));
    });
    expect(most).to.equal(writesAtOnce);
  });

  const seed = seedOfRun();
  it(`gives each its events once and in order, while sockets come and go (PARLEY_SEED=${seed})`, async () => {
    const random = randomOf(seed);
    const { alice, bob, channel } = here;
    const pick = () => listeners.filter(({ isGone }) => !isGone)[random(inRoom / 2)];
    let head = 0;
    const talking = Promise.all(
      Array.from({ length: 4 }, async () => {
        for (let i = 0; i < 25; i++) head = Math.max(head, (await alice.say(channel.id, `${i}`)).seq);
      }),
    );
    for (let step = 0; step < 60; step++) {
      const some = pick();
      if (step % 6 === 0) some?.close();
      else if (step % 6 === 1) {
        const late = await Listener.connect(bob.node.port, bob.token);
        await late.join(channel.id);
        listeners.push(late);
      } else if (some) {
        await some.leave(channel.id);
        // Nothing of the room comes after that.
        const { length } = some.seqs;
        if (random(2)) await nextTurn();
        expect(some.seqs.length).to.equal(length);
        await some.join(channel.id);
      }
    }
    await talking;
    for (const { seqs, joinedAt, isGone } of listeners) {
      if (isGone) continue;
      await until(() => joinedAt >= head || seqs.at(-1) === head);
      expect(seqs).to.deep.equal(Array.from({ length: head - joinedAt }, (_, i) => joinedAt + 1 + i));
    }
  });

  it('is finished before a deleted channel is emptied: everybody is told', async () => {
    const { alice, bob } = here;
    const id = await here.newChannel('short-lived');
    const told = await Promise.all(Array.from({ length: 4 * writesAtOnce }, () => bob.listen(id)));
    const ends = told.map((listener) => listener.next('channel:deleted'));
    await alice.delete(`/api/channels/${id}`);
    await Promise.all(ends);
  });
});
