import type { Rows } from './transaction.ts';

/** The number that a statement selects as `count`. */
export async function countOf(rows: Rows, text: string, values: unknown[]): Promise<number> {
  const [row] = await rows<{ count: number }>(text, values);
  return row?.count ?? 0;
}
