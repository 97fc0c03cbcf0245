import type { Log } from '../log.ts';
import { StateLog } from '../state-log.ts';

/** A request to a store, as metrics tell them apart. */
export type StoreOperation = 'get' | 'put' | 'head' | 'delete' | 'list' | 'begin' | 'part' | 'complete' | 'abort';
type StoreName = 'database' | 's3';

/** Receives how long a request took. */
type Observe = (store: StoreName, operation: StoreOperation, outcome: 'ok' | 'failed', seconds: number) => void;

/** What the stores of files do on this node, for its metrics and its readiness. */
export class StoreMeter {
  /** Bytes that went into a store, and came out of it. */
  readonly bytes: Record<StoreName, { written: number; read: number }> = {
    database: { written: 0, read: 0 },
    s3: { written: 0, read: 0 },
  };
  private readonly log: Log | null;
  private readonly state = new StateLog(true, (isWell: boolean, leftOut) => this.report(isWell, leftOut));
  private known: string | null = null;
  private observe: Observe = () => {};

  constructor(log: Log | null = null) {
    this.log = log;
  }

  /** Why the last request to S3 failed; null: it did not. */
  get problem(): string | null {
    return this.known;
  }

  set problem(problem: string | null) {
    this.known = problem;
    this.state.set(problem === null);
  }

  /** Reports nothing from now on. */
  close(): void {
    this.state.close();
  }

  /** Tells all further requests. */
  tell(observe: Observe): void {
    this.observe = observe;
  }

  /** Times a request. @param isFailure whether an error is one of the store */
  async timed<T>(
    store: StoreName,
    operation: StoreOperation,
    work: () => Promise<T>,
    isFailure: (error: unknown) => boolean = () => true,
  ): Promise<T> {
    const started = performance.now();
    const ended = (outcome: 'ok' | 'failed') =>
      this.observe(store, operation, outcome, (performance.now() - started) / 1000);
    try {
      const result = await work();
      ended('ok');
      return result;
    } catch (error) {
      ended(isFailure(error) ? 'failed' : 'ok');
      throw error;
    }
  }

  private report(isWell: boolean, leftOut: number): void {
    if (isWell) this.log?.info({ leftOut }, 'S3 answers again.');
    else this.log?.error({ problem: this.known, leftOut }, 'S3 fails: files in it can be neither stored nor read.');
  }
}
