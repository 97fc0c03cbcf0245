import type { z } from 'zod';
import type { MentionRecord } from '../../contract/mention.ts';
import { cut, saidIn, withNames, withoutSpoilers } from '../../contract/quote.ts';
import type { excerptSchema } from '../../contract/search.ts';
import type { AttachmentRow } from '../messages/attachment.table.ts';
import type { PollRow } from '../messages/poll.table.ts';
import type { FileTexts } from './file-texts.ts';
import type { Alternatives, Term } from './query.ts';
import { type QueryWord, type Token, tokensOf } from './words.ts';

type Excerpt = z.output<typeof excerptSchema>;
type Mark = Excerpt['marks'][number];

const mostWords = 8000;
const mostMarks = 50;
/** UTF-16 units of an excerpt, and how many of them are before the first mark. */
const length = 240;
const before = 60;

/** Finds what was asked for in texts. */
export class Marker {
  private readonly terms: Term[];

  constructor(alternatives: Alternatives) {
    this.terms = alternatives.flat().filter(({ isExcluded }) => !isExcluded);
  }

  /** Whether there are words that a text may have. */
  get hasWords(): boolean {
    return this.terms.length > 0;
  }

  /** The words of the text that were asked for, in order, none of them in another. */
  marks(text: string): Mark[] {
    const places = Map.groupBy(tokensOf(text, mostWords), ({ at }) => at);
    const hits = [...places.keys()].flatMap((at) => this.terms.flatMap(({ words }) => row(places, words, at) ?? []));
    const sorted = hits.map(({ start, end }) => ({ start, end })).sort((a, b) => a.start - b.start || b.end - a.end);
    const marks: Mark[] = [];
    for (const mark of sorted) {
      const last = marks.at(-1);
      if (last && mark.start < last.end) last.end = Math.max(last.end, mark.end);
      else marks.push(mark);
    }
    return marks.slice(0, mostMarks);
  }
}

const isMeant = ({ word, isPrefix }: QueryWord, token: Token) =>
  isPrefix ? token.word.startsWith(word) : token.word === word;

/** The words of a phrase that begins at a place; undefined: none does. */
function row(places: Map<number, Token[]>, words: QueryWord[], at: number): Token[] | undefined {
  const found = words.map((word) => places.get(at + word.offset)?.find((token) => isMeant(word, token)));
  const all = found.filter((token) => token !== undefined);
  return all.length === words.length ? all : undefined;
}

/** A piece of a text around its first mark. */
export function pieceOf(text: string, marks: Mark[]): Pick<Excerpt, 'text' | 'marks'> {
  const first = marks[0]?.start ?? 0;
  let from = text.length <= length || first <= before ? 0 : first - before;
  // Not in the middle of a character, nor of a word if there is a space near.
  if (from > 0) from += Math.max(0, text.slice(from, first).search(/\s\S/u) + 1);
  if (/[\udc00-\udfff]/.test(text[from] ?? '')) from++;
  const piece = cut(text.slice(from), length);
  const [head, tail] = [from > 0 ? '…' : '', from + piece.length < text.length ? '…' : ''];
  const shift = head.length - from;
  const shown = marks.filter(({ end }) => end <= from + piece.length);
  return {
    text: `${head}${piece}${tail}`,
    marks: shown.map(({ start, end }) => ({ start: start + shift, end: end + shift })),
  };
}

interface Found {
  content: string;
  mentions: MentionRecord[] | null;
  forwarded: { content: string } | null;
  attachments: AttachmentRow[] | null;
  poll: PollRow | null;
}

/** Why files of a message are found: all by their names, and then those that are not by their texts. */
async function* inFiles(
  files: AttachmentRow[],
  marker: Marker,
  texts: FileTexts,
): AsyncGenerator<Excerpt & { attachmentId: string }, undefined> {
  const others = new Set<string>();
  for (const { id, filename } of files) {
    const marks = marker.marks(filename);
    if (marks.length > 0) yield { ...pieceOf(filename, marks), attachmentId: id, of: 'filename' };
    else others.add(id);
  }
  if (others.size === 0) return;
  for (const { file, text } of await texts.of(files.map(storedOf))) {
    const marks = others.has(file.id) ? marker.marks(text) : [];
    if (marks.length > 0) yield { ...pieceOf(text, marks), attachmentId: file.id, of: 'file' };
  }
}

const storedOf = ({ id, content_type: contentType, blob_id: blobId }: AttachmentRow) => ({ id, contentType, blobId });

/**
 * Why a message was found: the piece of its text, or of what it forwards, with what was asked for, or else of the name or the
 * text of a file with it. What is in spoilers is found, and not shown.
 */
export async function excerptOf(found: Found, marker: Marker, texts: FileTexts): Promise<Excerpt> {
  const content = withoutSpoilers(withNames(saidIn(found), found.mentions));
  const marks = marker.marks(content);
  const shown = (found.attachments ?? []).filter(({ is_spoiler: isSpoiler }) => !isSpoiler);
  const inFile = marks.length === 0 && marker.hasWords ? (await inFiles(shown, marker, texts).next()).value : undefined;
  return inFile ?? { ...pieceOf(content, marks), attachmentId: null, of: 'message' };
}

/** A file with why it was found. */
export interface FoundFile {
  file: AttachmentRow;
  excerpt: Excerpt;
}

/** Those of a message's files that have what was asked for in their names or texts; those that are spoilers show nothing of it. */
export async function filesFound({ attachments }: Found, marker: Marker, texts: FileTexts): Promise<FoundFile[]> {
  const files = attachments ?? [];
  const found = new Map<string, Excerpt>();
  for await (const excerpt of inFiles(files, marker, texts)) found.set(excerpt.attachmentId, excerpt);
  return files.flatMap((file) => {
    const excerpt = found.get(file.id);
    if (!excerpt) return [];
    return [{ file, excerpt: file.is_spoiler ? { ...excerpt, text: '', marks: [] } : excerpt }];
  });
}
