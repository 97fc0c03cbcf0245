import { setTimeout as delay } from 'node:timers/promises';

/** Pieces of a text that come faster are shown together. */
const togetherMs = 100;
const togetherLength = 500;

/** What came of asking for the next piece: it never fails, since nobody may be waiting for it. */
type Step = { text: string } | { text: null; error?: unknown };

/**
 * Joins pieces of a text that come within 100 ms, up to about 500 characters. What there is comes before an error. The source is
 * never closed here: whoever stops reading does so.
 */
export async function* together(texts: AsyncIterable<string>): AsyncGenerator<string> {
  const source = texts[Symbol.asyncIterator]();
  let waiting = '';
  let dueAt = Number.NEGATIVE_INFINITY;
  let due: Promise<null> | undefined;
  for (let reading = next(source); ; ) {
    if (waiting !== '') due ??= delay(Math.max(0, dueAt - performance.now()), null);
    const step: Step | null = await (due ? Promise.race([reading, due]) : reading);
    if (step?.text) waiting += step.text;
    const isOver = step?.text === null;
    if (step && !isOver) reading = next(source);
    const isDue = step === null || isOver || waiting.length >= togetherLength || performance.now() >= dueAt;
    if (isDue && waiting !== '') {
      yield waiting;
      [waiting, due, dueAt] = ['', undefined, performance.now() + togetherMs];
    }
    if (!isOver) continue;
    if (step.error !== undefined) throw step.error;
    return;
  }
}

const next = (source: AsyncIterator<string>): Promise<Step> =>
  source.next().then(
    ({ done, value }) => (done ? { text: null } : { text: value }),
    (error: unknown) => ({ text: null, error }),
  );
