import type { Figures } from '../scenario.ts';
import type { Subject } from '../subject.ts';

export type Row = (what: string, figures: Figures) => void;

/** A part of `npm run bench -- scale`. */
export interface Part {
  name: string;
  /** What it measures: a line above its table. */
  about: string;
  /** How many there are unless the run is given a number. */
  people: number;
  /** @param redisUrl for what runs on two nodes */
  run(people: number, row: Row, redisUrl: string): Promise<void>;
}

/** How many clients connect at once. */
export const atOnce = 100;

/** Runs some work on a subject, which is stopped afterwards whatever happens. */
export async function on<T>(opening: Promise<Subject>, work: (subject: Subject) => Promise<T>): Promise<T> {
  const subject = await opening;
  try {
    return await work(subject);
  } finally {
    await subject.stop();
  }
}

export const portsOf = ({ servers }: Subject) => servers.map(({ port }) => port);
