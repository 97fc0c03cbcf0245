import { phraseOf, type QueryWord } from './words.ts';

/** What people type, as PostgreSQL is asked for it (contract §6, Search). */

/** Words in a row. */
export interface Term {
  words: QueryWord[];
  isExcluded: boolean;
}

/** A text has all terms of one of them. */
export type Alternatives = Term[][];

/** An operator with what was typed after it. */
export interface Operator {
  name: OperatorName;
  value: string;
  isExcluded: boolean;
}

interface Parsed {
  alternatives: Alternatives;
  operators: Operator[];
  /** The text without operators. */
  text: string;
}

const operatorNames = ['from', 'in', 'mentions', 'has', 'before', 'after', 'on', 'is'] as const;
export type OperatorName = (typeof operatorNames)[number];

/** More words than anyone types. */
const mostWords = 40;
const mostOperators = 20;

/**
 * Several minus signs before a word, with only what separates words between them, are a line, as in `--help`, and exclude
 * nothing.
 */
const lines = /(?<![\p{L}\p{N}])-(?:[\s!&|():]*-)+/gu;
const operator = new RegExp(`(?<=^|\\s)(-?)(${operatorNames.join('|')}):(?:"([^"]*)"|([^\\s"]+))(?=\\s|$)`, 'giu');
const chunks = /(?<minus>-)?"(?<quoted>[^"]*)(?:"|$)|(?<plain>[^\s"]+)/gu;
const exclusion = /^-[^\p{L}\p{N}\s]*[\p{L}\p{N}]/u;

const isOperator = (name: string): name is OperatorName => operatorNames.some((one) => one === name);

/**
 * Reads a query: words, "phrases", `-` before what must not be there, `or` between alternatives, `*` after the beginning of
 * a word, and operators. The last word may go on, as one types.
 * @param isKnown whether an operator can have this value; else both are words
 */
export function parsed(query: string, isKnown: (name: OperatorName, value: string) => boolean): Parsed {
  const operators: Parsed['operators'] = [];
  const text = query.replace(operator, (whole, minus: string, typed: string, quoted?: string, plain?: string) => {
    const name = typed.toLowerCase();
    const value = (quoted ?? plain ?? '').trim();
    const isExcluded = minus === '-';
    if (!isOperator(name) || operators.length === mostOperators || !isKnown(name, value)) return whole;
    // A search is one stretch of time.
    if (isExcluded && name === 'on') return whole;
    operators.push({ name, value, isExcluded });
    return ' ';
  });
  return { alternatives: alternativesOf(text.replace(lines, ' ')), operators, text: text.trim() };
}

function alternativesOf(text: string): Alternatives {
  const found: Alternatives = [[]];
  const all = [...text.matchAll(chunks)];
  let left = mostWords;
  for (const [index, { groups }] of all.entries()) {
    const { minus, quoted, plain = '' } = groups ?? {};
    const isBetween = index > 0 && index < all.length - 1;
    if (isBetween && plain.toLowerCase() === 'or') {
      found.push([]);
      continue;
    }
    const isExcluded = minus !== undefined || (quoted === undefined && exclusion.test(plain));
    const isOpen = quoted === undefined && (plain.endsWith('*') || (index === all.length - 1 && !isExcluded));
    const words = phraseOf(quoted ?? plain, left, isOpen);
    left -= words.length;
    if (words.length > 0) found.at(-1)?.push({ words, isExcluded });
    if (left <= 0) break;
  }
  return found.filter((terms) => terms.length > 0);
}

/** The index gathers all words with a beginning: of shorter ones there are too many. */
export const shortestPrefix = 3;

/** Words are letters, digits and marks alone, so that none can end the quotation. */
const lexeme = ({ word, isPrefix }: QueryWord) => `'${word}'${isPrefix ? ':*' : ''}`;

function termQuery({ words, isExcluded }: Term): string {
  const row = words.map((word, index) => {
    const distance = word.offset - (words[index - 1]?.offset ?? 0);
    return index === 0 ? lexeme(word) : `<${distance}> ${lexeme(word)}`;
  });
  return `${isExcluded ? '!' : ''}(${row.join(' ')})`;
}

/** SQL of a `tsquery`; null: there are no words. */
export function wordsQuery(alternatives: Alternatives): string | null {
  if (alternatives.length === 0) return null;
  return alternatives.map((terms) => `(${terms.map(termQuery).join(' & ')})`).join(' | ');
}

/** The same, where words that may go on and are very short are whole ones. */
export function withoutShort(alternatives: Alternatives): Alternatives {
  const whole = (word: QueryWord) => ({ ...word, isPrefix: word.isPrefix && word.word.length >= shortestPrefix });
  return alternatives.map((terms) => terms.map((term) => ({ ...term, words: term.words.map(whole) })));
}

/** SQL of `tsquery`s that all must hold: one for each word or phrase where there are no alternatives. */
export function wordsParts(alternatives: Alternatives): string[] {
  const [terms = [], ...others] = alternatives;
  const whole = wordsQuery(alternatives);
  if (whole === null) return [];
  const wanted = terms.filter(({ isExcluded }) => !isExcluded);
  // What is excluded is checked where something is found: on its own it would be nearly everything.
  if (others.length > 0 || wanted.length === 0) return [whole];
  const [first, ...rest] = wanted;
  const excluded = terms.filter(({ isExcluded }) => isExcluded);
  return [[first, ...excluded].flatMap((term) => (term ? [termQuery(term)] : [])).join(' & '), ...rest.map(termQuery)];
}
