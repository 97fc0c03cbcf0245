import { type MentionRecord, maxMentions } from '../../contract/mention.ts';
import { maxContent } from '../../contract/message.ts';
import { type Mark, piecesOf } from './marks.ts';
import type { Known } from './people.table.ts';

/** Whom and what marks may mean, by their keys. */
export interface Named {
  people: ReadonlyMap<string, Known>;
  channels: ReadonlyMap<string, { id: string; name: string }>;
}

/** A text of ours, with what it mentions. */
interface Content {
  content: string;
  mentions: MentionRecord[];
}

/** The keys of the people whom a text names. */
export function peopleIn(text: string): string[] {
  return piecesOf(text).flatMap((piece) => (typeof piece !== 'string' && piece.kind === 'person' ? [piece.key] : []));
}

/** A text with names in place of marks, in parts that are no longer than messages may be; one at least. */
export function contentsOf(text: string, named: Named): Content[] {
  let content = '';
  const mentions: MentionRecord[] = [];
  for (const piece of piecesOf(text)) {
    const mention = typeof piece === 'string' ? null : mentionOf(piece, named, content.length);
    if (mention) mentions.push(mention);
    content += typeof piece === 'string' ? piece : (mention?.token ?? shownOf(piece));
  }
  return inParts(content.trimEnd(), mentions);
}

/** Nobody is meant by it. */
const shownOf = ({ kind, shown }: Mark): string => (kind === 'person' ? '@' : '#') + shown;

function mentionOf({ kind, key }: Mark, { people, channels }: Named, start: number): MentionRecord | null {
  const person = kind === 'person' ? people.get(key) : undefined;
  const channel = kind === 'channel' ? channels.get(key) : undefined;
  const token = person ? `@${person.username}` : channel ? `#${channel.name}` : '';
  const range = { start, end: start + token.length };
  if (person) return { kind: 'user', targetId: person.id, token, label: person.displayName, range };
  return channel ? { kind: 'channel', targetId: channel.id, token, label: channel.name, range } : null;
}

function inParts(content: string, mentions: MentionRecord[]): Content[] {
  const parts: Content[] = [];
  for (let from = 0; from < content.length || parts.length === 0; ) {
    const to = endOf(content, from, mentions);
    const own = mentions.filter(({ range }) => range.start >= from && range.end <= to).slice(0, maxMentions);
    const moved = own.map(({ range: { start, end }, ...rest }) => ({
      ...rest,
      range: { start: start - from, end: end - from },
    }));
    parts.push({ content: content.slice(from, to), mentions: moved });
    from = to;
  }
  return parts;
}

/** Where a part ends: at a line's end or a space if there is one in its last quarter, and in no mention and no character. */
function endOf(content: string, from: number, mentions: MentionRecord[]): number {
  const most = from + maxContent;
  if (content.length <= most) return content.length;
  const least = from + Math.floor(maxContent * 0.75);
  const last = Math.max(content.lastIndexOf('\n', most - 1), content.lastIndexOf(' ', most - 1));
  let end = last > least ? last + 1 : most;
  const cut = mentions.find(({ range }) => range.start < end && range.end > end);
  if (cut && cut.range.start > from) end = cut.range.start;
  const isHalf = /[\ud800-\udbff]/.test(content.charAt(end - 1));
  return isHalf ? end - 1 : end;
}
