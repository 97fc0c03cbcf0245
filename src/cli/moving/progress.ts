import { clearLine, cursorTo } from 'node:readline';

const everyMs = { terminal: 100, lines: 15_000 };
const width = 24;

/** How far it is: a bar on a terminal, and elsewhere a line from time to time. */
export class Progress {
  private readonly out: NodeJS.WriteStream;
  private readonly print: (line: string) => void;
  private last = 0;
  private shows = false;

  constructor(print: (line: string) => void, out: NodeJS.WriteStream = process.stderr) {
    this.print = print;
    this.out = out;
  }

  /** @param total null: not known */
  at(what: string, done: number, total: number | null): void {
    const now = performance.now();
    const { terminal, lines } = everyMs;
    if (now - this.last < (this.out.isTTY ? terminal : lines)) {
      // Nothing is printed at first: what is done by then needs no line.
      if (this.last === 0) this.last = now;
      return;
    }
    this.last = now;
    const share = total === null || total === 0 ? null : Math.min(1, done / total);
    const of = total === null ? `${done}` : `${done} of ${total}`;
    if (!this.out.isTTY) {
      this.print(share === null ? `${what}: ${of}` : `${what}: ${of} (${Math.floor(share * 100)} %)`);
      return;
    }
    clearLine(this.out, 0);
    cursorTo(this.out, 0);
    const full = Math.round((share ?? 0) * width);
    const bar = share === null ? '' : `[${'#'.repeat(full)}${'-'.repeat(width - full)}] `;
    this.out.write(`${bar}${what}: ${of}`.slice(0, (this.out.columns ?? 80) - 1));
    this.shows = true;
  }

  /** Takes the bar away. */
  clear(): void {
    if (this.shows) {
      clearLine(this.out, 0);
      cursorTo(this.out, 0);
    }
    this.shows = false;
    this.last = performance.now();
  }
}
