import type { LogTable, Partition } from './log-table.ts';
import { gapAt, isOver, type Range, rangesToMake } from './ranges.ts';

/** The next step of keeping the log partitioned; each is a transaction of its own, and any node may do it. */
export type Step =
  /** Bounds the default partition, into which entries are written, */
  | { name: 'bind'; range: Range }
  /** finds that all its entries keep the bound, */
  | { name: 'check'; range: Range }
  /** and makes it an ordinary partition. */
  | { name: 'settle'; range: Range }
  /** Brings entries from the default partition, into which none are written, to where they belong. */
  | { name: 'tidy' }
  | { name: 'add'; ranges: { from: number; to: number }[] }
  | { name: 'drop'; partition: Partition };

/** The step that is due; undefined: none. @param keepDays how long entries are kept */
export function dueStep(table: LogTable, keepDays: number): Step | undefined {
  const { isThere, partitions, isDefaultFilled, bound, now } = table;
  if (!isThere) return undefined;
  const gap = gapAt(partitions, now);
  if (isDefaultFilled && gap) {
    if (!bound || bound.to <= now) return { name: 'bind', range: gap };
    return { name: bound.isValid ? 'settle' : 'check', range: bound };
  }
  if (isDefaultFilled) return { name: 'tidy' };
  const ranges = rangesToMake(partitions, now, keepDays);
  if (ranges.length > 0) return { name: 'add', ranges };
  const partition = partitions.find((one) => isOver(one, now, keepDays));
  return partition && { name: 'drop', partition };
}
