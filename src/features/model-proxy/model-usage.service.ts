import type { z } from 'zod';
import type { Actor } from '../../contract/actor.ts';
import type { usageSchema } from '../../contract/model-proxy.ts';
import type { Database } from '../../database/database.ts';
import type { Log } from '../../infrastructure/log.ts';
import { addUsage, type Counted, type UsageRow, usageOf } from './model.table.ts';

/** Usage of the models by users and their tokens (contract §8). */
export class ModelUsageService {
  private readonly database: Database;
  private readonly log: Log;

  constructor(database: Database, log: Log) {
    this.database = database;
    this.log = log;
  }

  /** Records a request. It never fails: a caller who has the response must not lose it over the count. */
  async add(caller: { userId: string; tokenId: string | null }, model: string, counted: Counted): Promise<void> {
    try {
      await addUsage(this.database.rows, caller, model, counted);
    } catch (error) {
      this.log.warn({ err: error, ...caller, model, ...counted }, 'The use of a model could not be counted.');
    }
  }

  /** The actor's usage of the last days, newest first. */
  async of(actor: Actor, days: number): Promise<z.input<typeof usageSchema>> {
    const items = await usageOf(this.database.rows, actor.userId, days);
    const sum = (count: (item: UsageRow) => number) => items.reduce((total, item) => total + count(item), 0);
    return {
      items,
      total: {
        requests: sum((item) => item.requests),
        promptTokens: sum((item) => item.promptTokens),
        completionTokens: sum((item) => item.completionTokens),
      },
    };
  }
}
