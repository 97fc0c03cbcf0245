// nodes: own

import { getEventListeners } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import type { LogEntry } from '../../src/cluster/entry.ts';
import { channelRoom, type Room } from '../../src/contract/rooms.ts';
import { CatchUp, type Page } from '../../src/delivery/catch-up.ts';
import { Delivery } from '../../src/delivery/delivery.ts';
import type { Delivered, LiveStream } from '../../src/delivery/live-stream.ts';
import { createLog } from '../../src/infrastructure/log.ts';
import { randomOf, seedOfRun } from '../rig/random.ts';
import { testSettings } from '../world/nodes.ts';
import { deleted, Foundation, farAway, PlainLog, pick, take, Work } from './foundation.ts';

const limits = { tailEvents: 6, tailBytes: 300, tailBytesPerNode: 300 };
/** Nothing happens by itself. */
const never = { gapWaitMs: farAway, sweepMs: farAway, idleStreamMs: farAway };

/** Someone in a room, or on the way there, who was told of everything up to `at`. */
interface Member {
  log: PlainLog;
  at: number;
  state: 'out' | 'coming' | 'in';
}

/** A node's delivery between people, a PostgreSQL and a Redis that answer and bring what is published when they are let. */
class Model {
  private readonly random: (below: number) => number;
  private readonly logs = ['one', 'two'].map((name) => new PlainLog(channelRoom(name)));
  private readonly foundation: Foundation;
  private readonly members: Member[];
  private readonly delivery: Delivery;
  private readonly catchUp: CatchUp;
  /** What was published and has not come yet. */
  private readonly published: (() => void)[] = [];
  private readonly marks = new Map<LiveStream, number[]>();
  private readonly came = new Map<LiveStream, Set<number>>();
  /** What came for rooms that were not open, and is held where they were being opened just then. */
  private readonly early = new Set<number>();
  /** Where those are who wait for more. */
  private readonly waiting = new Set<{ log: PlainLog; after: number; waitMs: number }>();
  private readonly leaving = new AbortController();
  private readonly work = new Work();

  constructor(seed: number) {
    this.random = randomOf(seed);
    this.members = this.logs.flatMap((log) => [0, 1, 2, 3].map((): Member => ({ log, at: 0, state: 'out' })));
    this.foundation = new Foundation(this.logs, this.random);
    const { database, bus } = this.foundation;
    const settings = { ...testSettings('', null).delivery, ...limits, ...never };
    this.delivery = new Delivery(database, bus, settings, createLog('silent'));
    this.catchUp = new CatchUp(this.delivery, limits.tailEvents);
    this.delivery.observe((entry) => {
      if (entry.event === deleted) this.delivery.peek(entry.room)?.forget(JSON.parse(entry.json).text, entry.seq);
    });
    this.delivery.onLost((room) => {
      const stream = this.delivery.peek(room);
      if (stream) this.marks.delete(stream);
      this.work.check(() => expect(stream?.isWaitedFor, 'looks again').not.to.equal(true));
      for (const member of this.membersOf(room)) if (member.state === 'in') member.state = 'out';
    });
    const hasSockets = (room: Room) => this.membersOf(room).some(({ state }) => state === 'in');
    const emit = (deliveries: Delivered[]) => this.work.check(() => this.emit(deliveries));
    this.delivery.start({ emit, hasSockets, sentMark: (last) => last });
  }

  async play(steps: number): Promise<void> {
    const actions = [
      ...Array.from({ length: 6 }, () => () => this.commit()),
      ...Array.from({ length: 9 }, () => () => take(this.published, this.random)?.()),
      ...Array.from({ length: 12 }, () => () => this.foundation.answerOne()),
      ...Array.from({ length: 5 }, () => () => this.work.begin(this.join(this.pick(this.members)))),
      () => this.leave(this.pick(this.members)),
      () => this.work.begin(this.poll(this.pick(this.logs))),
      () => this.work.begin(this.count(this.pick(this.logs))),
      () => this.work.begin(this.freshen(this.pick(this.logs))),
      () => this.trim(this.pick(this.logs)),
      () => this.delivery.closeIdle(this.random(8) === 0 ? 2 * farAway : undefined),
    ];
    try {
      for (let step = 0; step < steps; step++) {
        this.pick(actions)();
        await turn();
        for (const { room } of this.logs) this.inspect(room);
        this.work.requireWell();
      }
      await this.end();
    } finally {
      this.leaving.abort();
      this.delivery.close();
    }
  }

  /** All is answered: nobody misses anything, and nobody waits for what is there. */
  private async end(): Promise<void> {
    // Who begins anew since the log was trimmed comes with another round.
    for (let round = 0; round < 3; round++) {
      for (const member of this.members) this.work.begin(this.join(member));
      for (const log of this.logs) this.work.begin(this.freshen(log));
      await this.answerAll();
    }
    for (const { state, at, log } of this.members) {
      expect(state).to.equal('in');
      expect(at).to.equal(log.head);
    }
    for (const { after, log } of this.waiting) expect(after, 'who waits').to.equal(log.head);
    for (const log of this.logs) {
      log.add('said elsewhere, without a word of it');
      for (const after of [log.head - 1, log.head]) this.work.begin(this.poll(log, after, 1));
      this.work.begin(this.poll(log, log.head));
    }
    while ([...this.waiting].some(({ waitMs }) => waitMs === 1)) await this.answerAll();
    expect(getEventListeners(this.leaving.signal, 'abort')).to.have.length(this.waiting.size);
    this.leaving.abort();
    await Promise.all(this.work.under);
    for (const { room } of this.logs) expect(this.delivery.peek(room)?.isWaitedFor).to.equal(false);
    this.work.requireWell();
  }

  private async answerAll(): Promise<void> {
    for (let quiet = 0; quiet < 9 || this.work.under.size > this.waiting.size; quiet++) {
      if (this.foundation.answerAll()) quiet = 0;
      await turn();
    }
  }

  private pick<T>(list: T[]): T {
    return pick(list, this.random);
  }

  private membersOf(room: Room): Member[] {
    return this.members.filter(({ log }) => log.room === room);
  }

  private positionOf({ room }: PlainLog): number {
    return this.delivery.peek(room)?.position ?? 0;
  }

  /** On this node or on another one: word of it comes once, or twice, or never, and in any order. */
  private commit(): void {
    const log = this.pick(this.logs);
    const isDeletion = log.head > 0 && this.random(4) === 0;
    const last = isDeletion ? log.delete(log.head - this.random(Math.min(log.head, 20))) : undefined;
    const entries = last ? [last] : Array.from({ length: 1 + this.random(4) }, (_, i) => log.add('x'.repeat(20 * i)));
    const isOwn = this.random(3) === 0;
    if (isOwn) {
      this.note(log.room, entries);
      this.delivery.emitHere(entries);
    }
    for (let copies = isOwn ? 0 : this.random(4) % 3; copies > 0; copies--) {
      if (this.random(2) === 0) this.published.push(() => this.bring(log.room, entries));
      else for (const entry of entries) this.published.push(() => this.bring(log.room, [entry]));
    }
  }

  private bring(room: Room, entries: LogEntry[]): void {
    if (!this.foundation.subscribed.has(room)) return;
    this.note(room, entries);
    this.foundation.bring(room, entries);
  }

  /** What came here in whatever order. */
  private note(room: Room, entries: LogEntry[]): void {
    const stream = this.delivery.peek(room);
    const came = stream ? (this.came.get(stream) ?? new Set()) : this.early;
    if (stream) this.came.set(stream, came);
    for (const { seq } of entries) came.add(seq);
  }

  private emit(deliveries: Delivered[]): void {
    for (const { entry, mark } of deliveries) {
      const stream = this.delivery.peek(entry.room);
      if (!stream) throw new Error('given out in a room that is not open');
      const marks = this.marks.get(stream) ?? [];
      this.marks.set(stream, marks);
      expect(mark).to.be.above(marks.at(-1) ?? 0);
      marks.push(mark);
      for (const member of this.membersOf(entry.room)) if (member.state === 'in') this.hear(member, [entry]);
    }
  }

  private hear(member: Member, entries: LogEntry[], known = 0): void {
    member.log.check(member.at, entries, known);
    member.at += entries.length;
  }

  private async join(member: Member): Promise<void> {
    if (member.state !== 'out') return;
    member.state = 'coming';
    const { log } = member;
    let isIn = false;
    try {
      for (let hasMore = true; hasMore; ) {
        const { at } = member;
        const [head, known] = [log.head, this.positionOf(log)];
        const events = 1 + this.random(20);
        const limits = { events, bytes: 50 + this.random(300) };
        const enter = (page: Page) => {
          expect(page.seq, 'enters at').to.equal(this.positionOf(log));
          expect(page.seq, 'fresh').to.be.at.least(head);
          isIn = true;
          member.state = 'in';
          member.at = page.recovered ? at : page.seq;
          this.hear(member, page.entries, known);
        };
        const page = await this.catchUp.join(log.room, at, limits, enter);
        if (!page) throw new Error('no such room');
        log.checkPage(page, at, known);
        expect(page.entries.length).to.be.at.most(events);
        const bytes = page.entries.slice(0, -1).reduce((sum, { json }) => sum + json.length, 0);
        expect(bytes).to.be.at.most(limits.bytes);
        hasMore = page.hasMore;
        expect(isIn).to.equal(!hasMore);
        if (hasMore) {
          expect(page.entries).to.not.have.length(0);
          member.at = page.seq;
        }
      }
    } finally {
      if (member.state === 'coming') member.state = 'out';
    }
  }

  private leave(member: Member): void {
    if (member.state !== 'in') return;
    member.state = 'out';
    member.at = Math.max(0, member.at - (member.at % 4) - 4 * this.random(5));
  }

  /** A long poll, and someone who follows the room alone. */
  private async poll(log: PlainLog, after = this.near(log), waitMs = farAway): Promise<void> {
    const [head, known] = [log.head, this.positionOf(log)];
    const limits = { events: 9, bytes: farAway };
    const waiting = { log, after, waitMs };
    this.waiting.add(waiting);
    const polled = this.catchUp.poll(log.room, after, limits, waitMs, this.leaving.signal);
    const page = await polled.finally(() => this.waiting.delete(waiting));
    if (!page) throw new Error('no such room');
    log.checkPage(page, after, known);
    if (page.recovered && page.entries.length === 0) {
      expect(head, 'what was there').to.equal(after);
      expect(waitMs === 1 || this.leaving.signal.aborted, 'waited').to.equal(true);
    }
    const more = await this.catchUp.read(log.room, page.seq, limits);
    if (more) log.checkPage(more, page.seq, 0);
  }

  /** Where someone may be who was there a moment ago. */
  private near(log: PlainLog): number {
    return Math.max(0, this.positionOf(log) - this.random(12));
  }

  private async count(log: PlainLog): Promise<void> {
    const after = this.near(log);
    const { head, floor } = log;
    const missed = await this.catchUp.missed(log.room, after);
    const isGone = missed === Number.POSITIVE_INFINITY;
    expect(after < (isGone ? log.floor : floor)).to.equal(isGone);
    if (!isGone) expect(missed).to.be.within(head - after, log.head - after);
  }

  private async freshen(log: PlainLog): Promise<void> {
    const { head } = log;
    await this.delivery.openFresh(log.room);
    expect(this.positionOf(log)).to.be.at.least(head);
  }

  private trim(log: PlainLog): void {
    const rest = Math.max(0, log.head - log.floor - 12);
    log.floor = this.random(3) === 0 ? log.head : log.floor + this.random(rest + 1);
  }

  /** What the node holds in memory is what the log has. */
  private inspect(room: Room): void {
    const stream = this.delivery.peek(room);
    const log = this.logs.find((one) => one.room === room);
    if (!stream || !log) return;
    // What came behind a piece that was passed over is given out with the next look.
    const misses = stream.offer([]);
    const { position, tailStart } = stream;
    const tail = stream.recent(tailStart) ?? [];
    log.check(tailStart, tail, position);
    expect(tailStart + tail.length).to.equal(position);
    expect(tail.length).to.be.at.most(limits.tailEvents);
    expect(stream.tailBytes).to.equal(tail.reduce((sum, { json }) => sum + json.length, 0));
    expect(stream.tailBytes).to.be.at.most(limits.tailBytes);
    if (tailStart > 0) expect(stream.recent(tailStart - 1)).to.equal(undefined);
    expect(stream.isContradicted).to.equal(false);
    const ahead = [...(this.came.get(stream) ?? [])].filter((seq) => seq > position);
    this.came.set(stream, new Set(ahead));
    expect(ahead).not.to.include(position + 1);
    const early = [...this.early].filter((seq) => seq > position);
    expect(misses).to.be.oneOf(early.length > 0 ? [true, ahead.length > 0] : [ahead.length > 0]);
    const marks = this.marks.get(stream) ?? [];
    const since = this.random(2) * (this.delivery.currentMark - this.random(20));
    expect(stream.marksSince(since)).to.deep.equal(marks.filter((mark) => mark > since));
  }
}

describe('the rooms of a node, whatever order things happen in', () => {
  const seed = seedOfRun();

  it(`give everyone everything once and in order (PARLEY_SEED=${seed})`, async () => {
    for (let round = 0; round < 5; round++) await new Model(seed + round).play(600);
  });
});
