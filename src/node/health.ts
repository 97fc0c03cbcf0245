import type { Context, Next } from 'koa';
import type { Database } from '../database/database.ts';
import type { RedisConnections } from '../infrastructure/redis.ts';

const answerWithinMs = 1000;
/** Anyone may ask, so the database is checked no more often than this. */
const freshMs = 100;

/** Whether this node should get traffic. */
export class Health {
  private readonly database: Database;
  private readonly redis: RedisConnections | null;
  private readonly filesProblem: () => string | null;
  private draining = false;
  private asked: { condition: ReturnType<Database['condition']>; at: number } | undefined;

  /** @param filesProblem why the bucket of files fails; null: it does not */
  constructor(database: Database, redis: RedisConnections | null, filesProblem: () => string | null = () => null) {
    this.database = database;
    this.redis = redis;
    this.filesProblem = filesProblem;
  }

  startDraining(): void {
    this.draining = true;
  }

  /** All reasons not to send traffic here; empty: ready. Answers within a second. */
  async problems(): Promise<string[]> {
    const problems: string[] = [];
    if (this.draining) problems.push('This node is shutting down.');
    const condition = await this.condition();
    if (condition === 'silent') problems.push('The database does not answer.');
    if (condition === 'read-only') problems.push('The database takes no writes.');
    if (this.redis?.problem) problems.push(this.redis.problem);
    return problems;
  }

  private condition(): ReturnType<Database['condition']> {
    const now = performance.now();
    if (!this.asked || now - this.asked.at > freshMs) {
      this.asked = { condition: this.database.condition(answerWithinMs), at: now };
    }
    return this.asked.condition;
  }

  /** `/healthz`: the process is alive. `/readyz`: it should get traffic. Not in `/api`: no token, undocumented there. */
  readonly middleware = (context: Context, next: Next): Promise<void> | void => {
    if (this.draining) context.set('Connection', 'close');
    const { path } = context;
    if (path === '/readyz') return this.answer(context);
    if (path !== '/healthz') return next();
    context.body = { ok: true };
  };

  private async answer(context: Context): Promise<void> {
    const problems = await this.problems();
    context.status = problems.length === 0 ? 200 : 503;
    // All nodes use the same bucket: taking one out of traffic would not bring it back.
    const degraded =
      this.filesProblem() === null ? {} : { degraded: ['S3 fails: its files can be neither stored nor read.'] };
    context.body = problems.length === 0 ? { ok: true, ...degraded } : { ok: false, problems, ...degraded };
  }
}
