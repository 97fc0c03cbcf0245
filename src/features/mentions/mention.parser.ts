import { maxMentions } from '../../contract/mention.ts';

/** A possible mention, whose name is not looked up yet. */
export interface Candidate {
  kind: 'name' | 'user-id' | 'channel-name' | 'channel-id' | 'here' | 'everyone';
  /** The name or id, without its marks; names extend as far as their characters do, perhaps beyond an existing name. */
  text: string;
  /** Start position, including the mark, in UTF-16 units. */
  start: number;
  /** Where `text` starts. */
  textStart: number;
  end: number;
}

const maxName = 100;

const marks = /[@#<]/;
const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
// A mark after a letter or digit is part of something else, such as an e-mail address; so is everything in a link: posting
// the address of a profile mentions nobody.
const candidate = new RegExp(
  `(?<link>https?://[^\\s<>"']*)|<@(?<user>${uuid})>|<#(?<channel>${uuid})>|(?<![\\p{L}\\p{N}\\p{M}_.@#-])(?:@(?<name>[\\p{L}\\p{N}\\p{M}_.-]+)|#(?<hash>[\\p{L}\\p{N}_-]+))`,
  'giu',
);

/** Possible mentions in a text, outside of code spans and links (contract §6). Texts without marks cost next to nothing. */
export function findCandidates(content: string): Candidate[] {
  if (!marks.test(content)) return [];
  const found: Candidate[] = [];
  for (const match of withoutCode(content).matchAll(candidate)) {
    if (match.groups?.link) continue;
    found.push(asCandidate(match));
    if (found.length === maxMentions) break;
  }
  return found;
}

function asCandidate(match: RegExpExecArray): Candidate {
  const { user, channel, name, hash } = match.groups ?? {};
  const start = match.index;
  const end = start + match[0].length;
  if (user) return { kind: 'user-id', text: user.toLowerCase(), start, textStart: start + 2, end };
  if (channel) return { kind: 'channel-id', text: channel.toLowerCase(), start, textStart: start + 2, end };
  const text = (name ?? hash ?? '').slice(0, maxName);
  const textStart = start + 1;
  if (hash) return { kind: 'channel-name', text, start, textStart, end: textStart + text.length };
  const all = /^(here|everyone)(?![\p{L}\p{N}\p{M}_])/u.exec(text)?.[1];
  if (all === 'here' || all === 'everyone') {
    return { kind: all, text: all, start, textStart, end: textStart + all.length };
  }
  return { kind: 'name', text, start, textStart, end: textStart + text.length };
}

/**
 * The prefixes of a candidate's text that could be the name meant, longest first: "bob.smith." may be bob.smith or bob. A
 * name is not cut within a word of plain letters, nor before a mark; in scripts without spaces it may end anywhere else.
 */
export function possibleNames(text: string, min: number, max: number): string[] {
  const names: string[] = [];
  for (let length = Math.min(text.length, max); length >= min; length--) {
    const cutsWord = /\w/.test(text.charAt(length - 1)) && /\w/.test(text.charAt(length));
    const name = text.slice(0, length);
    if (!cutsWord && !startsWithMark(text, length) && name.isWellFormed()) names.push(name);
  }
  return names;
}

const mark = /\p{M}/uy;

function startsWithMark(text: string, at: number): boolean {
  mark.lastIndex = at;
  return mark.test(text);
}

/**
 * The text with code blanked out, so that positions stay. Code stands between runs of equally many backticks; if no such
 * run follows, between as many of the run's last backticks as do recur. Each run is looked at once, however many there are:
 * a regular expression would search all of the text for the end of each.
 */
function withoutCode(content: string): string {
  const runs = [...content.matchAll(/`+/g)].map(({ 0: { length }, index }) => ({ length, end: index + length }));
  const ends = Map.groupBy(runs.toReversed(), ({ length }) => length);
  let text = '';
  let from = 0;
  for (const { length, end } of runs) {
    const code = end > from ? codeFrom(end, length, ends) : undefined;
    if (!code) continue;
    text += content.slice(from, code.start) + ' '.repeat(code.end - code.start);
    from = code.end;
  }
  return text + content.slice(from);
}

/** The code that starts with a run. @param ends the runs of each length, the first one last; those passed are removed */
function codeFrom(
  opened: number,
  most: number,
  ends: Map<number, { end: number }[]>,
): { start: number; end: number } | undefined {
  for (let length = most; length > 0; length--) {
    const later = ends.get(length);
    while (later?.length && (later.at(-1)?.end ?? 0) <= opened) later.pop();
    const close = later?.at(-1);
    if (close) return { start: opened - length, end: close.end };
  }
  return undefined;
}
