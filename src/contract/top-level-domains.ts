import { createRequire } from 'node:module';
import { z } from 'zod';

const listSchema = z.array(z.string());
let list: string[] | undefined;

/** The top-level domains there are, those of other scripts in their own letters. */
export function topLevelDomains(): string[] {
  list ??= listSchema.parse(createRequire(import.meta.url)('tlds'));
  return list;
}
