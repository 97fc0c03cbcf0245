import { TransferError } from '../transfer/failure.ts';

/** A value in a file of JSON: an element of its list, or of a list in its object, or a field of that. */
export interface JsonItem {
  /** The field of the object; null in a file that is a list. */
  key: string | null;
  /** Undefined: it is no JSON. */
  value: unknown;
  place: string;
}

/** Longer than any message, and short enough to be held. */
export const maxItemBytes = 16 * 1024 * 1024;
const maxDepth = 200;

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];
const isSpace = (byte: number) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
const byteOrderMark = new Set([0xef, 0xbb, 0xbf]);

/**
 * The values of a JSON file of any size, one at a time: only the present one is held in memory. One that is no JSON is told as
 * such, and the next follows.
 * @throws TransferError when there is no telling where the next one begins, or one is too long or too deep
 */
export async function* jsonItems(name: string, bytes: AsyncIterable<Buffer>): AsyncGenerator<JsonItem> {
  const scanner = new Scanner(name);
  for await (const piece of bytes) yield* scanner.take(piece);
  scanner.end();
}

class Scanner {
  private readonly name: string;
  private count = 0;
  /** What is open around values: the root, and a list in it. */
  private readonly open: ('list' | 'object')[] = [];
  private hasBegun = false;
  private key: string | null = null;
  private expectsKey = false;
  /** The present value: what it is, and the pieces read of it. */
  private inside: 'none' | 'text' | 'nest' | 'scalar' = 'none';
  private depth = 0;
  private inText = false;
  private escaped = false;
  private parts: Buffer[] = [];
  private held = 0;

  constructor(name: string) {
    this.name = name;
  }

  *take(piece: Buffer): Generator<JsonItem> {
    let from = 0;
    for (let at = 0; at < piece.length; at++) {
      const byte = piece[at] ?? 0;
      if (this.inside === 'none') {
        if (this.between(byte)) from = at;
        continue;
      }
      const ends = this.within(byte);
      if (ends === 'no') continue;
      const until = ends === 'with' ? at + 1 : at;
      const item = this.finished(piece.subarray(from, until));
      if (item) yield item;
      if (ends === 'before') at--;
    }
    if (this.inside !== 'none') this.hold(piece.subarray(from));
  }

  end(): void {
    if (this.inside !== 'none' || this.open.length > 0 || !this.hasBegun) throw this.wrong('it ends too early');
  }

  /** @returns whether a value begins here */
  private between(byte: number): boolean {
    if (isSpace(byte) || byte === comma || (!this.hasBegun && byteOrderMark.has(byte))) return false;
    const around = this.open.at(-1);
    if (byte === closeList || byte === closeObject) return this.leave(byte, around);
    if (byte === colon && around === 'object' && !this.expectsKey) return false;
    if (!this.hasBegun) return this.enterRoot(byte);
    if (around === undefined) throw this.wrong('something follows its end');
    if (around === 'object' && !this.expectsKey && byte === openList) {
      this.open.push('list');
      return false;
    }
    if (around === 'object' && this.expectsKey && byte !== quote) throw this.wrong('a field has no name');
    this.inside = byte === quote ? 'text' : byte === openList || byte === openObject ? 'nest' : 'scalar';
    this.inText = byte === quote;
    this.depth = this.inside === 'nest' ? 1 : 0;
    return true;
  }

  private enterRoot(byte: number): boolean {
    if (byte !== openList && byte !== openObject) throw this.wrong('it is no list and no object');
    this.hasBegun = true;
    this.open.push(byte === openList ? 'list' : 'object');
    this.expectsKey = byte === openObject;
    return false;
  }

  private leave(byte: number, around: 'list' | 'object' | undefined): boolean {
    if (around !== (byte === closeList ? 'list' : 'object')) throw this.wrong('its brackets do not match');
    this.open.pop();
    this.key = null;
    this.expectsKey = this.open.at(-1) === 'object';
    return false;
  }

  /** @returns whether the present value ends with this byte, or before it */
  private within(byte: number): 'no' | 'with' | 'before' {
    if (this.inText) {
      if (this.escaped) this.escaped = false;
      else if (byte === backslash) this.escaped = true;
      else if (byte === quote) {
        this.inText = false;
        if (this.inside === 'text') return 'with';
      }
      return 'no';
    }
    if (this.inside === 'scalar') {
      return isSpace(byte) || byte === comma || byte === closeList || byte === closeObject ? 'before' : 'no';
    }
    if (byte === quote) this.inText = true;
    else if (byte === openList || byte === openObject) {
      if (++this.depth > maxDepth) throw this.wrong(`a value is more than ${maxDepth} deep`);
    } else if ((byte === closeList || byte === closeObject) && --this.depth === 0) return 'with';
    return 'no';
  }

  private hold(piece: Buffer): void {
    this.held += piece.length;
    if (this.held > maxItemBytes) throw this.wrong(`a value has more than ${maxItemBytes} bytes`);
    // The buffer of a stream is used again.
    this.parts.push(Buffer.from(piece));
  }

  private finished(last: Buffer): JsonItem | undefined {
    this.hold(last);
    const text = Buffer.concat(this.parts).toString('utf8');
    this.parts = [];
    this.held = 0;
    this.inside = 'none';
    const isName = this.open.at(-1) === 'object' && this.expectsKey;
    const value = parsedOr(text);
    if (isName) {
      if (typeof value !== 'string') throw this.wrong('a field has no name');
      this.key = value;
      this.expectsKey = false;
      return undefined;
    }
    const item = { key: this.key, value, place: `${this.name}, value ${++this.count}` };
    if (this.open.at(-1) === 'object') {
      this.key = null;
      this.expectsKey = true;
    }
    return item;
  }

  private wrong(what: string): TransferError {
    return new TransferError(`${this.name}: after ${this.count} values ${what}.`);
  }
}

/** A value, or undefined where the text is no JSON. */
export function parsedOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
