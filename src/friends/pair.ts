/** Two users in the order that stands for both of their directions. */
export interface Pair {
  low: string;
  high: string;
}

export function pairOf(one: string, other: string): Pair {
  return one < other ? { low: one, high: other } : { low: other, high: one };
}
