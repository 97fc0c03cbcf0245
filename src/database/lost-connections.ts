import type pg from 'pg';

/** The statements that begin and undo a transaction, as MikroORM's driver says them. */
const edges = new Set(['begin', 'rollback']);

/**
 * MikroORM's driver gives the connection of a transaction back only after a rollback that succeeded. One that broke in
 * the middle of a transaction would be held for ever, and a pool all of whose connections are held serves nobody, long
 * after PostgreSQL is back. Here it is thrown away.
 */
export function freeLostConnections(pool: pg.Pool): void {
  pool.on('connect', (client) => {
    const send: (...args: unknown[]) => unknown = client.query;
    Reflect.set(client, 'query', (...args: unknown[]) => {
      const result = Reflect.apply(send, client, args);
      const [text] = args;
      const isEdge = typeof text === 'string' && edges.has(text);
      if (isEdge && result instanceof Promise) result.catch(() => client.release(true));
      return result;
    });
  });
}
