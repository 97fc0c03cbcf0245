/** A piece of a list, and whether it goes on. */
export interface ListPage<R> {
  records: R[];
  hasMore: boolean;
}

/** @param rows those that were found when `limit + 1` of them were asked for */
export function listPage<Row, R>(rows: Row[], limit: number, record: (row: Row) => R): ListPage<R> {
  return { records: rows.slice(0, limit).map(record), hasMore: rows.length > limit };
}
