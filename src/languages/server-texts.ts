import { readFileSync } from 'node:fs';
import path from 'node:path';
import { directionOf, type Language } from '../contract/languages.ts';
import type { Message } from './catalogue.ts';
import { messageText, type Values } from './message.ts';

interface Catalogue {
  texts: Readonly<Record<string, string>>;
  errors: Readonly<Record<string, string>>;
}

/** What the server says to people in one language: in mails, pushes and pages. */
export interface ServerTexts {
  language: Language;
  direction: 'ltr' | 'rtl';
  t(message: Message, values?: Values): string;
  /** The same for a text that is known only as the server runs: one that has no translation stays. */
  of(text: string): string;
  /** The sentence for an error with this code; null in English, which is the server's own. */
  errorOf(code: string): string | null;
}

const catalogues = new Map<Language, Catalogue | null>();

/** Read when it is needed: most installations speak few of them. */
function catalogueOf(language: Language): Catalogue | null {
  const known = catalogues.get(language);
  if (known !== undefined || language === 'en') return known ?? null;
  const read: Catalogue = JSON.parse(readFileSync(path.join(import.meta.dirname, `${language}.json`), 'utf8'));
  catalogues.set(language, read);
  return read;
}

/** @param language null: nothing is known of it, and so it is English */
export function serverTexts(language: Language | null): ServerTexts {
  const spoken = language ?? 'en';
  const catalogue = catalogueOf(spoken);
  return {
    language: spoken,
    direction: directionOf(spoken),
    t: (message, values = {}) => messageText(catalogue?.texts[message] ?? message, values, spoken),
    of: (text) => catalogue?.texts[text] ?? text,
    errorOf: (code) => catalogue?.errors[code] ?? null,
  };
}
