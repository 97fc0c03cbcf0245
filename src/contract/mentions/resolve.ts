import { type MentionRecord, maxMentions } from '../mention.ts';
import type { Candidate } from './grammar.ts';

/** Different names and ids that are looked up for one text, at most: it bounds the work, whatever the text is made of. */
export const maxLookedUp = 4000;

/** A user or a channel as a mention shows it. */
export interface Named {
  id: string;
  label: string;
}

/** What may be mentioned in a place. */
export interface KnownNames {
  userNamed(name: string): Named | undefined;
  channelNamed(name: string): Named | undefined;
  userOf(id: string): Named | undefined;
  channelOf(id: string): Named | undefined;
  /** The channel whose people are everybody; null where the author may not mention everybody. */
  everyoneIn: string | null;
}

/** What to look up for a text. */
export interface Sought {
  users: string[];
  userIds: string[];
  channels: string[];
  channelIds: string[];
}

/**
 * The names and ids that may be meant in a text, each once, and those that come first where there are too many.
 * @param candidates those of the text
 */
export function soughtIn(content: string, candidates: Candidate[]): Sought {
  const sets = {
    users: new Set<string>(),
    userIds: new Set<string>(),
    channels: new Set<string>(),
    channelIds: new Set<string>(),
  };
  const all = Object.values(sets);
  for (const { kind, isId, textStart, ends, closed } of candidates) {
    const names = kind === 'user' ? sets.users : sets.channels;
    const ids = kind === 'user' ? sets.userIds : sets.channelIds;
    if (closed !== null) names.add(content.slice(textStart, closed));
    if (isId) ids.add(idAt(content, textStart));
    // No username ends with a point.
    else
      for (const end of ends)
        if (kind === 'channel' || content[end - 1] !== '.') names.add(content.slice(textStart, end));
    if (all.reduce((sum, { size }) => sum + size, 0) >= maxLookedUp) break;
  }
  const [users = [], userIds = [], channels = [], channelIds = []] = all.map((set) => [...set]);
  return { users, userIds, channels, channelIds };
}

/**
 * The mentions in a text: of each candidate the longest name that exists. At most 100, and each person and channel before
 * anyone is named twice.
 * @param before those of the message that the text replaces: they stay as long as they stand in it, also of someone who
 *   has left
 */
export function mentionsIn(
  content: string,
  candidates: Candidate[],
  known: KnownNames,
  before: MentionRecord[] = [],
): MentionRecord[] {
  const found: MentionRecord[] = [];
  for (const candidate of candidates) {
    // Within the brackets of the one before.
    if (candidate.start < (found.at(-1)?.range.end ?? 0)) continue;
    const mention = resolved(content, candidate, known);
    const shown = keptFrom(before, content, candidate, mention) ?? mention;
    if (shown) found.push(shown);
  }
  if (found.length <= maxMentions) return found;
  const first = new Map<string, MentionRecord>();
  for (const mention of found) {
    const key = `${mention.kind} ${mention.targetId}`;
    if (!first.has(key)) first.set(key, mention);
  }
  const chosen = [...new Set([...first.values(), ...found])].slice(0, maxMentions);
  return chosen.sort((one, other) => one.range.start - other.range.start);
}

const idAt = (content: string, start: number): string => content.slice(start, start + 36).toLowerCase();

/** The mention that a candidate resolves to; undefined: it names nobody and nothing that its author may name. */
function resolved(content: string, candidate: Candidate, known: KnownNames): MentionRecord | undefined {
  const { kind, isId, textStart, ends, closed, all } = candidate;
  const record = (what: MentionRecord['kind'], { id, label }: Named, end: number, start = candidate.start) => ({
    kind: what,
    targetId: id,
    token: content.slice(start, end),
    label,
    range: { start, end },
  });
  const [named, of] = kind === 'user' ? [known.userNamed, known.userOf] : [known.channelNamed, known.channelOf];
  const between = closed === null ? undefined : named(content.slice(textStart, closed));
  if (closed !== null && between) return record(kind, between, closed + 1, candidate.start - 1);
  for (const end of ends) {
    // The word for everybody is nobody's name, and what is shorter is within it.
    if (all && end <= all.end) break;
    const target = isId ? of(idAt(content, textStart)) : named(content.slice(textStart, end));
    if (target) return record(kind, target, end);
  }
  if (!all || !known.everyoneIn) return undefined;
  return record(all.kind, { id: known.everyoneIn, label: all.kind }, all.end);
}

/** The earlier mention at a candidate's position, unless the text there names something else by now. */
function keptFrom(
  before: MentionRecord[],
  content: string,
  { start, isId, ends, closed, all }: Candidate,
  found: MentionRecord | undefined,
): MentionRecord | undefined {
  const startOf = ({ token }: MentionRecord) => (closed !== null && !isId && token.startsWith('<') ? start - 1 : start);
  const isThere = (mention: MentionRecord) => {
    const { kind, token } = mention;
    const from = startOf(mention);
    const end = from + token.length;
    const isAll = kind === 'here' || kind === 'everyone';
    const mayEnd = from < start ? end - 1 === closed : isAll ? all?.end === end : ends.includes(end);
    return mayEnd && token.length >= (found?.token.length ?? 0) && content.startsWith(token, from);
  };
  const kept = before.filter(isThere).sort((one, other) => other.token.length - one.token.length)[0];
  return kept && { ...kept, range: { start: startOf(kept), end: startOf(kept) + kept.token.length } };
}
