// nodes: own

import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { SoloBus } from '../../src/cluster/bus.ts';
import { channelRoom, streamId } from '../../src/contract/rooms.ts';
import type { Rows } from '../../src/database/database.ts';
import { CatchUp, type Page } from '../../src/delivery/catch-up.ts';
import { Delivery } from '../../src/delivery/delivery.ts';
import { createLog } from '../../src/infrastructure/log.ts';
import { until } from '../rig/until.ts';
import { testSettings } from '../world/nodes.ts';
import type { Loose } from '../world/person.ts';
import { farAway, PlainLog } from './foundation.ts';

const room = channelRoom('one');
const limits = { events: 100, bytes: farAway };
/** Nothing happens by itself. */
const never = { gapWaitMs: farAway, sweepMs: farAway, idleStreamMs: 60_000 };

const textsOf = (page: Pick<Page, 'entries'> | undefined) => page?.entries.map(({ json }) => json);

describe('a client that comes back while a room is read', () => {
  let log: PlainLog;
  let delivery: Delivery;
  let catchUp: CatchUp;
  /** What answers the reads of the log, each with what it has when that is asked for. */
  let reads: (() => void)[];
  let emitted: number[];
  const leaving: AbortController[] = [];

  const committedRows: Rows = <R extends object>(text: string, [, after, limit]: unknown[] = []): Promise<R[]> => {
    if (!text.includes('FROM log_entries')) {
      const head: Loose = { id: streamId(room), last_seq: log.head, floor_seq: log.floor };
      return Promise.resolve([head]);
    }
    const asked = log.after(Number(after), Number(limit));
    return new Promise((resolve) => {
      // Whatever was said until then, and of what was there before, how it was when it was asked for.
      const answer: Loose = () => [...asked, ...log.after(Number(after) + asked.length, Number(limit) - asked.length)];
      reads.push(() => resolve(answer()));
    });
  };

  beforeEach(() => {
    [reads, emitted] = [[], []];
    log = new PlainLog(room);
    for (let seq = 1; seq <= 5; seq++) log.add('a word');
    const settings = { ...testSettings('', null).delivery, ...never, tailEvents: 2 };
    delivery = new Delivery({ committedRows, quickRows: committedRows }, new SoloBus(), settings, createLog('silent'));
    catchUp = new CatchUp(delivery, settings.tailEvents);
    const emit = (due: { entry: { seq: number } }[]) => void emitted.push(...due.map(({ entry }) => entry.seq));
    delivery.start({ emit, hasSockets: () => false, sentMark: (last) => last });
  });
  afterEach(() => {
    for (const controller of leaving.splice(0)) controller.abort();
    delivery.close();
  });

  const asked = (count: number) => until(() => reads.length >= count, { timeout: 2000 });

  it('enters what the node has of the room then, where it let go of the one that was read', async () => {
    const enteredAt: unknown[] = [];
    const joined = catchUp.join(room, 0, limits, () => enteredAt.push(delivery.peek(room)?.position));
    await asked(1);
    delivery.closeIdle(performance.now() + 2 * never.idleStreamMs);
    reads[0]?.();
    await asked(2);
    expect(enteredAt).to.deep.equal([]);
    reads[1]?.();
    expect(textsOf(await joined)).to.deep.equal(textsOf(log));
    expect(enteredAt).to.deep.equal([5]);
  });

  it('gets once what was read before the room had heard of it', async () => {
    const entered: Page[] = [];
    const joined = catchUp.join(room, 0, limits, (page) => entered.push(page));
    await asked(1);
    const late = log.add('said elsewhere');
    reads[0]?.();
    await joined;
    expect(entered.map(({ seq }) => seq)).to.deep.equal([6]);
    // Those who were in the room got it before, and whoever entered does not get it again.
    expect(emitted).to.deep.equal([6]);
    delivery.emitHere([late]);
    expect(emitted).to.deep.equal([6]);
  });

  it('shares what is read for others, but not what was deleted before it came', async () => {
    const pages: Promise<Page | undefined>[] = [];
    const join = () => pages.push(catchUp.join(room, 0, limits, () => {}));
    join();
    await asked(1);
    join();
    for (let i = 0; i < 10; i++) await turn();
    expect(reads).to.have.length(1);
    const deletion = log.delete(2);
    delivery.emitHere([deletion]);
    delivery.peek(room)?.forget(JSON.parse(deletion.json).text, deletion.seq);
    join();
    await asked(2);
    for (const answer of reads) answer();
    const [, , last] = await Promise.all(pages);
    expect(textsOf(last)).to.deep.equal(textsOf(log));
  });

  it('is told at once that it is ahead of the log, rather than to wait', async () => {
    const controller = new AbortController();
    leaving.push(controller);
    let page: Page | undefined;
    void catchUp.poll(room, 9, limits, 3_600_000, controller.signal).then((answer) => {
      page = answer;
    });
    await until(() => page, { timeout: 2000 });
    expect(page).to.deep.include({ recovered: false, seq: 5, entries: [] });
  });
});
