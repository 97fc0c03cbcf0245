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
  workspace: (id: string) => `'#w${short(id)}'`,
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

/** Words of texts with their positions, as the index keeps them. */
export class IndexedWords {
  private readonly positions = new Map<string, number[]>();
  private after = 0;

  /** Adds the words of a text, at most so many. */
  add(text: string, most: number): void {
    let last = 0;
    for (const { word, at } of tokensOf(text, most)) {
      const known = this.positions.get(word);
      if (!known) this.positions.set(word, [this.after + at]);
      else if (known.length < mostPositions) known.push(this.after + at);
      last = at;
    }
    this.after += last + gap;
  }

  /** All so far. */
  get list(): string[] {
    return [...this.positions.keys()];
  }

  /** The text of a `tsvector` with these facts too. */
  document(facts: string[]): string {
    const words = Array.from(this.positions, ([word, places]) => `'${word}':${places.join(',')}`);
    return [...facts, ...words].join(' ');
  }
}

/**
 * What the index keeps of a message.
 * @param texts of its plain-text files
 * @returns the text of its `tsvector`, and the words of its own text
 */
export function documentOf(source: Source, texts: string[]): { document: string; said: string[] } {
  const words = new IndexedWords();
  words.add(source.content, mostWords.content);
  const said = words.list;

  if (source.poll !== null) words.add(source.poll, mostWords.poll);
  if (source.forwarded !== null) words.add(source.forwarded, mostWords.forwarded);
  const files = source.files ?? [];
  for (const { filename } of files) words.add(filename, mostWords.name);
  // All texts share what one may have.
  for (const text of texts) words.add(text, Math.floor(mostWords.text / texts.length));
  return { document: words.document(factsOf(source)), said };
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
