import { namedEmoji } from '../../../contract/unicode/emoji-names.ts';

const byName = new Map(namedEmoji.map(({ name, emoji }) => [name, emoji]));

/** @param text a name between colons, or anything else, which stays as is */
export const emojiOf = (text: string): string => byName.get(text.replace(/^:(.+):$/, '$1')) ?? text;
