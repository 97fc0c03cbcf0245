import { createHash } from 'node:crypto';

/**
 * The id here of something of an export: the same each time, and a UUID of version 7 by the moment at which it was made, so
 * that lists by id are in order. Nobody can choose one: the id of the import, which no export knows, is part of it.
 */
export function idIn(importId: string, kind: string, key: string, at: number): string {
  const hash = createHash('sha256').update(`${importId}\n${kind}\n${key}`).digest('hex');
  const time = Math.max(0, Math.floor(at)).toString(16).padStart(12, '0').slice(-12);
  const variant = ((Number.parseInt(hash.slice(3, 4), 16) & 3) | 8).toString(16);
  return [time.slice(0, 8), time.slice(8), `7${hash.slice(0, 3)}`, variant + hash.slice(4, 7), hash.slice(7, 19)].join(
    '-',
  );
}
