import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import { advisoryLocks, tryLock } from '../../database/advisory-locks.ts';
import type { Database, Rows } from '../../database/database.ts';
import { clock } from '../../infrastructure/clock.ts';
import type { Log } from '../../infrastructure/log.ts';
import { within } from '../../infrastructure/within.ts';
import type { Settings } from '../../settings/settings.ts';
import { documentOf, type Source } from './document.ts';
import type { FileTexts } from './file-texts.ts';
import { indexTable } from './index.table.ts';
import { noteKeywords, type Read } from './keyword-notes.ts';
import { firstIdOf, msOf } from './times.ts';

/** How often a node looks for what is new; a search looks by itself. */
const everyMs = 300;
/** After so many times it looks at all that may be left. */
const wholeEvery = 10;
/** What one transaction takes, so that each is short. */
const channelsAtOnce = 50;
const messagesAtOnce = 400;
const staleAtOnce = 200;
const backAtOnce = 100;
/** Channels that are looked at in turn, whatever was sent lately. */
const turnAtOnce = 1000;
/** Sends are looked for that far back: longer than one takes, and than clocks differ. */
const lookBackMs = 15_000;
/** The pause before it is asked again whether another node is at it. */
const lockedMs = 10;
/** How long words are made before others get a turn of the event loop. */
const sliceMs = 5;

type Outcome = 'more' | 'done' | 'elsewhere';
type Deps = { database: Database; texts: FileTexts; log: Log; settings: Pick<Settings, 'search'> };

const zeroId = '00000000-0000-0000-0000-000000000000';

/**
 * Fills the index of the search in the background (contract §6). It follows the logs of channels by their numbers, and the
 * notes of what changed. Each step is one transaction under a lock that one node has at a time: what a node that died was
 * at is rolled back, and done by the next.
 */
export class Indexer {
  /** Messages whose words this node has written, and steps that failed. */
  readonly counters = { indexed: 0, failed: 0 };
  private readonly deps: Deps;
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<boolean> | undefined;
  private next: Promise<boolean> | undefined;
  private after = zeroId;
  private ticks = 0;
  private isBehind = true;
  private failed = false;
  private closed = false;
  /** By the step under way. */
  private written = 0;
  /** When nothing was waiting that was sent before. */
  private caughtUpAt = clock.now();

  constructor(deps: Deps) {
    this.deps = deps;
  }

  start(): void {
    this.timer = setTimeout(async () => {
      await this.tick();
      if (!this.closed) this.start();
    }, everyMs);
    this.timer.unref();
  }

  /** An idle node asks one question; now and then it looks at everything. */
  private async tick(): Promise<void> {
    const isWhole = this.isBehind || ++this.ticks % wholeEvery === 0;
    const now = clock.now();
    // A database that is away is told of by what runs next.
    const isWaiting = await indexTable.isWaiting(this.deps.database.committedRows, this.since()).catch(() => true);
    if (!isWaiting) this.caughtUpAt = now;
    if (isWhole) this.isBehind = false;
    if (isWhole || isWaiting) await this.run(isWhole);
  }

  /** How long the oldest message that no node has indexed yet was sent ago; 0: none waits. */
  async lagSeconds(): Promise<number> {
    const now = clock.now();
    const { committedRows } = this.deps.database;
    const oldest = await indexTable.oldestWaiting(committedRows, firstIdOf(this.caughtUpAt - lookBackMs));
    if (oldest === undefined) this.caughtUpAt = now;
    return oldest === undefined ? 0 : Math.max(0, now - msOf(oldest)) / 1000;
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.timer);
    await this.next;
    await this.running;
  }

  /** Indexes what was committed before this was called, or waits a while for it: then it will be found a little later. */
  async catchUp(): Promise<void> {
    const { database, settings } = this.deps;
    const { committedRows } = database;
    const end = performance.now() + settings.search.waitMs;
    while (performance.now() < end && (await indexTable.isWaiting(committedRows, this.since()))) {
      const run = this.run(false);
      // Another node that is at it may have begun before.
      if (!(await within(run, Math.max(0, end - performance.now()))) || (await run)) return;
      await delay(lockedMs);
    }
  }

  /** Runs once after the present run, for all who ask meanwhile. @returns false: another node is at it */
  private run(whole: boolean): Promise<boolean> {
    if (!this.running) return this.begin(whole);
    this.next ??= this.running.then(() => {
      this.next = undefined;
      return this.begin(whole);
    });
    return this.next;
  }

  private begin(whole: boolean): Promise<boolean> {
    this.running = this.runNow(whole).finally(() => {
      this.running = undefined;
    });
    return this.running;
  }

  private async runNow(whole: boolean): Promise<boolean> {
    try {
      const isMine = await this.repeat((rows) => this.indexNew(rows, whole), everyMs);
      // What waits to be indexed anew is not found meanwhile: a search takes one step of it.
      if (!isMine || !(await this.repeat(this.indexStale, whole ? everyMs : 0))) return false;
      if (whole) await this.repeat(this.indexBefore, everyMs);
      this.failed = false;
    } catch (error) {
      if (!this.failed && !this.closed)
        this.deps.log.warn({ err: error }, 'Messages could not be indexed; trying again.');
      this.failed = true;
      this.counters.failed++;
    }
    return true;
  }

  /** Takes a step, and more while there is more to do, for a while. @returns false: another node is at it */
  private async repeat(work: (rows: Rows) => Promise<boolean>, forMs: number): Promise<boolean> {
    const end = performance.now() + forMs;
    let outcome: Outcome = 'more';
    for (let first = true; outcome === 'more' && !this.closed && (first || performance.now() < end); first = false) {
      this.written = 0;
      outcome = await this.deps.database.transaction(async ({ rows }): Promise<Outcome> => {
        if (!(await tryLock(rows, advisoryLocks.indexing))) return 'elsewhere';
        return (await work(rows)) ? 'more' : 'done';
      });
      this.counters.indexed += this.written;
    }
    return outcome !== 'elsewhere';
  }

  private since(): string {
    return firstIdOf(clock.now() - lookBackMs);
  }

  private readonly indexStale = async (rows: Rows): Promise<boolean> => {
    const ids = await indexTable.takeStale(rows, staleAtOnce);
    if (ids.length === 0) return false;
    const sources = (await indexTable.these(rows, ids)).filter(({ isDeleted }) => !isDeleted);
    const left = new Set(sources.map(({ id }) => id));
    await indexTable.remove(
      rows,
      ids.filter((id) => !left.has(id)),
    );
    await this.write(rows, sources, true);
    return ids.length === staleAtOnce;
  };

  private async indexNew(rows: Rows, whole: boolean): Promise<boolean> {
    const found = await indexTable.newChannels(rows, this.since(), channelsAtOnce);
    const channelIds = [...new Set([...found, ...(whole ? await this.inTurn(rows) : [])])].slice(0, channelsAtOnce);
    if (channelIds.length === 0) return false;
    const heads = await indexTable.heads(rows, channelIds);
    const each = Math.floor(messagesAtOnce / Math.max(1, heads.length));
    const sources = await indexTable.next(rows, heads, each);
    await noteKeywords(rows, await this.write(rows, sources, false));
    const byChannel = Map.groupBy(sources, ({ channelId }) => channelId);
    const reached = heads.map(({ id, head }) => {
      const list = byChannel.get(id) ?? [];
      return { id, seq: list.length < each ? head : (list.at(-1)?.seq ?? head) };
    });
    await indexTable.moveOn(rows, reached);
    const isMore = found.length === channelsAtOnce || reached.some(({ seq }, index) => seq < (heads[index]?.head ?? 0));
    this.isBehind ||= isMore;
    return isMore;
  }

  /** Those of the next channels that are behind, however long ago they moved. */
  private async inTurn(rows: Rows): Promise<string[]> {
    const some = await indexTable.channelsInTurn(rows, this.after, turnAtOnce);
    const behind = some.filter((one) => one.behind).map(({ id }) => id);
    // It stays where something is left to do.
    if (behind.length === 0) this.after = some.length < turnAtOnce ? zeroId : (some.at(-1)?.id ?? zeroId);
    return behind;
  }

  /** What was written before there was this index, from the newest on. */
  private readonly indexBefore = async (rows: Rows): Promise<boolean> => {
    const channelId = await indexTable.behind(rows);
    if (channelId === undefined) return false;
    this.isBehind = true;
    const sources = await indexTable.before(rows, channelId, backAtOnce);
    await this.write(rows, sources, false);
    await indexTable.moveBack(rows, channelId, sources.length < backAtOnce ? 0 : (sources.at(-1)?.seq ?? 0));
    return true;
  };

  /** @returns the words of their texts */
  private async write(rows: Rows, sources: Source[], anew: boolean): Promise<Read[]> {
    const documents: { id: string; channelId: string; words: string }[] = [];
    const read: Read[] = [];
    let began = performance.now();
    for (const source of sources) {
      if (source.isDeleted) continue;
      const texts = (await this.deps.texts.of(source.files ?? [])).map(({ text }) => text);
      const { document, said } = documentOf(source, texts);
      documents.push({ id: source.id, channelId: source.channelId, words: document });
      read.push({ source, words: said });
      if (performance.now() - began > sliceMs) {
        await turn();
        began = performance.now();
      }
    }
    await indexTable.write(rows, documents, anew);
    this.written += documents.length;
    return read;
  }
}
