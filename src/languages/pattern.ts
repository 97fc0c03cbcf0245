import type { Message } from './catalogue.ts';

const patterns = new Map<Message, RegExp>();

/**
 * Reads an English text again that was made from a message.
 * @returns what stood for its arguments; null: it is another text
 */
export function valuesIn(message: Message, text: string): Record<string, string> | null {
  const found = patternOf(message).exec(text);
  return found && { ...found.groups };
}

function patternOf(message: Message): RegExp {
  const known = patterns.get(message);
  if (known) return known;
  const escaped = message.replace(/[.*+?^$()|[\]\\]/g, '\\$&');
  const pattern = new RegExp(`^${escaped.replace(/\{(\w+)\}/g, '(?<$1>.+)')}$`, 's');
  patterns.set(message, pattern);
  return pattern;
}
