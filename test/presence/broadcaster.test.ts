// nodes: own

import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import type { Places } from '../../src/features/presence/audience.ts';
import { PresenceBroadcaster } from '../../src/features/presence/broadcaster.ts';
import { PresenceDirectory } from '../../src/features/presence/directory.ts';
import { createLog } from '../../src/infrastructure/log.ts';
import { until } from '../rig/until.ts';

const places = (servers: string[], people: string[] = [], circles: string[] = []): Places => {
  return { servers, people: new Set(people), circles };
};

describe('what a node tells of who is there', () => {
  let directory: PresenceDirectory;
  let broadcaster: PresenceBroadcaster;
  let audience: Map<string, Places>;
  /** Rooms without sockets of this node. */
  let empty: Set<string>;
  let told: { rooms: string[]; except: string[]; data: object }[];
  let counted: [userId: string, servers: string[], isOnline: boolean][];
  /** Who was looked up together. */
  let lookedUp: string[][];
  let answer: () => Promise<void>;

  beforeEach(() => {
    directory = new PresenceDirectory(60_000);
    [told, lookedUp, counted] = [[], [], []];
    [audience, empty] = [new Map(), new Set()];
    answer = async () => {};
    const placesOf = async (userIds: string[]) => {
      lookedUp.push(userIds);
      await answer();
      return audience;
    };
    const counter = { note: (...noted: (typeof counted)[number]) => void counted.push(noted) };
    broadcaster = new PresenceBroadcaster(directory, { placesOf }, counter, 1, createLog('silent'));
    broadcaster.start({
      hasSockets: (room) => !empty.has(room),
      emitHere: async (rooms, _event, data, except) => void told.push({ rooms, except, data }),
    });
  });
  afterEach(() => broadcaster.close());

  const online = (...userIds: string[]) =>
    directory.apply(userIds.map((userId) => ({ userId, status: 'online' as const })));
  const allTold = () => until(() => told.length > 0 && !directory.hasPending);

  it('comes once to whoever is in several of the rooms in which it is told', async () => {
    audience.set('bob', places(['b', 'a', 'c'], ['user:al', 'user:bo'], ['secret', 'hidden']));
    empty = new Set(['server:c', 'user:bo', 'watch:b:bob', 'watch:c:bob', 'circle:hidden']);
    online('bob');
    await allTold();
    const common = ['server:a', 'server:b', 'circle:secret'];
    expect(told.map(({ rooms, except }) => ({ rooms, except }))).to.deep.equal([
      { rooms: common, except: [] },
      { rooms: ['user:al'], except: common },
      { rooms: ['watch:a:bob'], except: [...common, 'user:al'] },
    ]);
    expect(counted).to.deep.equal([['bob', ['b', 'a', 'c'], true]]);
  });

  it('is plain where it is about one, and goes out together where it is for the same rooms', async () => {
    for (const userId of ['al', 'bo']) audience.set(userId, places(['a']));
    audience.set('cy', places(['b']));
    empty = new Set(['al', 'bo', 'cy'].flatMap((id) => [`watch:a:${id}`, `watch:b:${id}`]));
    online('al', 'bo', 'cy');
    await allTold();
    const [al, bo, cy] = ['al', 'bo', 'cy'].map((userId) => ({ userId, status: 'online' }));
    expect(told.map(({ rooms, data }) => [rooms, data])).to.deep.equal([
      [['server:a'], { changes: [al, bo] }],
      [['server:b'], { ...cy, changes: [cy] }],
    ]);
  });

  it('keeps its order, however long it takes to look up to whom it goes', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    audience.set('bob', places(['a']));
    empty.add('watch:a:bob');
    answer = () => promise;
    online('bob');
    await until(() => lookedUp.length === 1);
    answer = async () => {};
    directory.apply([{ userId: 'bob', status: 'offline' }]);
    // Many times as long as there is between two looks at what is to be told.
    await delay(30);
    expect(lookedUp).to.have.length(1);
    resolve();
    await until(() => told.length === 2);
    expect(told.map(({ data }) => Reflect.get(data, 'status'))).to.deep.equal(['online', 'offline']);
  });

  it('is told once it can be looked up to whom it goes, where that failed', async () => {
    audience.set('bob', places(['a']));
    empty.add('watch:a:bob');
    answer = () => Promise.reject(new Error('PostgreSQL is away'));
    online('bob');
    await until(() => lookedUp.length > 1);
    expect(told).to.deep.equal([]);
    answer = async () => {};
    await allTold();
    expect(told).to.have.length(1);
  });
});
