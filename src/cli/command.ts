import { z } from 'zod';
import { validated } from '../contract/schema/validation.ts';
import type { Database } from '../database/database.ts';
import type { Changes } from '../delivery/changes.ts';
import type { Modules } from '../node/modules.ts';
import type { Settings } from '../settings/settings.ts';

/** The context of a command. */
export interface Input {
  /** The arguments after the command's name. */
  args: string[];
  options: Record<string, string | boolean | undefined>;
  settings: Settings;
  database: Database;
  changes: Changes;
  services: Modules['services'];
  print(line: string): void;
}

interface Described {
  usage: string;
  summary: string;
}

export interface Command extends Described {
  run(input: Input): Promise<void>;
}

/** A command that opens no installation. */
export interface LoneCommand extends Described {
  /** @returns the exit code */
  runAlone(input: Pick<Input, 'args' | 'options' | 'print'>): Promise<number>;
}

/** The maximum number of a command's arguments, by its usage without the options. */
export function maxArguments({ usage }: Described): number {
  return usage.replace(/\[?--[\w-]+( <[^>]+>)?\]?/g, '').match(/[<[]/g)?.length ?? 0;
}

/** The argument at a position. @param name as the error calls it. @throws AppError VALIDATION_FAILED if it was not given */
export function requiredArgument(args: string[], at: number, name: string): string {
  return validated(z.object({ [name]: z.string('must be given').min(1) }), { [name]: args[at] })[name] ?? '';
}

/** The value of an option that takes one; undefined if it was not given. */
export function asText(value: string | boolean | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
