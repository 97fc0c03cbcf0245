import { codeSpans } from '../../../../contract/mentions/quoted.ts';
import { emojiOf } from '../../state/emoji.ts';
import { type Atom, atomOf, characterOf, type Mention, restored, unescaped } from './atoms.ts';

/** A piece of a line. */
export type Inline =
  | { kind: 'text' | 'code'; text: string }
  | { kind: 'mention'; mention: Mention }
  /** An id that the server has found nobody and nothing for, or that nobody has asked it about. */
  | { kind: 'id'; of: 'user' | 'channel'; id: string }
  | { kind: 'spoiler'; content: string; mentions: readonly Mention[] }
  /** A name between colons that nobody else has: perhaps one of the server's own. */
  | { kind: 'emoji'; name: string }
  | { kind: 'bold' | 'italic' | 'struck'; pieces: Inline[] }
  /** Without `pieces` it shows its address. */
  | { kind: 'link'; url: string; pieces: Inline[] | null };

/** What an address ends with: brackets that are part of it, but neither those around it nor the end of a sentence. */
const rest = String.raw`(?:\([^\s<>"'()]*\)|\((?![^\s<>"'()]*\))|[^\s<>"'(])*(?:\([^\s<>"'()]*\)|[^\s<>"'.,;:!?()\]}])`;
/** Bold text may contain italic text, also at its end: `***both***`. An atom stands beside everything by itself. */
const pattern = new RegExp(
  [
    String.raw`(?<atom>[\u{100000}-\u{10fffd}])`,
    String.raw`(?<bold>(?<!\*)\*\*(?=\*[^*\s]|[^*\n])(?:[^*\n]|\*(?!\*)|\*(?=\*\*(?!\*)))+\*\*(?!\*)|(?<![\p{L}\p{N}_])__(?![\s_])(?:[^_\n]|_(?!_))+(?<!\s)__(?![\p{L}\p{N}_]))`,
    String.raw`(?<italic>(?<![\w*])\*[^*\s][^*\n]*\*(?!\w)|(?<![\p{L}\p{N}_])_(?!\s)[^_\n]+(?<!\s)_(?![\p{L}\p{N}_]))`,
    String.raw`(?<struck>~~[^~\n]+~~)`,
    String.raw`!?\[(?<label>[^[\]\n]+)\]\((?<target>https?:\/\/(?:[^\s<>"'()]|\([^\s<>"'()]*\))+)(?: +"[^"\n]*")?\)`,
    String.raw`<(?<sign>[@#])(?<id>[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})>`,
    String.raw`<(?<bracketed>https?:\/\/[^\s<>"']+)>`,
    `(?<link>https?://${rest})`,
    String.raw`(?<![\p{L}\p{N}_@/.:-])(?<site>www\.(?:[\p{L}\p{N}-]+\.)+\p{L}[\p{L}\p{N}-]*(?:[/?#](?:${rest})?)?)`,
    String.raw`(?<![\p{L}\p{N}:]):(?<emoji>[a-z\d_+-]+):(?![\p{L}\p{N}:])`,
  ].join('|'),
  'gu',
);

/**
 * Parses the emphasis, code, links, mentions and emoji in a text. Angle brackets around a link, which say that it is to have no
 * preview, are not shown.
 * @param plain within a link: nothing in the text is one
 * @param atoms what the characters of the private range stand for
 */
export function parseInline(text: string, plain = false, atoms: readonly Atom[] = []): Inline[] {
  const codes: Atom[] = [];
  let line = '';
  let from = 0;
  for (const { start, end, signs } of codeSpans(text)) {
    const source = text.slice(start, end);
    const code = restored(source.slice(signs, -signs), atoms);
    // So that code may begin and end with backticks.
    const piece: Inline = { kind: 'code', text: /^ .*[^ ].* $/.test(code) ? code.slice(1, -1) : code };
    line += text.slice(from, start) + characterOf(atoms.length + codes.push({ piece, source }) - 1);
    from = end;
  }
  return piecesOf(line + text.slice(from), plain, [...atoms, ...codes]);
}

function piecesOf(text: string, plain: boolean, atoms: readonly Atom[]): Inline[] {
  const pieces: Inline[] = [];
  let from = 0;
  for (const match of text.matchAll(pattern)) {
    pieces.push(textPiece(text.slice(from, match.index)), ...pieceOf(match, plain, atoms));
    from = match.index + match[0].length;
  }
  pieces.push(textPiece(text.slice(from)));
  return pieces.filter((piece) => piece.kind !== 'text' || piece.text !== '');
}

const textPiece = (text: string): Inline => ({ kind: 'text', text: unescaped(text) });

/** @returns how many pieces a text has beside plain text, counted up to `most` */
export function piecesIn(text: string, most: number): number {
  let count = codeSpans(text).length;
  if (count >= most) return most;
  for (const _ of text.matchAll(pattern)) if (++count === most) break;
  return count;
}

function pieceOf({ 0: piece, groups = {} }: RegExpExecArray, plain: boolean, atoms: readonly Atom[]): Inline[] {
  const { atom, bold, italic, struck, label, target, sign, id, bracketed, link, site, emoji } = groups;
  const inner = (signs: number) => piecesOf(piece.slice(signs, -signs), plain, atoms);
  if (atom) return [atomOf(atom, atoms)?.piece ?? { kind: 'text', text: atom }];
  if (bold) return [{ kind: 'bold', pieces: inner(2) }];
  if (italic) return [{ kind: 'italic', pieces: inner(1) }];
  if (struck) return [{ kind: 'struck', pieces: inner(2) }];
  if (label && target) return namedLink(label, restored(unescaped(target), atoms), plain, atoms);
  if (id) return [{ kind: 'id', of: sign === '@' ? 'user' : 'channel', id }];
  if (emoji) {
    const known = emojiOf(piece);
    return [known === piece ? { kind: 'emoji', name: emoji } : { kind: 'text', text: known }];
  }
  const url = restored(bracketed ?? link ?? site ?? piece, atoms);
  if (plain) return [{ kind: 'text', text: url }];
  return [site ? { kind: 'link', url: `https://${url}`, pieces: [{ kind: 'text', text: url }] } : addressed(url)];
}

const addressed = (url: string): Inline => ({ kind: 'link', url, pieces: null });

/** A label that is itself an address could lie, so both are shown as typed. */
function namedLink(label: string, url: string, plain: boolean, atoms: readonly Atom[]): Inline[] {
  const pieces = piecesOf(label, true, atoms);
  if (plain) return pieces;
  if (!/[\p{L}\p{N}]\.\p{L}{2,}/u.test(shownBy(pieces))) return [{ kind: 'link', url, pieces }];
  const text = (part: string): Inline => ({ kind: 'text', text: part });
  return [text('['), ...pieces, text(']('), addressed(url), text(')')];
}

/** What people read of some pieces. */
const shownBy = (pieces: readonly Inline[]): string =>
  pieces
    .map((piece) => ('text' in piece ? piece.text : 'pieces' in piece ? shownBy(piece.pieces ?? []) : ' '))
    .join('');

/** Whether a text is up to eight emoji and nothing else: they are shown large. */
export const isEmojiAlone = (text: string): boolean => emojiAlone.test(text);

const emojiAlone =
  /^(?:\s*(?:\p{Regional_Indicator}{2}|\p{Extended_Pictographic}(?:\uFE0F|\p{Emoji_Modifier}|\u200D\p{Extended_Pictographic})*)){1,8}\s*$/u;
