// nodes: own

import { expect } from 'chai';
import { newId } from '../../src/infrastructure/ids.ts';
import { type Node, startNode } from '../../src/node/node.ts';
import { createDatabase, type TestDatabase } from '../rig/postgres.ts';
import { until } from '../rig/until.ts';
import { keptLog } from '../world/kept-log.ts';
import { migrated, testSettings } from '../world/nodes.ts';
import type { Person } from '../world/person.ts';
import { RawPoller } from '../world/raw-poller.ts';
import { register } from '../world/world.ts';

describe('a client that ignores that it sends too much', () => {
  const { log, messages } = keptLog();
  const refused = 'A socket sends far more than it may and is cut off.';
  let database: TestDatabase;
  let node: Node;
  let alice: Person;
  before(async () => {
    database = await createDatabase(migrated);
    const settings = testSettings(database.url, null);
    const rates = { ...settings.rates, joins: { points: 3, seconds: 1 } };
    node = await startNode({ ...settings, rates, rateLimits: true }, log);
    alice = await register(node);
  });
  beforeEach(() => void messages.splice(0));
  after(async () => {
    alice.hangUp();
    await node.stop();
    await database.drop();
  });

  it('is cut off, and what else came with the same request is dropped', async () => {
    const poller = await RawPoller.open(node.url, alice.token);
    await poller.send(Array.from({ length: 20_000 }, () => '42["x"]').join('\x1e'));
    await until(() => poller.end);
    expect(poller.end?.status).to.equal(400);
    expect(poller.events('error').length).to.be.below(2500);
    expect(messages.filter((message) => message === refused)).to.have.length(1);
  });

  it('comes back, if it is a stock client', async () => {
    const { socket } = await alice.connect({ reconnectionDelay: 50 });
    let ends = 0;
    socket.on('disconnect', () => ends++);
    for (let i = 0; i < 5000; i++) socket.emit('presence:update', { status: 'online' });
    await until(() => ends > 0 && socket.connected);
    expect(messages).to.include(refused);
    socket.disconnect();
  });

  it('may go on where it is refused now and then', async () => {
    const listener = await alice.connect();
    const acks = await Promise.all(Array.from({ length: 500 }, () => listener.emit('nothing', {})));
    expect(acks.filter(({ code }) => code === 'RATE_LIMITED').length).to.be.above(300);
    expect(listener.socket.connected).to.equal(true);
    expect(messages).not.to.include(refused);
  });

  it('may go on once the time in which it sent too much is over', async () => {
    const listener = await alice.connect();
    const leave = () => listener.emit('channel:leave', { channelId: newId() });
    const acks = await Promise.all([leave(), leave(), leave(), leave()]);
    expect(acks.map(({ code }) => code)).to.deep.equal([undefined, undefined, undefined, 'RATE_LIMITED']);
    expect(acks[3].retryAfter).to.equal(1);
    await until(async () => (await leave()).ok, { message: 'still refused' });
  });
});
