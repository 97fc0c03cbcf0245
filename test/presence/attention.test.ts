// nodes: own

import { expect } from 'chai';
import { Attention, type Device } from '../../src/features/presence/attention.ts';
import { clock } from '../../src/infrastructure/clock.ts';

const minuteMs = 60_000;

describe('attention', () => {
  const userId = 'u';
  const device = (sessionId: string, socketId = sessionId): Device => ({ socketId, sessionId, userId });
  const pass = (ms: number) => {
    const [now, at] = [clock.now(), performance.now()];
    clock.measured(now + ms, at, at);
    passed += ms;
  };
  let passed = 0;
  let noted: string[];
  let attention: Attention;
  const there = async () => [...(await attention.sessionsOf(userId))].sort();

  beforeEach(() => {
    noted = [];
    attention = new Attention(null, 'n', { note: (id) => void noted.push(id), close: async () => {} });
  });
  afterEach(async () => {
    pass(-passed);
    await attention.close();
  });

  it('is what a connection says, as long as it lasts', async () => {
    await attention.note(device('a'), 'silent');
    expect(await there()).to.deep.equal([]);
    await attention.note(device('a'), 'looking');
    pass(10 * minuteMs);
    expect(await there()).to.deep.equal(['a']);
    await attention.note(device('a'), 'away');
    expect(await there()).to.deep.equal([]);
    await attention.note(device('a'), 'looking');
    await attention.note(device('a'), 'gone');
    expect(await there()).to.deep.equal([]);
    expect(noted).to.deep.equal(['a', 'a', 'a', 'a']);
  });

  it('of a connection that says nothing lasts for three minutes after each use', async () => {
    attention.used({ userId, sessionId: 'a' });
    expect(await there()).to.deep.equal([]);
    await attention.note(device('a'), 'silent');
    expect(await there()).to.deep.equal(['a']);
    pass(2 * minuteMs);
    attention.used({ userId, sessionId: 'a' });
    pass(2 * minuteMs);
    expect(await there()).to.deep.equal(['a']);
    pass(minuteMs + 1);
    expect(await there()).to.deep.equal([]);
    expect(noted).to.deep.equal(['a', 'a']);
  });

  it('is not made by use where a connection says that nobody looks, nor by programs', async () => {
    await attention.note(device('a'), 'away');
    for (const sessionId of ['a', null]) attention.used({ userId, sessionId });
    expect(await there()).to.deep.equal([]);
    expect(noted).to.deep.equal(['a']);
  });

  it('is of a session while any of its connections says so', async () => {
    await attention.note(device('a', 'first'), 'looking');
    await attention.note(device('a', 'second'), 'looking');
    await attention.note(device('b'), 'looking');
    await attention.note(device('a', 'first'), 'gone');
    expect(await there()).to.deep.equal(['a', 'b']);
    await attention.note(device('a', 'second'), 'away');
    expect(await there()).to.deep.equal(['b']);
  });
});
