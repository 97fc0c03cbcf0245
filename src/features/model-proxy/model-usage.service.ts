import { NIL } from 'uuid';
import type { z } from 'zod';
import type { Actor } from '../../contract/actor.ts';
import type { usageSchema } from '../../contract/model-proxy.ts';
import type { Database } from '../../database/database.ts';
import type { Log } from '../../infrastructure/log.ts';

/** Input and output tokens, as counted by the provider. */
export interface Counted {
  promptTokens: number;
  completionTokens: number;
}

type Usage = z.input<typeof usageSchema>;
type Item = Usage['items'][number];

/** Stands for "no token" in the table's key. */
const noToken = NIL;

const add = `INSERT INTO model_usage (user_id, day, token_id, model, requests, prompt_tokens, completion_tokens)
  VALUES ($1, (now() AT TIME ZONE 'UTC')::date, $2, $3, 1, $4, $5)
  ON CONFLICT (user_id, day, token_id, model) DO UPDATE SET requests = model_usage.requests + 1,
    prompt_tokens = model_usage.prompt_tokens + excluded.prompt_tokens,
    completion_tokens = model_usage.completion_tokens + excluded.completion_tokens`;
const ofUser = `SELECT day::text, CASE WHEN token_id = '${noToken}' THEN NULL ELSE token_id END AS "tokenId", model, requests,
    prompt_tokens AS "promptTokens", completion_tokens AS "completionTokens"
  FROM model_usage WHERE user_id = $1 AND day > (now() AT TIME ZONE 'UTC')::date - $2::int
  ORDER BY day DESC, model, token_id LIMIT 10000`;

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
    const { promptTokens, completionTokens } = counted;
    const values = [caller.userId, caller.tokenId ?? noToken, model, promptTokens, completionTokens];
    try {
      await this.database.rows(add, values);
    } catch (error) {
      this.log.warn({ err: error, ...caller, model, ...counted }, 'The use of a model could not be counted.');
    }
  }

  /** The actor's usage of the last days, newest first. */
  async of(actor: Actor, days: number): Promise<Usage> {
    const items = await this.database.rows<Item>(ofUser, [actor.userId, days]);
    const sum = (count: (item: Item) => number) => items.reduce((total, item) => total + count(item), 0);
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
