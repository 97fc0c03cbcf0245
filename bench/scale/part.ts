import type { Figures } from '../scenario.ts';
import type { Subject } from '../subject.ts';

/** What the run was asked for. */
export interface Sizes {
  /** How many people, if the run was given a number; a part has its own otherwise. */
  people: number | null;
  redisUrl: string;
}

/** A part of `npm run bench -- scale`. */
export interface Part {
  name: string;
  /** What it measures: a line above its table. */
  about: string;
  people: number;
  run(people: number, sizes: Sizes, row: (what: string, figures: Figures) => void): Promise<void>;
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
