import { namedEmoji } from '../../../contract/unicode/emoji-names.ts';

const byName = new Map(namedEmoji.map(({ name, emoji }) => [name, emoji]));

/** @param text a name between colons, or anything else, which stays as is */
export const emojiOf = (text: string): string => byName.get(text.replace(/^:(.+):$/, '$1')) ?? text;

/** The emoji whose names contain a text, prefix matches first. */
export function emojiLike(text: string): typeof namedEmoji {
  const holding = namedEmoji.filter(({ name }) => name.includes(text));
  return holding.sort((a, b) => Number(b.name.startsWith(text)) - Number(a.name.startsWith(text)));
}
