import { kinds } from './track.ts';
import type { Outcome } from './trial.ts';

type Column = [name: string, width: number, value: (outcome: Outcome) => string];

const columns: Column[] = [
  ['fault', -17, (o) => o.fault],
  ['sent', 6, (o) => String(o.sent)],
  ['acked', 6, (o) => String(o.acknowledged)],
  ['/s', 5, (o) => o.rate.toFixed(0)],
  ...kinds.map((kind): Column => [`${kind} %`, 9, (o) => percent(o.kinds[kind].got, o.kinds[kind].due)]),
  ['twice', 6, (o) => String(o.duplicates)],
  ['order', 6, (o) => String(o.disordered)],
  ['p50 ms', 7, (o) => String(o.p50)],
  ['p99 ms', 7, (o) => String(o.p99)],
  ['gap ms', 7, (o) => String(o.slowest)],
  ['recovered', 12, (o) => `${o.recovered}/${o.returns}`],
  ['MiB', 5, (o) => String(o.memory)],
  ['kept', 5, (o) => (o.broken.length === 0 ? 'yes' : 'NO')],
];

/** The names of the columns, and what they mean in a line below. */
export const header = columns.map(([name, width]) => pad(name, width)).join('');

export function row(outcome: Outcome): string {
  return columns.map(([, width, value]) => pad(value(outcome), width)).join('');
}

function pad(text: string, width: number): string {
  return width < 0 ? text.padEnd(-width) : text.padStart(width);
}

/** Rounded down: 100 means all. */
function percent(part: number, whole: number): string {
  return whole === 0 ? '-' : (Math.floor((part / whole) * 100_000) / 1000).toString();
}
