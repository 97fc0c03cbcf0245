import pg from 'pg';

/** Counts what the nodes of this process ask PostgreSQL for. */
export interface StatementCount {
  /** What is asked for from here on is what nodes ask for by themselves, as long as `work` takes: it does not count again. */
  idle(work: () => Promise<unknown>): Promise<void>;
  /** Statements that `work` causes. */
  during(work: () => Promise<unknown>): Promise<number>;
  stop(): void;
}

/** Starts to count; nodes that have connections already are not seen. */
export function countStatements(): StatementCount {
  const own: (...args: unknown[]) => unknown = pg.Client.prototype.query;
  const known = new Set<string>();
  let seen: string[] = [];
  Reflect.set(pg.Client.prototype, 'query', function (this: pg.Client, ...args: unknown[]) {
    const [query] = args;
    const text = typeof query === 'string' ? query : Reflect.get(Object(query), 'text');
    if (typeof text === 'string') seen.push(text);
    return Reflect.apply(own, this, args);
  });
  return {
    async idle(work) {
      seen = [];
      await work();
      for (const text of seen) known.add(text);
    },
    async during(work) {
      seen = [];
      await work();
      return seen.filter((text) => !known.has(text)).length;
    },
    stop: () => void Reflect.set(pg.Client.prototype, 'query', own),
  };
}
