import pg from 'pg';
import type { Log } from '../infrastructure/log.ts';
import { SparseLog } from '../infrastructure/sparse-log.ts';
import { type StatementWatch, withoutValues } from '../infrastructure/statement-watch.ts';
import { databaseCode, isUnavailable } from './failures.ts';
import type { Rows } from './transaction.ts';

/** Calls the watches for each statement that is run on the connections of a pool. Values never reach them. */
export function watchStatements(pool: pg.Pool, watches: readonly StatementWatch[]): void {
  pool.on('connect', (client) => {
    const send: (...args: unknown[]) => unknown = client.query;
    // The driver has no hook for this, and its own type of `query` is a list of ways to call it.
    Reflect.set(client, 'query', (...args: unknown[]) => {
      const text = textOf(args[0]);
      if (text === null || watches.length === 0) return Reflect.apply(send, client, args);
      const ended = begin(text, watches);
      const last = args.at(-1);
      if (typeof last !== 'function') return followed(Reflect.apply(send, client, args), ended);
      const callback = (error: unknown, result: unknown) => {
        ended(error, result);
        Reflect.apply(last, undefined, [error, result]);
      };
      return Reflect.apply(send, client, [...args.slice(0, -1), callback]);
    });
  });
}

type End = (error: unknown, result: unknown) => void;

function begin(text: string, watches: readonly StatementWatch[]): End {
  const started = performance.now();
  const ends = watches.map((watch) => watch(text));
  return (error, result) => {
    const outcome = { ms: performance.now() - started, rows: error ? null : rowsOf(result), error };
    for (const end of ends) end(outcome);
  };
}

function followed(result: unknown, ended: End): unknown {
  if (!(result instanceof Promise)) return result;
  result.then(
    (answer) => ended(null, answer),
    (error) => ended(error, undefined),
  );
  return result;
}

/** Objects that send themselves, such as cursors, are left alone. */
function textOf(query: unknown): string | null {
  if (typeof query === 'string') return query;
  if (typeof query !== 'object' || query === null || 'submit' in query) return null;
  return 'text' in query && typeof query.text === 'string' ? query.text : null;
}

function rowsOf(result: unknown): number | null {
  return result instanceof pg.Result ? result.rowCount : null;
}

/** Lines about slow statements per second: more would slow down the node of a slow database even further. */
const maxLines = 10;

/**
 * Logs slow statements with their time and number of rows.
 * @param slowMs from how many milliseconds on; 0: never
 */
export function slowStatementLog(slowMs: number, log: Log): StatementWatch {
  let second = 0;
  let lines = 0;
  let left = 0;
  return (text) => (outcome) => {
    if (slowMs === 0 || outcome.ms < slowMs) return;
    const now = Math.floor(performance.now() / 1000);
    if (now !== second) [second, lines] = [now, 0];
    if (lines++ >= maxLines) {
      left++;
      return;
    }
    const failed = outcome.error ? { failed: true } : {};
    const record = {
      ms: Math.round(outcome.ms),
      rows: outcome.rows,
      ...failed,
      ...(left > 0 ? { leftOut: left } : {}),
    };
    left = 0;
    log.warn({ ...record, statement: withoutValues(text) }, 'A slow statement.');
  };
}

/**
 * Logs why PostgreSQL refuses statements, for example when its disk is full while reads still work. Callers only learn
 * to retry, and an embedded PostgreSQL has no log of its own. Not logged each time, since all fail alike.
 */
export function failedStatementLog(log: Log): StatementWatch {
  const sparse = new SparseLog(log);
  return () => (outcome) => {
    const { error } = outcome;
    if (!(error instanceof Error) || !isUnavailable(error)) return;
    const state = databaseCode(error) ?? 'none';
    sparse.warn({ state }, { reason: error.message }, 'PostgreSQL could not do what it was asked for.');
  };
}

/** Whether a statement can be run again without changing anything twice. */
export const onlyReads = (text: string): boolean => !/\b(INSERT|UPDATE|DELETE)\b/i.test(text);

const statementNames = new Map<string, string>();

/** A short stable name per distinct text; the texts are constants of the code, so there are few. */
export function statementName(text: string): string {
  let name = statementNames.get(text);
  if (!name) {
    name = `s${statementNames.size + 1}`;
    statementNames.set(text, name);
  }
  return name;
}

/** The number that a statement selects as `count`. */
export async function countOf(rows: Rows, text: string, values: unknown[]): Promise<number> {
  const [row] = await rows<{ count: number }>(text, values);
  return row?.count ?? 0;
}
