import { isJson, type Json, textIn } from '../../features/hooks/formats/json.ts';
import { clean } from './marks.ts';

/** What fields of an export say, whatever is in them. */

/** A key of the other product; texts of any length come as one. */
const maxKey = 400;

export const textOf = (value: unknown): string => clean(textIn(value));

/** An id: a text, or a number; empty where there is none. */
export function idOf(value: unknown): string {
  const text = typeof value === 'number' ? String(value) : textOf(value);
  return text.slice(0, maxKey).toWellFormed();
}

export const objectOf = (value: unknown): Json => (isJson(value) ? value : {});

/** A whole number; null: it is none. */
export const numberOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? Math.trunc(value) : null;

/** The first text that is not empty. */
export const firstOf = (...values: unknown[]): string => values.map(textOf).find((text) => text.trim() !== '') ?? '';

/** The keys of people who were met already; it forgets them when there are very many. */
export class Met {
  private readonly keys = new Set<string>();

  /** @returns whether it is new, as far as is known */
  add(key: string): boolean {
    if (this.keys.has(key)) return false;
    if (this.keys.size >= 100_000) this.keys.clear();
    this.keys.add(key);
    return true;
  }
}
