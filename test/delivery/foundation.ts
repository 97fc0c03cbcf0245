import { expect } from 'chai';
import type { Bus } from '../../src/cluster/bus.ts';
import type { LogEntry } from '../../src/cluster/entry.ts';
import { isOwn, type Room, streamId } from '../../src/contract/rooms.ts';
import type { Rows } from '../../src/database/database.ts';
import type { Page } from '../../src/delivery/catch-up.ts';
import type { Loose } from '../world/person.ts';

export const deleted = 'message:deleted';
export const farAway = 1e9;
const cutOff = new Error('PostgreSQL does not answer');

/** The log of a room, as a plain list. */
export class PlainLog {
  readonly room: Room;
  readonly entries: LogEntry[] = [];
  floor = 0;
  /** Number of an event → number of the one that deleted it. */
  private readonly deletions = new Map<number, number>();

  constructor(room: Room) {
    this.room = room;
  }

  get head(): number {
    return this.entries.length;
  }

  private id = (seq: number) => `${this.room}.${seq}.`;

  add(text: string): LogEntry {
    const seq = this.head + 1;
    const entry = { room: this.room, seq, event: 'message:new', threadId: null, json: '' };
    entry.json = JSON.stringify({ id: this.id(seq), text });
    this.entries.push(entry);
    return entry;
  }

  /** Takes the words of an event out of the log, and says so. */
  delete(seq: number): LogEntry {
    const entry = this.add(this.id(seq));
    entry.event = deleted;
    const gone = this.entries[seq - 1];
    if (gone) this.entries[seq - 1] = { ...gone, json: JSON.stringify({ id: this.id(seq), text: '' }) };
    if (!this.deletions.has(seq)) this.deletions.set(seq, this.head);
    return entry;
  }

  after(seq: number, limit = farAway): LogEntry[] {
    const from = Math.max(seq, this.floor);
    return this.entries.slice(from, from + limit);
  }

  /** Whether these follow on `at`, one by one. @param known whoever knows the log up to here has no words that it deleted */
  check(at: number, given: LogEntry[], known = 0): void {
    for (const [i, { seq, json }] of given.entries()) {
      expect(seq, 'number').to.equal(at + 1 + i);
      const { id } = JSON.parse(json);
      expect(id).to.equal(this.id(seq));
      if ((this.deletions.get(seq) ?? farAway) <= known) expect(json).to.equal(this.entries[seq - 1]?.json);
    }
  }

  /** The same for a page that was asked for from `after` on. */
  checkPage(page: Page, after: number, known: number): void {
    if (!page.recovered) expect(after, 'not recovered').to.satisfy((at: number) => at < this.floor || at > known);
    this.check(after, page.entries, known);
    if (page.recovered) expect(page.seq).to.equal(after + page.entries.length);
  }
}

/** What a node's delivery stands on: a PostgreSQL that has these logs, and a Redis. They answer when they are let. */
export class Foundation {
  readonly database: { committedRows: Rows; quickRows: Rows };
  readonly bus: Bus;
  readonly subscribed = new Set<Room>();
  /** Has a message between nodes come. */
  bring: (room: Room, entries: LogEntry[]) => void = () => {};
  private readonly logs: PlainLog[];
  private readonly random: (below: number) => number;
  /** The heads that a snapshot could see. */
  private readonly seen = new Map<string, number[]>();
  private readonly asked: ((fails: boolean) => void)[] = [];

  constructor(logs: PlainLog[], random: (below: number) => number) {
    this.logs = logs;
    this.random = random;
    this.database = { committedRows: this.read, quickRows: this.read };
    this.bus = {
      deafUntil: Number.NEGATIVE_INFINITY,
      publish: () => {},
      subscribe: (room) => this.later(() => void this.subscribed.add(room)),
      unsubscribe: (room) => this.subscribed.delete(room),
      control: async () => true,
      onEntries: (listener) => {
        this.bring = listener;
      },
      onControl: () => {},
    };
  }

  answerOne(): void {
    take(this.asked, this.random)?.(this.random(15) === 0);
  }

  /** @returns whether anything had been asked */
  answerAll(): boolean {
    const asked = this.asked.splice(0);
    for (const answer of asked) answer(false);
    return asked.length > 0;
  }

  /** What is read was so at some time since it was asked for. */
  private readonly read: Rows = <R extends object>(text: string, values: unknown[] = []): Promise<R[]> => {
    const early = this.random(2) === 0 ? this.rows(text, values) : undefined;
    return new Promise((resolve, reject) => {
      this.asked.push((fails) => (fails ? reject(cutOff) : resolve(early ?? this.rows(text, values))));
    });
  };

  private later(work: () => void): Promise<void> {
    return new Promise((resolve) => this.asked.push(() => resolve(work())));
  }

  private rows(text: string, values: unknown[]): Loose {
    if (text.includes('pg_current_snapshot')) return [this.movedSince(String(values[0]))];
    const [ids, after, limit] = values;
    const asked = this.logs.filter(({ room }) => [ids].flat().includes(streamId(room)));
    if (text.includes('FROM log_entries')) return asked[0]?.after(Number(after), Number(limit)) ?? [];
    return asked.map((log) => ({
      id: streamId(log.room),
      last_seq: log.head,
      floor_seq: log.floor,
      is_noted: isOwn(log.room),
    }));
  }

  private movedSince(before: string): object {
    const heads = this.logs.map(({ head }) => head);
    const count = heads.reduce((sum, head) => sum + head, 1);
    const snapshot = `${count}:${count}:`;
    this.seen.set(snapshot, heads);
    const known = this.seen.get(before);
    const moved = this.logs.filter(({ room, head }, at) => isOwn(room) && head > (known?.[at] ?? head));
    return { snapshot, ids: moved.map(({ room }) => streamId(room)) };
  }
}

export function take<T>(list: T[], random: (below: number) => number): T | undefined {
  return list.splice(random(list.length), 1)[0];
}

export function pick<T>(list: T[], random: (below: number) => number): T {
  const one = list[random(list.length)];
  if (one === undefined) throw new Error('nothing to pick from');
  return one;
}

/** What is under way at the same time. That PostgreSQL does not answer may end it. */
export class Work {
  readonly under = new Set<Promise<void>>();
  private broken: unknown;

  begin(work: Promise<void>): void {
    const running = work.catch((error) => {
      if (error !== cutOff) this.broken ??= error;
    });
    this.under.add(running);
    void running.then(() => this.under.delete(running));
  }

  /** Runs what is called where nobody would hear of an error. */
  check(checks: () => void): void {
    try {
      checks();
    } catch (error) {
      this.broken ??= error;
    }
  }

  requireWell(): void {
    if (this.broken) throw this.broken;
  }
}
