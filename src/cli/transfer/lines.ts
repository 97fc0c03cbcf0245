import { TransferError } from './failure.ts';

/** A line of a file in an export. */
export interface Line {
  /** As shown to an operator: `messages.jsonl, line 12`. */
  place: string;
  text: string;
}

/** Longer than any record can be: the largest message takes less than a tenth of it. */
const longestLine = 4 * 1024 * 1024;
const newline = 0x0a;

/** Splits the bytes of a file into lines, without empty ones. @throws TransferError naming the line */
export async function* readLines(
  name: string,
  bytes: AsyncIterable<Buffer>,
  maxLineBytes = longestLine,
): AsyncGenerator<Line> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let number = 0;
  let rest: Buffer[] = [];
  let held = 0;
  const lineOf = (last: Buffer): Line => {
    number++;
    const place = `${name}, line ${number}`;
    if (held + last.length > maxLineBytes) throw tooLong(place, maxLineBytes);
    const whole = rest.length > 0 ? Buffer.concat([...rest, last]) : last;
    rest = [];
    held = 0;
    try {
      return { place, text: decoder.decode(whole) };
    } catch {
      throw new TransferError(`${place}: this is no UTF-8.`);
    }
  };
  for await (const piece of bytes) {
    let from = 0;
    for (let end = piece.indexOf(newline); end >= 0; end = piece.indexOf(newline, from)) {
      const line = lineOf(piece.subarray(from, end));
      if (line.text !== '') yield line;
      from = end + 1;
    }
    if (from < piece.length) rest.push(piece.subarray(from));
    held += piece.length - from;
    if (held > maxLineBytes) throw tooLong(`${name}, line ${number + 1}`, maxLineBytes);
  }
  const last = lineOf(Buffer.alloc(0));
  if (last.text !== '') yield last;
}

function tooLong(place: string, maxLineBytes: number): TransferError {
  return new TransferError(`${place}: it has more than ${maxLineBytes} bytes.`);
}
