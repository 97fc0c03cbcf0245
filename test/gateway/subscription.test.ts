// nodes: own

import { once } from 'node:events';
import { createServer } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { Server } from 'socket.io';
import { io, type Socket } from 'socket.io-client';
import { channelRoom } from '../../src/contract/rooms.ts';
import type { ParleyServer, ParleySocket } from '../../src/gateway/socket.ts';
import { claim, closeAll, isLive, liveOf, Subscription, subscriptionOf } from '../../src/gateway/subscription.ts';
import { freePort } from '../rig/free-port.ts';

describe('a subscription', () => {
  let server: ParleyServer;
  let client: Socket;
  let socket: ParleySocket;
  const room = channelRoom('a');
  const place = { room, serverId: 's' };
  const any = () => true;
  const none = () => false;

  beforeEach(async () => {
    const port = await freePort();
    server = new Server(createServer().listen(port, '127.0.0.1'));
    const connected = once(server, 'connection');
    client = io(`http://127.0.0.1:${port}`, { transports: ['websocket'], forceNew: true, reconnection: false });
    [socket] = await connected;
    socket.data.subscriptions = new Map();
  });
  afterEach(async () => {
    client.disconnect();
    await server.close();
  });

  /** The rooms that the socket is in, apart from its own. */
  const rooms = () => [...socket.rooms].filter((name) => name !== socket.id).sort();
  const open = (name: string = room, isOwed = false) => Subscription.open(socket, name, place, 3, isOwed);
  function enterAt(one: Subscription, position: number, isFiltered = false): boolean {
    one.begin();
    return one.enter(position, room, isFiltered);
  }

  it('enters the rooms of Socket.IO when it is live, and not before', () => {
    const one = open();
    one.begin();
    expect([one.phase, isLive(socket, room), rooms()]).to.deep.equal(['catching up', false, []]);
    expect(one.enter(7, room, false)).to.equal(true);
    expect([one.phase, one.position, isLive(socket, room)]).to.deep.equal(['live', 7, true]);
    expect(rooms()).to.deep.equal([room, 'server:s']);
  });

  it('of a bot enters no room that the log is broadcast to', () => {
    expect(enterAt(open(), 7, true)).to.equal(true);
    // Nor the server's, until it is known whether it may see the members.
    expect(rooms()).to.deep.equal([]);
  });

  it('continues as before when it is entered again', () => {
    const one = open();
    enterAt(one, 7);
    expect(enterAt(one, 9)).to.equal(true);
    expect([one.phase, one.position]).to.deep.equal(['live', 7]);
  });

  it('leaves what no other one of its socket needs', () => {
    const [channel, thread, other] = [open(), open('thread:t'), open('thread:u')];
    for (const one of [channel, thread, other]) enterAt(one, 7);
    expect(rooms()).to.deep.equal([room, `followers:${room}`, 'server:s', 'thread:t', 'thread:u']);
    channel.lose();
    thread.lose();
    expect(rooms()).to.deep.equal([`followers:${room}`, 'server:s', 'thread:u']);
    other.lose();
    expect(rooms()).to.deep.equal([]);
    expect(socket.data.subscriptions.size).to.equal(0);
  });

  it('that is lost while it catches up never enters, and is there until whoever brought it in is done', () => {
    const one = open(room, true);
    one.begin();
    one.lose();
    expect(() => one.requireHeld())
      .to.throw()
      .with.property('code', 'CHANNEL_NOT_FOUND');
    expect(one.enter(7, room, false)).to.equal(false);
    expect([rooms(), subscriptionOf(socket, room)]).to.deep.equal([[], one]);
    one.release();
    expect(subscriptionOf(socket, room)).to.equal(undefined);
  });

  it('is released only if it is not live', () => {
    const [live, failed] = [open(), open('thread:t')];
    enterAt(live, 7);
    failed.begin();
    for (const one of [live, failed]) one.release();
    expect(liveOf(socket)).to.deep.equal([live]);
    expect([failed.phase, socket.data.subscriptions.size]).to.deep.equal(['lost', 1]);
  });

  it('is given back if it is owed, unless it was over before', () => {
    const [owed, own, left] = [open(room, true), open('thread:t'), open('thread:u', true)];
    for (const one of [owed, own]) one.begin();
    enterAt(left, 7);
    left.lose();
    for (const one of [owed, own, left]) one.giveBack();
    expect([owed.phase, own.phase, left.phase]).to.deep.equal(['entering', 'lost', 'lost']);
    expect([...socket.data.subscriptions.keys()]).to.deep.equal([room]);
  });

  it('is claimed by one at a time', async () => {
    const taken: string[] = [];
    const take = async (name: string) => {
      const one = await claim(socket, room, any, () => open(room, true));
      taken.push(name);
      return one;
    };
    const one = await take('first');
    const others = [take('second'), take('third')];
    await turn();
    expect(taken).to.deep.equal(['first']);
    one.giveBack();
    await turn();
    expect(taken).to.deep.equal(['first', 'second']);
    one.release();
    await turn();
    expect(taken).to.deep.equal(['first', 'second', 'third']);
    expect((await Promise.all(others)).map((other) => other === one)).to.deep.equal([true, false]);
  });

  it('of which nothing has begun is waited for by those who may not take it', async () => {
    const one = open(room, true);
    const claimed = claim(socket, room, none, () => undefined);
    await turn();
    enterAt(one, 7);
    expect((await claimed)?.phase).to.equal('live');
  });

  it('of a socket that has disconnected enters nothing, and nobody waits for it', async () => {
    const [live, due] = [open('thread:t'), open()];
    enterAt(live, 7);
    due.begin();
    const waiting = claim(socket, room, none, () => undefined);
    const gone = once(socket, 'disconnect');
    client.disconnect();
    await gone;
    expect(due.enter(7, room, false)).to.equal(false);
    closeAll(socket);
    expect(await waiting).to.equal(undefined);
    live.lose();
    expect(server.of('/').adapter.rooms.size).to.equal(0);
  });
});
