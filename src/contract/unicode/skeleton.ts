import { readFileSync } from 'node:fs';
import path from 'node:path';

/** Unicode's case folding: unlike lower case, it is the same at the end of a word (ς), and for ß and SS. */
const folded = (text: string): string =>
  text.replace(/\p{Changes_When_Casefolded}/gu, (letter) => letter.toLowerCase().toUpperCase().toLowerCase());

/** Compatibility composition (NFKC) and case folding, as texts are compared that differ in nothing but form and case. */
export function foldedKey(text: string): string {
  const once = folded(text.normalize('NFKC')).normalize('NFKC');
  return once === text ? text : foldedKey(once);
}

/** Of UTS 39: `npm run confusables` writes it. Each line has what letters look like, a tab, and these letters. */
const file = path.join(import.meta.dirname, 'confusables.txt');
let table: Map<string, string> | undefined;

/** The table of look-alikes, read when a name is first compared (2 ms). */
function lookAlikes(): Map<string, string> {
  if (table) return table;
  const lines = readFileSync(file, 'utf8').split('\n');
  table = new Map();
  for (const line of lines) {
    if (line.startsWith('#')) continue;
    const [prototype = '', letters = ''] = line.split('\t');
    for (const letter of letters) table.set(letter, prototype);
  }
  return table;
}

/**
 * What a text looks like: texts with the same skeleton can be taken for each other (UTS 39, section 4), whichever case
 * they are written in. Capitals count as they look, so `AIice` with a capital i is `Alice`; what they look like is folded,
 * until nothing changes.
 */
export function skeleton(text: string): string {
  const known = lookAlikes();
  const composed = text.normalize('NFKC').normalize('NFD');
  const drawn = Array.from(composed, (letter) => known.get(letter) ?? letter).join('');
  const once = folded(drawn).normalize('NFD');
  return once === text ? text : skeleton(once);
}

/** The letter or digit of ASCII that another character looks like, if it looks like a single one. */
export function plainLookAlike(letter: string): string | undefined {
  const drawn = letter > '\x7f' ? lookAlikes().get(letter) : undefined;
  return drawn !== undefined && /^[a-z0-9]$/i.test(drawn) ? drawn : undefined;
}
