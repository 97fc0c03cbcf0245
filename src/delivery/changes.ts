import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { LogEntry } from '../cluster/entry.ts';
import type { Operations } from '../cluster/operations.ts';
import type { AuditAction } from '../contract/audit-action.ts';
import { AppError } from '../contract/errors.ts';
import { type Draft, type Room, streamId } from '../contract/rooms.ts';
import type { Database, Queries, Rows, Transaction } from '../database/database.ts';
import { isConflict, mayRunAgain } from '../database/failures.ts';
import { Outage } from '../database/outage.ts';
import { pipelined } from '../database/transaction.ts';
import type { Log } from '../infrastructure/log.ts';
import { type AuditDetails, type AuditRow, auditRow, writeAudit } from './audit.ts';
import type { Delivery } from './delivery.ts';
import { lockOpenStreams, lockStreams, numberDrafts, writeEntries } from './log.ts';
import { Turn, Turns } from './turns.ts';

/** A change in progress: a transaction, and the events to publish once it is committed. */
export interface Change {
  readonly em: EntityManager;
  /** Typed queries in the transaction. Flush entities first if the query has to see them. */
  readonly db: Queries;
  /** Plain SQL in the transaction. Flush entities first if the statement has to see them. */
  rows: Rows;
  /** Publishes an event to a room once the change is committed, in the order of the calls. */
  publish(draft: Draft): void;
  /**
   * Writes an entry of the audit log with the change (contract §5), once its own SQL is done. Of `before` and `after` it keeps
   * the fields of the action that differ; where both are given and none does, nothing has changed and nothing is written.
   */
  audit<F extends string>(action: AuditAction<F>, details: AuditDetails<F>): void;
  /** Blocks all other appends to these rooms from here on; only needed where the lock order requires it. */
  lock(...rooms: Room[]): Promise<void>;
  /**
   * Waits for its turn at a server that a crowd may want to join or leave at once, with no connection meanwhile. Call it before
   * the first statement that locks the server.
   */
  takeTurn(serverId: string): void;
  /** `lock` for posting in a room, which may have been archived meanwhile. @throws AppError CHANNEL_ARCHIVED */
  lockOpen(room: Room): Promise<void>;
  /**
   * Runs after the commit and before the answer, started in the order of the calls: cache drops, evictions on other nodes.
   * It may ask which number a published event got. A failure is logged.
   */
  afterCommit(action: Action): void;
}

type Action = (numberOf: (draft: Draft) => number) => void | Promise<void>;

/** A change and what it has collected so far. */
interface Unit {
  change: Change;
  transaction: Transaction;
  drafts: Draft[];
  audited: AuditRow[];
  actions: Action[];
  heads: Heads;
}

/** The last numbers of the logs that a change has locked, by stream id. */
type Heads = Map<string, number>;

const attempts = 4;

/** The only way in which services change anything. */
export class Changes {
  /** What a feature writes with the events of any change, in the round trip of the commit. */
  alongside: (change: Change, entries: LogEntry[]) => Promise<void> = async () => {};
  private readonly database: Database;
  private readonly delivery: Delivery;
  private readonly log: Log;
  private readonly operations: Operations;
  private readonly current = new AsyncLocalStorage<Unit>();
  private readonly outage = new Outage();
  private readonly turns: Turns;

  constructor(database: Database, delivery: Delivery, log: Log, operations: Operations) {
    this.database = database;
    this.turns = new Turns(database.pool.options.max);
    this.delivery = delivery;
    this.log = log;
    this.operations = operations;
  }

  /**
   * Runs `work` in a transaction: its entities, its SQL and its events are committed together, then the events are
   * emitted. Inside another change it becomes part of that one. On a conflict with another transaction, if others are at a
   * log that it locks, and if the connection breaks before the commit is sent, `work` runs again, so it must do everything
   * through `change`.
   * @throws AppError ACCESS_CHANGED when its caller lost access meanwhile, SERVER_BUSY when it waited too long for
   *   others, and what `work` throws
   */
  async run<T>(work: (change: Change) => Promise<T>): Promise<T> {
    const outer = this.current.getStore();
    if (outer) return this.runInside(outer, work);
    const turn = new Turn(this.turns);
    return this.runInTurn(turn, work).finally(() => turn.leave());
  }

  private async runInTurn<T>(turn: Turn, work: (change: Change) => Promise<T>): Promise<T> {
    let begun = performance.now();
    for (let conflicts = 0, breaks = 0; ; ) {
      if (turn.mustWait) {
        await this.waitFor(turn);
        begun = performance.now();
      }
      try {
        return await this.runOnce(turn, work);
      } catch (error) {
        if (turn.mustWait) continue;
        if (mayRunAgain(error) && (await this.outage.mayReconnect(breaks++, begun))) continue;
        if (!isConflict(error)) throw error;
        if (++conflicts >= attempts) throw new AppError('SERVER_BUSY', { cause: error });
        await delay(Math.random() * 20 * conflicts);
      }
    }
  }

  private async waitFor(turn: Turn): Promise<void> {
    const { counters } = this.delivery;
    counters.waitingChanges++;
    await turn.wait().finally(() => counters.waitingChanges--);
  }

  /** A nested change can fail on its own: then it leaves nothing behind, and the outer one may continue. */
  private async runInside<T>(outer: Unit, work: (change: Change) => Promise<T>): Promise<T> {
    const { rows } = outer.change;
    const draftsBefore = outer.drafts.length;
    const auditedBefore = outer.audited.length;
    const actionsBefore = outer.actions.length;
    await rows('SAVEPOINT part');
    try {
      const result = await work(outer.change);
      // Later SQL in the outer change must see this one's writes.
      await outer.transaction.flush();
      await rows('RELEASE SAVEPOINT part');
      return result;
    } catch (error) {
      outer.transaction.clear();
      outer.drafts.length = draftsBefore;
      outer.audited.length = auditedBefore;
      outer.actions.length = actionsBefore;
      // The rollback releases locks that were taken inside.
      outer.heads.clear();
      await rows('ROLLBACK TO SAVEPOINT part');
      throw error;
    }
  }

  private async runOnce<T>(turn: Turn, work: (change: Change) => Promise<T>): Promise<T> {
    const drafts: Draft[] = [];
    const audited: AuditRow[] = [];
    const actions: Action[] = [];
    const heads: Heads = new Map();
    const operation = this.operations.current;
    let ended = () => {};
    const committing = this.database.transaction(async (transaction) => {
      const { rows } = transaction;
      const lock = async (rooms: Room[], lockHeads = lockStreams): Promise<Heads> => {
        if (!turn.take(rooms)) throw transaction.abort(new AppError('SERVER_BUSY'));
        const locked = await lockHeads(rows, rooms);
        for (const [id, seq] of locked) heads.set(id, seq);
        return locked;
      };
      const change: Change = {
        get em() {
          return transaction.em;
        },
        get db() {
          return transaction.db;
        },
        rows,
        publish: (draft) => void drafts.push(draft),
        audit: (action, details) => void audited.push(...auditRow(action, details)),
        lock: async (...rooms) => void (await lock(rooms)),
        takeTurn(serverId) {
          if (!turn.take([`server:${serverId}`])) throw transaction.abort(new AppError('SERVER_BUSY'));
        },
        lockOpen: async (room) => requireOpen(await lock([room], lockOpenStreams)),
        afterCommit: (action) => void actions.push(action),
      };
      const result = await this.current.run({ change, transaction, drafts, audited, actions, heads }, () =>
        work(change),
      );
      await transaction.flush();
      if (audited.length > 0) drafts.push(...(await writeAudit(rows, audited)));
      // From here to the commit nobody else can append to these rooms.
      const rooms = drafts.map(({ room }) => room).filter((room) => !heads.has(streamId(room)));
      if (rooms.length > 0) await lock(rooms);
      const entries = numberDrafts(drafts, heads);
      if (operation?.isCurrent === false) await operation.check();
      ended = this.operations.beginCommit();
      if (entries.length > 0) {
        transaction.last = pipelined({
          alongside: this.alongside(change, entries),
          log: writeEntries(rows, entries, heads),
        });
      }
      return { result, entries };
    });
    const { result, entries } = await committing.finally(() => ended());
    turn.leave();
    operation?.committed();
    this.outage.end();
    this.delivery.committed(entries);
    // Concurrently: each may have to wait for a node that hangs.
    const numberOf = (draft: Draft) => entries[drafts.indexOf(draft)]?.seq ?? 0;
    await Promise.all(actions.map((action) => this.settle(() => action(numberOf))));
    return result;
  }

  /** Runs an after-commit action. The change is committed, so its failure must not reach the caller. */
  private async settle(action: () => void | Promise<void>): Promise<void> {
    try {
      await action();
    } catch (error) {
      this.log.error({ err: error }, 'The actions after a commit failed.');
    }
  }
}

function requireOpen(locked: Heads): void {
  if (locked.size === 0) throw new AppError('CHANNEL_ARCHIVED');
}
