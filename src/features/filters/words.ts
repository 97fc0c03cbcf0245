import { Automaton } from './automaton.ts';
import { foldedText, space, symbolOf, symbolsOf } from './folding.ts';

/** Stands between two characters unless both are of one word, and at both ends of a text. */
const boundary = 0x110000;

/** A text as the automaton reads it. */
type Sink = (symbol: number) => void;

/** Turns characters into symbols, with boundaries between them. */
class Reader {
  private inWord = false;
  private afterSpace = false;
  private readonly sink: Sink;

  constructor(sink: Sink) {
    this.sink = sink;
  }

  read(text: string): void {
    for (let at = 0; at < text.length; ) {
      const codePoint = text.codePointAt(at) ?? 0;
      at += codePoint > 0xffff ? 2 : 1;
      const symbol = symbolOf(codePoint);
      if (symbol >= 0) this.take(symbol);
      else for (const one of symbolsOf(codePoint)) this.take(one);
    }
  }

  private take(symbol: number): void {
    const letter = symbol >> 1;
    if (letter === space && this.afterSpace) return;
    this.afterSpace = letter === space;
    const isOfWord = (symbol & 1) === 1;
    if (!isOfWord || !this.inWord) this.sink(boundary);
    this.sink(letter);
    this.inWord = isOfWord;
  }
}

/** What an entry matches, without the `*` at its ends, in folded form; empty: nothing that anybody sees. */
export function wordForm(pattern: string): string {
  const [, before = '', inner = '', after = ''] = /^(\*?)(.*?)(\*?)$/su.exec(pattern.trim()) ?? [];
  const form = foldedText(inner);
  return form === '' ? '' : `${before}${form}${after}`;
}

/** The symbols of an entry: a boundary at each end where it has no `*`. */
function symbolsOfEntry(form: string): number[] {
  const symbols: number[] = [];
  const openBefore = form.startsWith('*') && form.length > 1;
  const openAfter = form.endsWith('*') && form.length > 1;
  new Reader((symbol) => void symbols.push(symbol)).read(form.slice(openBefore ? 1 : 0, openAfter ? -1 : undefined));
  return [...symbols.slice(openBefore ? 1 : 0), ...(openAfter ? [] : [boundary])];
}

function* entries(forms: string[]): Generator<number[]> {
  for (const form of forms) yield symbolsOfEntry(form);
}

/** The words of a server's filters, ready to be looked for. */
export class Words {
  private readonly automaton: Automaton;

  private constructor(automaton: Automaton) {
    this.automaton = automaton;
  }

  /** @param forms of the entries, the strictest first */
  static async of(forms: string[]): Promise<Words> {
    // Each character may have a boundary before it, and the last one after it.
    const most = forms.reduce((sum, form) => sum + 2 * form.length + 1, 0);
    return new Words(await Automaton.of(entries(forms), most));
  }

  get size(): number {
    return this.automaton.size;
  }

  scan(): WordScan {
    return new WordScan(this.automaton);
  }
}

/** Looks for words in a text that may arrive in pieces. */
export class WordScan {
  private readonly automaton: Automaton;
  private readonly reader: Reader;
  private state = 0;
  /** A surrogate whose other half has not arrived. */
  private half = '';
  /** The first entry that is in the text so far for certain; -1: none. */
  found = -1;

  constructor(automaton: Automaton) {
    this.automaton = automaton;
    this.reader = new Reader((symbol) => {
      this.state = automaton.next(this.state, symbol);
      this.note(automaton.found(this.state));
    });
  }

  add(text: string): void {
    const whole = this.half + text;
    const isCut = /[\ud800-\udbff]$/.test(whole);
    this.half = isCut ? whole.slice(-1) : '';
    this.reader.read(isCut ? whole.slice(0, -1) : whole);
  }

  /** The first entry that is in the text if it ends here. */
  get foundAtEnd(): number {
    const last = this.automaton.found(this.automaton.next(this.state, boundary));
    return last === -1 || (this.found !== -1 && this.found < last) ? this.found : last;
  }

  private note(entry: number): void {
    if (entry !== -1 && (this.found === -1 || entry < this.found)) this.found = entry;
  }
}
