import { writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import type { Figures } from './scenario.ts';

export const short = (value = 0) =>
  Math.abs(value) >= 100 ? value.toFixed(0) : Math.abs(value) >= 10 ? value.toFixed(1) : value.toFixed(2);

/**
 * Tables of figures, printed and kept line by line, so that what was measured is there whatever fails later. The last
 * column is the load of the machine.
 */
export class Tables {
  private readonly file: string;
  private readonly lines: string[] = [];
  private columns = '';

  constructor(file: string) {
    this.file = file;
  }

  say(line: string): void {
    this.lines.push(line);
    this.columns = '';
    this.write(line);
  }

  /** A row under the names of its figures: a new table begins where they differ from those of the row before. */
  row(what: string, figures: Figures): void {
    const names = Object.keys(figures);
    const columns = names.join();
    if (columns !== this.columns) {
      this.lines.push('');
      this.add(['what', ...names, 'load']);
      this.add(['', ...names, ''].map(() => '---'));
    }
    this.columns = columns;
    this.add([what, ...names.map((name) => short(figures[name])), short(loadavg()[0])]);
  }

  private add(cells: string[]): void {
    const line = `| ${cells.join(' | ')} |`;
    this.lines.push(line);
    this.write(line);
  }

  private write(line: string): void {
    process.stdout.write(`${line}\n`);
    writeFileSync(this.file, `${this.lines.join('\n').trim()}\n`);
  }
}
