/** Two users in the canonical order of a pair. */
export interface Pair {
  low: string;
  high: string;
}

export function pairOf(one: string, other: string): Pair {
  return one < other ? { low: one, high: other } : { low: other, high: one };
}
