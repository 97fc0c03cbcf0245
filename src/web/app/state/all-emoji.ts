import type { Language } from '../../../contract/languages.ts';
import { emojiForm, isEmoji } from '../../../contract/unicode/emoji.ts';
import type { Message } from '../../../languages/catalogue.ts';
import list from '../emoji/list.json' with { type: 'json' };
import english from '../emoji/words-en.json' with { type: 'json' };
import { toned } from './skin-tones.ts';

// This module holds the names of all emoji: it is loaded by those who choose one. `npm run emoji` makes the lists.

/** An emoji that everyone has. */
export interface CommonEmoji {
  emoji: string;
  /** In the language of the words that it was found by. */
  name: string;
}

/** One of the list. */
interface Listed extends CommonEmoji {
  /** What it is called between colons, the usual name first. */
  short: readonly string[];
  /** Its place in the list, and in the words of each language. */
  at: number;
}

export interface EmojiGroup {
  label: Message;
  list: readonly CommonEmoji[];
}

/** What all emoji are called, in the order of the list: the name, and keywords. */
export type EmojiWords = readonly string[];

export const englishWords: EmojiWords = english;

/** There are none in Arabic. */
const translated: Partial<Record<Language, () => Promise<{ default: EmojiWords }>>> = {
  de: () => import('../emoji/words-de.json', { with: { type: 'json' } }),
  es: () => import('../emoji/words-es.json', { with: { type: 'json' } }),
  fr: () => import('../emoji/words-fr.json', { with: { type: 'json' } }),
  ja: () => import('../emoji/words-ja.json', { with: { type: 'json' } }),
};

/** The names and keywords in a language; English where there are none, or they cannot be loaded. */
export async function wordsOf(language: Language): Promise<EmojiWords> {
  const load = translated[language];
  if (!load) return englishWords;
  return load().then(
    (words) => words.default,
    () => englishWords,
  );
}

const nameIn = (words: EmojiWords, at: number): string => (words[at] ?? '').split('|', 1)[0] ?? '';

const labels: readonly Message[] = [
  'Smileys',
  'People and gestures',
  'Animals and nature',
  'Food and drink',
  'Travel and places',
  'Sports and games',
  'Objects',
  'Symbols',
  'Flags',
];

/** Where each group begins in the list. */
const starts = list.groups.map((_, group) => list.groups.slice(0, group).flat().length);

/** Without those that are too new for this browser to know. */
const groups: readonly (readonly Listed[])[] = list.groups.map((entries, group) =>
  entries
    .map((entry, place) => {
      const [emoji = '', ...short] = entry.split(' ');
      const at = (starts[group] ?? 0) + place;
      return { emoji, short, at, name: nameIn(englishWords, at) };
    })
    .filter(({ emoji }) => isEmoji(emoji)),
);

const all = groups.flat();
const byEmoji = new Map(all.map((one) => [one.emoji, one]));
const byName = new Map(all.flatMap((one) => one.short.map((name) => [name, one] as const)));

/** By what each is about, in the order of Unicode. */
export const emojiGroups = (words: EmojiWords): EmojiGroup[] =>
  groups.map((entries, group) => ({
    label: labels[group] ?? 'Symbols',
    list: entries.map(({ emoji, at }) => ({ emoji, name: nameIn(words, at) })),
  }));

/** An emoji with its name, which it has with any colour of skin; one that is not listed is its own name. */
export function commonEmoji(emoji: string, words: EmojiWords = englishWords): CommonEmoji {
  const listed = byEmoji.get(emoji) ?? byEmoji.get(emojiForm(emoji.replace(/\p{Emoji_Modifier}/gu, '')));
  return { emoji, name: listed ? nameIn(words, listed.at) : emoji };
}

/** The same whatever signs stand between the words. */
const plain = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[:_\s]+|(?<=\w)-(?=\w)/g, ' ')
    .trim();

/** By which it is found: first the names between colons, then those of the languages, then the keywords. */
function namesOf({ short, at }: Listed, words: EmojiWords): { named: string[]; others: string[] } {
  const texts = words === englishWords ? [englishWords[at]] : [words[at], englishWords[at]];
  const split = texts.map((text = '') => text.split('|').map(plain));
  return {
    named: [...short.map(plain), ...split.map(([name = '']) => name)],
    others: split.flatMap(([, ...keywords]) => keywords),
  };
}

/**
 * The emoji that a text means: itself, or those with all of its words, or beginnings of words, in a name or among the
 * keywords. First come those that are called so between colons, then those with that very name, those whose name begins so,
 * those that a keyword says, and the others.
 */
export function emojiFor(text: string, words: EmojiWords = englishWords): CommonEmoji[] {
  const itself = emojiForm(text.trim());
  if (isEmoji(itself)) return [commonEmoji(itself, words)];
  return search(text, words).map(({ emoji, at }) => ({ emoji, name: nameIn(words, at) }));
}

function search(text: string, words: EmojiWords): Listed[] {
  const sought = plain(text);
  const parts = sought.split(' ');
  const found = all.flatMap((one) => {
    const { named, others } = namesOf(one, words);
    const texts = [...named, ...others];
    const fits = parts.every((part) => texts.some((name) => ` ${name}`.includes(` ${part}`)));
    return fits ? [{ one, rank: rankOf(sought, one, named, others) }] : [];
  });
  return found.sort((a, b) => b.rank - a.rank).map(({ one }) => one);
}

function rankOf(sought: string, { short }: Listed, named: readonly string[], others: readonly string[]): number {
  const at = named.indexOf(sought);
  if (at >= 0) return at < short.length ? 4 : 3;
  if (named.some((name) => name.startsWith(sought))) return 2;
  return others.includes(sought) ? 1 : 0;
}

/** One that is offered while its name is typed. */
export interface NamedEmoji {
  emoji: string;
  /** Its usual name between colons, and what it is called. */
  about: string;
}

/** Those that a name means that is being typed, each with a colour of skin where it has one. */
export async function emojiNamed(typed: string, language: Language, tone: string): Promise<NamedEmoji[]> {
  const words = await wordsOf(language);
  return search(typed, words).map(({ emoji, short, at }) => ({
    emoji: toned(emoji, tone),
    about: [short[0] && `:${short[0]}:`, nameIn(words, at)].filter(Boolean).join(' '),
  }));
}

/** The emoji of a name between colons. */
export const emojiCalled = (name: string, tone: string): string | undefined => {
  const found = byName.get(name);
  return found && toned(found.emoji, tone);
};
