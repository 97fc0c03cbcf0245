import type { MentionRecord } from '../../contract/mention.ts';
import { tokensOf } from './words.ts';

/** What is kept of a message to find it by. */

/** A message as the index reads it. */
export interface Source {
  id: string;
  channelId: string;
  seq: number;
  content: string;
  /** The text of what it forwards. */
  forwarded: string | null;
  authorId: string;
  isBot: boolean;
  mentions: MentionRecord[] | null;
  isPinned: boolean;
  inThread: boolean;
  hasReactions: boolean;
  serverId: string | null;
  /** Both people of a DM. */
  lowId: string | null;
  highId: string | null;
  /** Everyone in a group. */
  groupIds: string[] | null;
  files: SourceFile[] | null;
  /** The texts of its poll. */
  poll: string | null;
  isDeleted: boolean;
}

export interface SourceFile {
  filename: string;
  contentType: string;
  blobId: string;
}

/** Positions of one message, which PostgreSQL counts up to 16383. */
const mostWords = { content: 8000, poll: 500, forwarded: 3000, name: 60, text: 3000 };
/** So many words between two texts: no phrase goes from one to the next. */
const gap = 10;
/** PostgreSQL keeps so many positions of a word. */
const mostPositions = 255;

const link = /https?:\/\/[^\s/]/i;

/** Facts are words that no text has: they begin with a sign. */
const short = (id: string) => Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url');
const digitsOf = (id: string) => id.replace('-', '').slice(0, 12);

/** The words for facts about messages, quoted for a `tsvector` or `tsquery`. */
export const fact = {
  channel: (id: string) => `'#c${short(id)}'`,
  server: (id: string) => `'#s${short(id)}'`,
  /** A DM of a person. */
  direct: (userId: string) => `'#d${short(userId)}'`,
  /** A group that a person is in. */
  group: (userId: string) => `'#g${short(userId)}'`,
  from: (userId: string) => `'#f${short(userId)}'`,
  mentions: (id: string) => `'#@${short(id)}'`,
  has: (what: 'file' | 'image' | 'link' | 'reaction' | 'pin') => `'#h${what}'`,
  is: (what: 'thread' | 'pinned' | 'bot') => `'#h${what === 'pinned' ? 'pin' : what}'`,
  /** The beginning of its id, which is its time: of 6 digits some 5 hours, of 5 three days, of 4 fifty. */
  time: (id: string, digits: number) => `'#t${digitsOf(id).slice(0, digits)}'`,
};

/** How finely times are kept, the longest first. */
export const timeDigits = [4, 5, 6] as const;

/**
 * What the index keeps of a message.
 * @param texts of its plain-text files
 * @returns the text of its `tsvector`, and the words of its own text
 */
export function documentOf(source: Source, texts: string[]): { document: string; said: string[] } {
  const positions = new Map<string, number[]>();
  let after = 0;
  const add = (text: string, most: number) => {
    let last = 0;
    for (const { word, at } of tokensOf(text, most)) {
      const known = positions.get(word);
      if (!known) positions.set(word, [after + at]);
      else if (known.length < mostPositions) known.push(after + at);
      last = at;
    }
    after += last + gap;
  };
  add(source.content, mostWords.content);
  const said = [...positions.keys()];

  if (source.poll !== null) add(source.poll, mostWords.poll);
  if (source.forwarded !== null) add(source.forwarded, mostWords.forwarded);
  const files = source.files ?? [];
  for (const { filename } of files) add(filename, mostWords.name);
  // All texts share what one may have.
  for (const text of texts) add(text, Math.floor(mostWords.text / texts.length));
  const words = Array.from(positions, ([word, places]) => `'${word}':${places.join(',')}`);
  return { document: [...factsOf(source), ...words].join(' '), said };
}

function factsOf(source: Source): string[] {
  const files = source.files ?? [];
  const facts = [fact.channel(source.channelId), fact.from(source.authorId)];
  if (source.serverId !== null) facts.push(fact.server(source.serverId));
  for (const id of [source.lowId, source.highId]) if (id !== null) facts.push(fact.direct(id));
  for (const id of source.groupIds ?? []) facts.push(fact.group(id));
  for (const { kind, targetId } of source.mentions ?? []) if (kind === 'user') facts.push(fact.mentions(targetId));
  if (files.length > 0) facts.push(fact.has('file'));
  if (files.some(({ contentType }) => contentType.startsWith('image/'))) facts.push(fact.has('image'));
  if (link.test(source.content) || link.test(source.forwarded ?? '')) facts.push(fact.has('link'));
  if (source.hasReactions) facts.push(fact.has('reaction'));
  if (source.isPinned) facts.push(fact.is('pinned'));
  if (source.inThread) facts.push(fact.is('thread'));
  if (source.isBot) facts.push(fact.is('bot'));
  return [...facts, ...timeDigits.map((digits) => fact.time(source.id, digits))];
}
