import { emojiForm, isEmoji } from '../../../contract/unicode/emoji.ts';

/** The colours of skin, as Unicode has them; none: the yellow that no one has. */
export const skinTones = ['', '🏻', '🏼', '🏽', '🏾', '🏿'] as const;

/** An emoji with a colour of skin; one that has none stays as it is. */
export function toned(emoji: string, tone: string): string {
  if (tone === '' || /\p{Emoji_Modifier}/u.test(emoji)) return emoji;
  const coloured = emoji.replace(/(\p{Emoji_Modifier_Base})\ufe0f?/gu, `$1${tone}`);
  return coloured !== emoji && isEmoji(emojiForm(coloured)) ? emojiForm(coloured) : emoji;
}
