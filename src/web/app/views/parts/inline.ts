import { emojiOf } from '../../state/emoji.ts';

/** A piece of a line. */
export type Inline =
  | { kind: 'text' | 'code' | 'mention' | 'channel'; text: string }
  | { kind: 'bold' | 'italic' | 'struck'; pieces: Inline[] }
  /** Without `pieces` it shows its address. */
  | { kind: 'link'; url: string; pieces: Inline[] | null };

/** Bold text may contain italic text, also at its end: `***both***`. */
const pattern =
  /(`[^`\n]+`)|((?<!\*)\*\*(?=\*[^*\s]|[^*\n])(?:[^*\n]|\*(?!\*)|\*(?=\*\*(?!\*)))+\*\*(?!\*))|((?<![\w*])\*[^*\s][^*\n]*\*(?!\w)|(?<![\p{L}\p{N}_])_(?!\s)[^_\n]+(?<!\s)_(?![\p{L}\p{N}_]))|(~~[^~\n]+~~)|\[([^[\]\n]+)\]\((https?:\/\/(?:[^\s<>"'()]|\([^\s<>"'()]*\))+)\)|(https?:\/\/(?:\([^\s<>"'()]*\)|\((?![^\s<>"'()]*\))|[^\s<>"'(])*(?:\([^\s<>"'()]*\)|[^\s<>"'.,;:!?()\]}]))|((?<![\w@])@[\p{L}\p{N}\p{M}_.-]*[\p{L}\p{N}\p{M}_-])|(?<![\p{L}\p{N}:]):([a-z\d_+-]+):(?![\p{L}\p{N}:])|(?<![\w#&/])#[\p{L}\p{N}_.-]*[\p{L}\p{N}_-]/gu;

/**
 * Parses the emphasis, code, links, mentions and emoji in a text.
 * @param plain within a link: nothing in the text is one
 */
export function parseInline(text: string, plain = false): Inline[] {
  const pieces: Inline[] = [];
  let from = 0;
  for (const match of text.matchAll(pattern)) {
    pieces.push({ kind: 'text', text: text.slice(from, match.index) }, ...pieceOf(match, plain));
    from = match.index + match[0].length;
  }
  pieces.push({ kind: 'text', text: text.slice(from) });
  return pieces.filter((piece) => piece.kind !== 'text' || piece.text !== '');
}

/** @returns how many pieces a text has beside plain text, counted up to `most` */
export function piecesIn(text: string, most: number): number {
  let count = 0;
  for (const _ of text.matchAll(pattern)) if (++count === most) break;
  return count;
}

function pieceOf(match: RegExpExecArray, plain: boolean): Inline[] {
  const [piece, code, bold, italic, struck, label, target, link, person, emoji] = match;
  const inner = (signs: number) => parseInline(piece.slice(signs, -signs), plain);
  if (code) return [{ kind: 'code', text: code.slice(1, -1) }];
  if (bold) return [{ kind: 'bold', pieces: inner(2) }];
  if (italic) return [{ kind: 'italic', pieces: inner(1) }];
  if (struck) return [{ kind: 'struck', pieces: inner(2) }];
  if (label && target) return namedLink(label, target, plain);
  if (person) return [{ kind: 'mention', text: person }];
  if (emoji) return [{ kind: 'text', text: emojiOf(piece) }];
  if (!link) return [{ kind: plain ? 'text' : 'channel', text: piece }];
  return [plain ? { kind: 'text', text: link } : { kind: 'link', url: link, pieces: null }];
}

/** A label that is itself an address could lie, so both are shown as typed. */
function namedLink(label: string, url: string, plain: boolean): Inline[] {
  const pieces = parseInline(label, true);
  if (plain) return pieces;
  if (!/[\p{L}\p{N}]\.\p{L}{2,}/u.test(label)) return [{ kind: 'link', url, pieces }];
  const text = (part: string): Inline => ({ kind: 'text', text: part });
  return [text('['), ...pieces, text(']('), { kind: 'link', url, pieces: null }, text(')')];
}

/** Whether a text is up to eight emoji and nothing else: they are shown large. */
export const isEmojiAlone = (text: string): boolean => emojiAlone.test(text);

const emojiAlone =
  /^(?:\s*(?:\p{Regional_Indicator}{2}|\p{Extended_Pictographic}(?:\uFE0F|\p{Emoji_Modifier}|\u200D\p{Extended_Pictographic})*)){1,8}\s*$/u;
