/** A piece of a list, and whether there is more. */
export interface ListPage<R> {
  records: R[];
  hasMore: boolean;
}

/** @param rows the result of a query for `limit + 1` rows */
export function listPage<Row, R>(rows: Row[], limit: number, record: (row: Row) => R): ListPage<R> {
  return { records: rows.slice(0, limit).map(record), hasMore: rows.length > limit };
}
