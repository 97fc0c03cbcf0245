import { maxContent } from '../../contract/message.ts';

/** A post becomes so many messages at most (contract §6, Incoming webhooks). */
const mostPieces = 8;

/** A text in pieces that each fit into a message, cut between lines where that is possible. @param most how many there may be */
export function piecesOf(text: string, most = mostPieces): string[] {
  const pieces: string[] = [];
  let rest = text.toWellFormed().replaceAll('\0', '').trim();
  while (rest.length > maxContent && pieces.length < most - 1) {
    const end = endOf(rest, maxContent);
    pieces.push(rest.slice(0, end).trimEnd());
    rest = rest.slice(end).replace(/^\n+/, '');
  }
  return [...pieces, withoutRest(rest)].filter((piece) => piece.trim() !== '');
}

/** The last piece says how much is not there. */
function withoutRest(rest: string): string {
  if (rest.length <= maxContent) return rest;
  const end = endOf(rest, maxContent - 100);
  return `${rest.slice(0, end)}\n… and ${rest.length - end} characters more`;
}

function endOf(text: string, max: number): number {
  const line = text.lastIndexOf('\n', max);
  if (line > max / 2) return line;
  // Never between the halves of a character.
  const code = text.charCodeAt(max - 1);
  return code >= 0xd800 && code <= 0xdbff ? max - 1 : max;
}
