import { TransferError } from './failure.ts';

/** A line of a file of the export. */
export interface Line {
  /** As an operator calls it: `messages.jsonl, line 12`. */
  place: string;
  text: string;
}

/** Longer than any record can be: a message with all it may carry has less than a tenth of it. */
const maxLineBytes = 4 * 1024 * 1024;
const newline = 0x0a;

/** Cuts the bytes of a file into its lines, empty ones left out. @throws TransferError naming the line */
export async function* readLines(name: string, bytes: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let number = 0;
  let rest: Buffer[] = [];
  let held = 0;
  const lineOf = (last: Buffer): Line => {
    number++;
    const place = `${name}, line ${number}`;
    if (held + last.length > maxLineBytes) throw tooLong(place);
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
    if (held > maxLineBytes) throw tooLong(`${name}, line ${number + 1}`);
  }
  const last = lineOf(Buffer.alloc(0));
  if (last.text !== '') yield last;
}

function tooLong(place: string): TransferError {
  return new TransferError(`${place}: it has more than ${maxLineBytes} bytes.`);
}
