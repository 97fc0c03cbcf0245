import { isEmpty, type Json, linesOf } from './json.ts';
import { bold } from './marks.ts';

/** What a payload says of who writes it is a line of the text: the author is always the incoming webhook itself. */
export const senderLine = (name: unknown): string => bold(linesOf(name).join(' ').slice(0, 200));

const mostBytes = 16 * 1024;

/** Fields that nobody reads, kept with the message; too many of them are not. */
export function decorations(body: Json, names: readonly string[]): { metadata?: Json } {
  const found = names.filter((name) => !isEmpty(body[name])).map((name) => [name, body[name]] as const);
  if (found.length === 0) return {};
  const webhook = Object.fromEntries(found);
  return Buffer.byteLength(JSON.stringify(webhook)) > mostBytes ? {} : { metadata: { webhook } };
}
