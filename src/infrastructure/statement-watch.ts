/** How a statement ended. */
export interface Outcome {
  ms: number;
  /** Rows read or changed; null if it failed or has none. */
  rows: number | null;
  error: unknown;
}

/** Called when a statement is sent; the returned function is called with the outcome. */
export type StatementWatch = (text: string) => (outcome: Outcome) => void;

const maxShown = 2000;

/** A statement on one line, without literals: MikroORM inlines values into some of its texts. */
export function withoutValues(text: string): string {
  return text
    .slice(0, 5 * maxShown)
    .replace(/\bE'(?:[^'\\]|\\.|'')*'?|'(?:[^']|'')*'?/gi, '?')
    .replace(/(?<![\w$.])\d+(?:\.\d+)?(?![\w.])/g, '?')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, maxShown);
}
