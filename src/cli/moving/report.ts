import { z } from 'zod';

const findingSchema = z.object({ count: z.number(), examples: z.array(z.string()) });

export const reportSchema = z.object({
  counts: z.record(z.string(), z.number()),
  problems: z.record(z.string(), findingSchema),
});

type Kept = z.output<typeof reportSchema>;

/** How many places are told of a kind of problem. */
const examples = 5;
/** Kinds of problems are few; a text of the export in one would make many. */
const maxKinds = 200;

/** What an export has, what was done of it, and what could not be taken. */
export class Report {
  readonly counts: Kept['counts'];
  readonly problems: Kept['problems'];

  constructor(kept: Kept = { counts: {}, problems: {} }) {
    this.counts = { ...kept.counts };
    this.problems = { ...kept.problems };
  }

  count(what: string, by = 1): void {
    this.counts[what] = (this.counts[what] ?? 0) + by;
  }

  problem(what: string, place: string, by = 1): void {
    if (by === 0 || (!(what in this.problems) && Object.keys(this.problems).length >= maxKinds)) return;
    const found = this.problems[what] ?? { count: 0, examples: [] };
    found.count += by;
    if (found.examples.length < examples && place !== '') found.examples.push(place.slice(0, 200).toWellFormed());
    this.problems[what] = found;
  }

  /** As lines for the operator. */
  lines(): string[] {
    const counts = Object.entries(this.counts).map(([what, count]) => `  ${what}: ${count}`);
    const problems = Object.entries(this.problems).flatMap(([what, found]) => [
      `  ${what}: ${found.count}`,
      ...found.examples.map((place) => `      ${printable(place)}`),
    ]);
    return [...counts, ...(problems.length > 0 ? ['Not taken as it is:', ...problems] : [])];
  }
}

/** Names in an export may have what a terminal obeys. */
export const printable = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '\ufffd');
