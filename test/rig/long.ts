/** Whether all is tried, as `npm run test:long` does (see test/run.ts). */
export const isLong = process.env.PARLEY_TESTS === 'long';

/** A test of `npm run test:long` alone: of what it tries, `npm test` tries a smaller share elsewhere. */
export const itLong: (name: string, test: () => Promise<void>) => void = (name, test) => {
  // Looked up at the call: the run itself, in which there is no `it`, asks this file whether it is a long one.
  if (isLong) it(name, test);
};

/**
 * All of it in a long run, else every `n`-th.
 * @param first which one to begin with: where each of many tests takes another one, all of them together leave nothing out
 */
export function shareOf<T>(all: readonly T[], n: number, first = 0): T[] {
  return all.filter((_, at) => isLong || at % n === first % n);
}
