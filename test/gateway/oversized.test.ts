// nodes: own

import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { type Node, startNode } from '../../src/node/node.ts';
import { createDatabase, type TestDatabase } from '../rig/postgres.ts';
import { until } from '../rig/until.ts';
import { keptLog } from '../world/kept-log.ts';
import { migrated, testSettings } from '../world/nodes.ts';
import type { Person } from '../world/person.ts';
import { register } from '../world/world.ts';

describe('a packet that is longer than any may be', () => {
  const { log, messages } = keptLog();
  let database: TestDatabase;
  let node: Node;
  let alice: Person;
  before(async () => {
    database = await createDatabase(migrated);
    const settings = testSettings(database.url, null);
    node = await startNode({ ...settings, sockets: { ...settings.sockets, maxPayloadBytes: 100_000 } }, log);
    alice = await register(node);
  });
  after(async () => {
    alice.hangUp();
    await node.stop();
    await database.drop();
  });

  for (const [transport, sign] of [
    ['websocket', 1009],
    ['polling', 413],
  ] as const) {
    it(`ends the connection in a way that says so, and the client comes back: ${transport}`, async () => {
      const { socket } = await alice.connect({ transports: [transport], reconnectionDelay: 50 });
      const causes: unknown[] = [];
      socket.on('disconnect', (_reason, details) => causes.push(details));
      socket.emit('presence:subscribe', { userIds: ['x'.repeat(200_000)] });
      await until(() => causes.length > 0);
      await until(() => socket.connected);
      expect(signIn(causes[0])).to.equal(sign);
      socket.disconnect();
    });
  }

  for (const transport of ['websocket', 'polling']) {
    it(`is measured in bytes, and a shorter one is answered: ${transport}`, async () => {
      const ear = await alice.connect({ transports: [transport] });
      for (const text of ['x'.repeat(99_000), '€'.repeat(33_000)]) {
        const answer = await ear.emit('message:send', { channelId: randomUUID(), content: text });
        expect(answer).to.include({ code: 'VALIDATION_FAILED' });
      }
      let ends = 0;
      ear.socket.on('disconnect', () => ends++);
      ear.socket.emit('message:send', { channelId: randomUUID(), content: '€'.repeat(34_000) });
      await until(() => ends > 0);
      ear.socket.disconnect();
    });
  }

  it('stands in the log', () => {
    expect(messages).to.include('A socket sent a packet that is too long and is cut off.');
  });
});

/** The code of a WebSocket's end, or the status of a request that failed. */
function signIn(details: unknown): unknown {
  if (!(details instanceof Object)) return undefined;
  const context: unknown = Reflect.get(details, 'context');
  const description: unknown = Reflect.get(details, 'description');
  if (typeof description === 'number') return description;
  return context instanceof Object ? Reflect.get(context, 'code') : undefined;
}
