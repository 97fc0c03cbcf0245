import type { z } from 'zod';

/** A setting that is wrong or missing; its message is one sentence for the operator. */
export class SettingsError extends Error {}

/** What a schema makes of given settings. @param name what a path in them is called where they are given @throws SettingsError */
export function parse<S extends z.ZodType>(schema: S, value: unknown, name: (path: string) => string): z.infer<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const unknownKeys = issue?.code === 'unrecognized_keys' ? issue.keys : [];
  const where = [...(issue?.path ?? []), ...unknownKeys.slice(0, 1)].join('.');
  throw new SettingsError(`${name(where)} is wrong: ${issue?.message ?? 'invalid'}.`);
}
