/** How something is: `warning` works, but not as it should; `problem` does not. */
export type Status = 'ok' | 'warning' | 'problem';

/** One line of the report. */
export interface Check {
  /** What was looked at, such as `database.rights`. */
  name: string;
  status: Status;
  /** What was found. */
  text: string;
  /** What to do; null where nothing is to be done. */
  advice: string | null;
}

export const ok = (name: string, text: string): Check => ({ name, status: 'ok', text, advice: null });
export const warning = (name: string, text: string, advice: string): Check => ({
  name,
  status: 'warning',
  text,
  advice,
});
export const problem = (name: string, text: string, advice: string): Check => ({
  name,
  status: 'problem',
  text,
  advice,
});

/** Why something failed, in a few words. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // What fetch throws says only in its cause what happened, and several addresses fail together.
  const causes = error instanceof AggregateError ? error.errors : [error.cause];
  const inner = causes.find((cause) => cause instanceof Error);
  if (inner instanceof Error) return reasonOf(inner);
  const code = 'code' in error ? String(error.code) : '';
  const text = error.message.split('\n')[0] ?? '';
  return text === '' ? code || error.name : text;
}

/** Runs some checks, for no longer than `ms`. They never reject: what goes wrong is a line. */
export async function bounded(name: string, ms: number, work: () => Promise<Check[]>): Promise<Check[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Check[]>((resolve) => {
    const text = `there was no answer within ${Math.round(ms / 1000)} s`;
    timer = setTimeout(
      () => resolve([problem(name, text, 'See whether it is overloaded, or a firewall is in between.')]),
      ms,
    );
  });
  const done = work().catch((error) => [problem(name, reasonOf(error), 'See what this message says.')]);
  return Promise.race([done, late]).finally(() => clearTimeout(timer));
}
