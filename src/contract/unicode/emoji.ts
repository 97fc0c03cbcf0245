import { namedEmoji } from './emoji-names.ts';

/** The choice between a picture and a black and white sign, which many keyboards add and many leave out. */
const selectors = /[\ufe0e\ufe0f]/g;
/** What is shown as text unless a selector follows; digits only as keycaps. What has a skin colour needs none. */
const shownAsText = /(?:[\d#*](?=\u20e3)|(?![\d#*]|\p{Emoji_Presentation})\p{Emoji})(?!\p{Emoji_Modifier})/gu;

/**
 * An emoji with the variation selectors that Unicode asks for, and no others: all ways to write one are the same. The
 * database has the same rule, `emojiFormOf`.
 */
export const emojiForm = (text: string): string => text.replace(selectors, '').replace(shownAsText, '$&\ufe0f');

const byName = new Map(namedEmoji.map(({ name, emoji }) => [`:${name}:`, emojiForm(emoji)]));

/** The emoji that a text means: itself, or the one of that name between colons. Anything else stays as it is. */
export const emojiMeant = (text: string): string => byName.get(text) ?? emojiForm(text);

let recommended: RegExp | undefined;

/**
 * Whether a text is one emoji that people see as one: of the sequences that Unicode recommends for general interchange
 * (UTS 51), with its selectors. Letters, halves of flags and sequences that no font has are none.
 */
export function isEmoji(text: string): boolean {
  // For browsers the bundle makes a call of the literal: those that lack the flag fail here, and read the rest of this file.
  recommended ??= /^\p{RGI_Emoji}$/v;
  return recommended.test(text);
}

/** The name of a server's own emoji, as it stands between colons. */
export const ownEmojiName = /^[a-z\d_+-]{2,30}$/;

/** Whether a text can be an emoji of a server's own: a name between colons. Which there are, the server knows. */
export const isOwnForm = (text: string): boolean => /^:.*:$/.test(text) && ownEmojiName.test(text.slice(1, -1));

/** Whether everyone has an emoji of that name. */
export const isCommonName = (name: string): boolean => byName.has(`:${name}:`);
