import { isBoundary, isMark, isPlain, isUnspaced, isWord, kindAt, lengthAt, letterBefore } from '../unicode/words.ts';
import { isEscaped, withoutQuoted } from './quoted.ts';

/** How people, bots and channels are named in a text (contract §6): the server and the web client ask this alone. */

/** A possible mention, whose name is not looked up yet. */
export interface Candidate {
  kind: 'user' | 'channel';
  /** What is written is an id, `<@…>` or `<#…>`, or else a name. */
  isId: boolean;
  /** Where it begins, with its sign, in UTF-16 units. */
  start: number;
  /** Where the id or the name begins. */
  textStart: number;
  /** Where it may end, farthest first: which of them is a name that exists is to be looked up. Of an id there is one. */
  ends: number[];
  /** Where a name in angle brackets ends, `<#like this>`: if it exists it is meant, with them. Null: there are none. */
  closed: number | null;
  /** The word that names everybody, with its end. */
  all: { kind: 'here' | 'everyone'; end: number } | null;
}

const longest = { user: 32, channel: 100 };
const shortest = { user: 3, channel: 1 };

const signs = /[@＠#＃]/;
const nextSign = /[@＠#＃]/g;
const id = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}>/iy;
/** Any name, spaces and all. */
const bracketed = /(?! )([^\n<>]{1,100})(?<! )>/uy;
const run = /[\p{L}\p{N}\p{M}_.-]+/uy;
/** `example.com` as what follows the sign of an e-mail address, or of a name on another server. */
const host = /^[\p{L}\p{N}\p{M}_-]+(?:\.[\p{L}\p{N}\p{M}_-]+)*\.(?:([\p{L}\p{M}]{2,})|xn--[a-z\d-]+)[._-]*$/iu;
const maxHost = 260;
const broadcast = /(?:(here)|everyone|channel)/iy;

/** Possible mentions in a text, in their order. Takes time in proportion to its length. Texts without signs cost nothing. */
export function findCandidates(content: string): Candidate[] {
  return signs.test(content) ? candidatesIn(withoutQuoted(content)) : [];
}

function candidatesIn(text: string): Candidate[] {
  const found: Candidate[] = [];
  /** Where the last candidate's word ends: a sign there begins another one, as in `@ann@bob`. */
  let chained = -1;
  nextSign.lastIndex = 0;
  for (let match = nextSign.exec(text); match; match = nextSign.exec(text)) {
    const start = match.index;
    const candidate = idAt(text, start) ?? nameAt(text, start, start === chained);
    if (!candidate) continue;
    const end = candidate.ends[0] ?? start;
    const wordEnd = candidate.isId ? end : Math.max(start + 1, wordAt(text, candidate.textStart));
    const elsewhere = candidate.kind === 'user' && !candidate.isId ? serverAt(text, wordEnd) : undefined;
    // A name on another server is no name here, nor is the server's.
    if (elsewhere === undefined) found.push(candidate);
    nextSign.lastIndex = elsewhere ?? wordEnd;
    chained = wordEnd;
  }
  return found;
}

const kindOf = (sign: string): Candidate['kind'] => (sign === '@' || sign === '＠' ? 'user' : 'channel');

function idAt(text: string, at: number): Candidate | undefined {
  if (!isBracketed(text, at)) return undefined;
  id.lastIndex = at + 1;
  const end = id.test(text) ? id.lastIndex : 0;
  if (end === 0) return undefined;
  const place = { start: at - 1, textStart: at + 1, ends: [end], closed: null };
  return { kind: kindOf(text.charAt(at)), isId: true, ...place, all: null };
}

const isBracketed = (text: string, at: number): boolean => text.charAt(at - 1) === '<' && !isEscaped(text, at - 1);

/** Where a name ends that stands in brackets with the sign at a place. */
function closedAt(text: string, at: number): number | null {
  if (!isBracketed(text, at)) return null;
  bracketed.lastIndex = at + 1;
  return bracketed.test(text) ? bracketed.lastIndex - 1 : null;
}

function wordAt(text: string, at: number): number {
  run.lastIndex = at;
  return run.test(text) ? run.lastIndex : at;
}

function nameAt(text: string, at: number, isChained: boolean): Candidate | undefined {
  const kind = kindOf(text.charAt(at));
  const textStart = at + 1;
  const wordEnd = wordAt(text, textStart);
  const closed = closedAt(text, at);
  const isNamed = wordEnd > textStart && (isChained || opens(text, at, wordEnd));
  if (!isNamed && closed === null) return undefined;
  const ends = isNamed ? endsIn(text, textStart, wordEnd, longest[kind]) : [];
  const named = ends.filter((end) => end - textStart >= shortest[kind]);
  const all = isNamed && kind === 'user' ? broadcastAt(text, textStart, wordEnd) : null;
  if (named.length === 0 && closed === null) return undefined;
  return { kind, isId: false, start: at, textStart, ends: named, closed, all };
}

/** Where the name of a server ends, of which the sign stands at a place: `@bob@other.example`. */
function serverAt(text: string, at: number): number | undefined {
  if (text.charAt(at) !== '@') return undefined;
  const end = wordAt(text, at + 1);
  return isHost(text.slice(at + 1, end)) ? end : undefined;
}

/** The name of a host ends with letters of a script that has spaces: in others, what follows a name is no part of it. */
function isHost(name: string): boolean {
  const match = name.length <= maxHost ? host.exec(name) : null;
  const end = match?.[1] ?? '';
  return match !== null && !Array.from(end).some((letter) => isUnspaced(kindAt(letter, 0)));
}

/** What joins the words of an address before its sign. */
const joint = /[_.%+-]/;

/**
 * Whether a sign begins a name: it does not go on from a Latin word or a number before it, as in `mail@example` and
 * `C#minor`, nor from any other word where a host follows. A point before it ends a sentence, and a line or a minus may be
 * put there, unless that is an address with a host. Behind a backslash it begins none.
 * @param wordEnd where the word after it ends
 */
function opens(text: string, at: number, wordEnd: number): boolean {
  const before = text.charAt(at - 1);
  if (signs.test(before) || isEscaped(text, at)) return false;
  if (before === '&' && kindOf(text.charAt(at)) === 'channel') return false;
  let end = at;
  if (before !== '.') while (joint.test(text.charAt(end - 1))) end--;
  const letter = letterBefore(text, end);
  if (letter === 0 || isUnspaced(letter)) return true;
  let name = at + 1;
  while (name < wordEnd && /[_.-]/.test(text.charAt(name))) name++;
  const first = kindAt(text, name);
  const isNew = end < at || !isPlain(letter) || isBoundary(letter, first);
  return isNew && (isUnspaced(first) || !isHost(text.slice(at + 1, wordEnd)));
}

/**
 * Where a name may end that begins at a place, farthest first: "bob.smith." may be bob.smith or bob. A name is cut neither
 * within a word, nor before a mark, nor at a line (`_`) within a word.
 */
function endsIn(text: string, from: number, wordEnd: number, most: number): number[] {
  const ends: number[] = [];
  const farthest = Math.min(wordEnd, from + most);
  /** Where the lines end that the place stands before, or within. */
  let next = from;
  for (let at = from + lengthAt(text, from); at <= farthest; at += lengthAt(text, at)) {
    if (next < at) next = at;
    while (text.charAt(next) === '_') next++;
    if (at === wordEnd || endsName(text, from, at, kindAt(text, next))) ends.push(at);
  }
  return ends.reverse();
}

/** Whether a name may end within a word. @param after the kind of what follows, behind lines */
function endsName(text: string, from: number, at: number, after: number): boolean {
  if (isMark(after)) return false;
  // Nothing but points and minuses follow.
  if (!isWord(after)) return true;
  let last = at;
  while (last > from && text.charAt(last - 1) === '_') last--;
  if (last === from) return false;
  const letter = letterBefore(text, last);
  return letter === 0 || isBoundary(letter, after);
}

/** `everyone-x1` is another word: a call of everybody by mistake costs more than one that is missed. */
function broadcastAt(text: string, from: number, wordEnd: number): Candidate['all'] {
  broadcast.lastIndex = from;
  const match = broadcast.exec(text);
  if (!match) return null;
  const end = broadcast.lastIndex;
  let next = end;
  while (next < wordEnd && /[_.-]/.test(text.charAt(next))) next++;
  const after = kindAt(text, next);
  if (isWord(after) && !isBoundary(letterBefore(text, end), after)) return null;
  return { kind: match[1] ? 'here' : 'everyone', end };
}

/** The name that is being typed before the caret, of which nothing may be there yet. */
export interface Unfinished {
  sign: '@' | '#';
  typed: string;
  start: number;
}

const unfinished = /[@＠#＃][\p{L}\p{N}\p{M}_.-]*$/u;

/** The name that is being typed in a text: where the grammar would find one. */
export function unfinishedName(content: string, caret: number): Unfinished | undefined {
  const begun = content.slice(Math.max(0, caret - 1 - longest.channel), caret);
  const match = unfinished.exec(begun);
  if (!match) return undefined;
  const start = caret - match[0].length;
  const text = withoutQuoted(content).slice(0, caret);
  if (!signs.test(text.charAt(start))) return undefined;
  const isChained = candidatesIn(text.slice(0, start)).at(-1)?.ends[0] === start;
  const isOpen = caret > start + 1 ? opens(text, start, caret) : mayOpen(text, start);
  if (!isOpen && !isChained) return undefined;
  return { sign: kindOf(text.charAt(start)) === 'user' ? '@' : '#', typed: content.slice(start + 1, caret), start };
}

/** Whether a sign may begin a name before its first letter is there. */
function mayOpen(text: string, at: number): boolean {
  const letter = letterBefore(text, at);
  return letter === 0 ? !signs.test(text.charAt(at - 1)) && !isEscaped(text, at) : !isPlain(letter);
}

/**
 * What is put into a text to mention someone or something by name: the name after its sign, where that is found as a whole;
 * else with brackets around it; else the id.
 */
export function tokenFor(sign: '@' | '#', name: string, id: string): string {
  const [plain, more] = findCandidates(`${sign}${name}`);
  const end = name.length + 1;
  if (plain && !more && plain.ends[0] === end && plain.all?.end !== end) return `${sign}${name}`;
  const [found] = findCandidates(`<${sign}${name}>`);
  return found?.closed === name.length + 2 && !name.includes('|') ? `<${sign}${name}>` : `<${sign}${id}>`;
}
