import { z } from 'zod';
import type { Database } from '../database/database.ts';
import type { Services } from '../features.ts';
import { validated } from '../schema/validation.ts';
import type { Settings } from '../settings.ts';

/** The context of a command. */
export interface Input {
  /** The arguments after the command's name. */
  words: string[];
  options: Record<string, string | boolean | undefined>;
  settings: Settings;
  database: Database;
  services: Services;
  print(line: string): void;
}

export interface Command {
  usage: string;
  summary: string;
  run(input: Input): Promise<void>;
}

/** How many arguments a command takes at most, by its usage without the options. */
export function wordsOf({ usage }: Command): number {
  return usage.replace(/\[?--[\w-]+( <[^>]+>)?\]?/g, '').match(/[<[]/g)?.length ?? 0;
}

export function theWord(words: string[], what: string): string {
  return validated(z.object({ [what]: z.string('must be given').min(1) }), { [what]: words[0] })[what] ?? '';
}

export function asText(value: string | boolean | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
