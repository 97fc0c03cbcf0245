import type pg from 'pg';

interface Index {
  name: string;
  definition: string;
}

/**
 * The indexes of a table and of its partitions that stand for no constraint. Those of partitions that belong to an index
 * of the whole table go and come with that.
 */
const indexesOf = `SELECT i.indexrelid::regclass::text AS name, pg_get_indexdef(i.indexrelid) AS definition
  FROM pg_index i WHERE i.indrelid IN (SELECT $1::regclass UNION SELECT relid FROM pg_partition_tree($1))
    AND NOT EXISTS (SELECT FROM pg_inherits WHERE inhrelid = i.indexrelid)
    AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = i.indexrelid)`;

const memory = "SET maintenance_work_mem = '512MB'";

/** Does some work with a table that has no indexes meanwhile: built over all rows at once they take a fraction of the time. */
export async function withoutIndexes(
  client: pg.Client,
  table: string,
  say: (line: string) => void,
  work: () => Promise<unknown>,
): Promise<void> {
  const { rows } = await client.query<Index>(indexesOf, [table]);
  for (const { name } of rows) await client.query(`DROP INDEX ${name}`);
  try {
    await work();
  } finally {
    await client.query(memory);
    for (const { name, definition } of rows) {
      const started = performance.now();
      // The definition of a partitioned table's index is that of its upper part alone.
      await client.query(definition.replace(' ON ONLY ', ' ON '));
      say(`index ${name} in ${((performance.now() - started) / 1000).toFixed(0)} s`);
    }
  }
}

/** Bytes of a table with its partitions: rows, and indexes. */
export async function bytesOf(client: pg.Client, table: string): Promise<{ rows: number; indexes: number }> {
  const { rows } = await client.query<{ rows: number; indexes: number }>(
    `SELECT sum(pg_table_size(relid))::float AS rows, sum(pg_indexes_size(relid))::float AS indexes
     FROM (SELECT $1::regclass AS relid UNION SELECT relid FROM pg_partition_tree($1)) AS tables`,
    [table],
  );
  return rows[0] ?? { rows: 0, indexes: 0 };
}
