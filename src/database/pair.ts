/** Two users in the canonical order of a pair. */
export interface Pair {
  low: string;
  high: string;
}

/** The pair of two users, in whichever order they are given. */
export function pairOf(one: string, other: string): Pair {
  return one < other ? { low: one, high: other } : { low: other, high: one };
}
