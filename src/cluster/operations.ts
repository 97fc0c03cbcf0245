import { AsyncLocalStorage } from 'node:async_hooks';
import { AppError } from '../contract/errors.ts';
import { within } from '../infrastructure/within.ts';

/** What an access check read, and how to find out whether it still allows as much. */
export interface Fact {
  /** False: access was lost since. */
  stillHolds(): boolean | Promise<boolean>;
}

/** An operation is checked again at its commit once it is this old: the node may have been frozen in between. */
const freshMs = 1000;
/** How long a change waits for the commits that were under way when it was announced. */
const settleMs = 2000;

/** Something that a caller asked for and that has not been answered yet: what its access checks relied on. */
export class Operation {
  isOver = false;
  /** Of its last check: how many changes this node knew of, and when that was. */
  private checked: { changes: number; at: number };
  private readonly operations: Operations;
  private readonly authentic: () => Promise<unknown> | undefined;
  private facts: Fact[] = [];

  /** @param authentic checks that the caller's token is still valid; undefined: it is known to be */
  constructor(operations: Operations, authentic: () => Promise<unknown> | undefined) {
    this.operations = operations;
    this.authentic = authentic;
    this.checked = { changes: operations.changes, at: performance.now() };
  }

  rely(fact: Fact): void {
    this.facts.push(fact);
  }

  /** What it relied on may have been changed by its own commit: only what it reads from here on counts. */
  committed(): void {
    this.facts = [];
  }

  /** Whether nothing that it relied on can have changed. False: ask `check`. */
  get isCurrent(): boolean {
    const { changes, at } = this.checked;
    return this.operations.changes === changes && performance.now() - at < freshMs;
  }

  /** Checks again what it relied on. @throws AppError ACCESS_CHANGED, or with the code of a token that has ended */
  async check(): Promise<void> {
    while (!this.isCurrent) {
      const now = { changes: this.operations.changes, at: performance.now() };
      await this.authentic();
      const held = await this.operations.aside(() => Promise.all(this.facts.map((fact) => fact.stillHolds())));
      this.checked = now;
      if (held.includes(false)) {
        // A caller that reads the new facts and continues all the same relies on those.
        this.facts = this.facts.filter((_, index) => held[index]);
        throw new AppError('ACCESS_CHANGED');
      }
    }
  }
}

/**
 * Operations between their access checks and their commits. A change that takes access away is announced to all nodes,
 * and each node confirms only when nothing that was allowed before can be committed any more: operations recheck what
 * they relied on right before their commit, and it waits for commits begun by then (contract §13, Delivery).
 */
export class Operations {
  private readonly storage = new AsyncLocalStorage<Operation | undefined>();
  private readonly commits = new Set<Promise<void>>();
  /** How many changes of access were announced to this node. */
  changes = 0;

  /** Runs `work` as an operation. @param authentic checks that the caller's token is still valid */
  async run<T>(authentic: () => Promise<unknown> | undefined, work: () => Promise<T>): Promise<T> {
    const operation = new Operation(this, authentic);
    try {
      return await this.storage.run(operation, work);
    } finally {
      operation.isOver = true;
    }
  }

  /** The operation that the caller is part of. Background work that it started is no part of it. */
  get current(): Operation | undefined {
    const operation = this.storage.getStore();
    return operation?.isOver ? undefined : operation;
  }

  /** Runs `work` apart from the operation that the caller is part of. */
  aside<T>(work: () => T): T {
    return this.storage.run(undefined, work);
  }

  /** Access facts have changed: operations under way check theirs again. */
  noteChange(): void {
    this.changes++;
  }

  /** Announces a commit that was allowed to begin. @returns to be called once its outcome is known */
  beginCommit(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.commits.add(promise);
    return () => {
      this.commits.delete(promise);
      resolve();
    };
  }

  /** Resolves when the commits that are under way now have ended, or after 2 s. */
  async settled(): Promise<void> {
    if (this.commits.size > 0) await within(Promise.all(this.commits), settleMs);
  }
}
