import groups from 'unicode-emoji-json/data-by-group.json' with { type: 'json' };
import { emojiForm, isEmoji } from '../../../contract/unicode/emoji.ts';
import { namedEmoji } from '../../../contract/unicode/emoji-names.ts';
import type { Message } from '../../../languages/catalogue.ts';

// This module holds the names of all emoji: it is loaded by those who choose one.

/** An emoji that everyone has. */
export interface CommonEmoji {
  emoji: string;
  /** In English. */
  name: string;
}

export interface EmojiGroup {
  label: Message;
  list: readonly CommonEmoji[];
}

const labels: Record<string, Message> = {
  smileys_emotion: 'Smileys',
  people_body: 'People and gestures',
  animals_nature: 'Animals and nature',
  food_drink: 'Food and drink',
  travel_places: 'Travel and places',
  activities: 'Sports and games',
  objects: 'Objects',
  symbols: 'Symbols',
  flags: 'Flags',
};

/** By what each is about, in the order of Unicode; without those that are too new for this browser to know. */
export const emojiGroups: readonly EmojiGroup[] = groups.map(({ slug, emojis }) => ({
  label: labels[slug] ?? 'Symbols',
  list: emojis.map(({ emoji, name }) => ({ emoji: emojiForm(emoji), name })).filter(({ emoji }) => isEmoji(emoji)),
}));

const all = emojiGroups.flatMap(({ list }) => list);
const byEmoji = new Map(all.map((one) => [one.emoji, one]));

/** An emoji with its name; of a colour of skin, for one, the emoji is its own name. */
export const commonEmoji = (emoji: string): CommonEmoji => byEmoji.get(emoji) ?? { emoji, name: emoji };

/** The same whatever signs stand between the words. */
const plain = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[:_\s]+|(?<=\w)-(?=\w)/g, ' ')
    .trim();

/** What each is called between colons. */
const shortNames = Map.groupBy(namedEmoji, ({ emoji }) => emojiForm(emoji));

/** Those first: what is typed between colons is one of them. */
const namesOf = ({ emoji, name }: CommonEmoji): string[] =>
  [...(shortNames.get(emoji) ?? []).map((one) => one.name), name].map(plain);

/**
 * The emoji that a text means: itself, or those with all of its words, or beginnings of words, in a name. First come those
 * that are called so between colons, then those with that very name, then those whose name begins so.
 */
export function emojiFor(text: string): CommonEmoji[] {
  const itself = emojiForm(text.trim());
  if (isEmoji(itself)) return [commonEmoji(itself)];
  const sought = plain(text);
  const words = sought.split(' ');
  const rank = (names: string[]) => {
    const at = names.indexOf(sought);
    if (at >= 0) return at < names.length - 1 ? 3 : 2;
    return names.some((name) => name.startsWith(sought)) ? 1 : 0;
  };
  const found = all.flatMap((one) => {
    const names = namesOf(one);
    const fits = words.every((word) => names.some((name) => ` ${name}`.includes(` ${word}`)));
    return fits ? [{ one, rank: rank(names) }] : [];
  });
  return found.sort((a, b) => b.rank - a.rank).map(({ one }) => one);
}
