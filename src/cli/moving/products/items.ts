import { TransferError } from '../../transfer/failure.ts';
import { readLines } from '../../transfer/lines.ts';
import type { Archive } from '../archive.ts';
import { type ForeignProblem, problem } from '../foreign.ts';
import { jsonItems, maxItemBytes, parsedOr } from '../json-items.ts';

/** A value of a file, and where it stands. */
export interface Item {
  key: string | null;
  value: unknown;
  place: string;
}

/** The values of a JSON file. What cannot be read is told; where nothing after it can be, the file ends there. */
export async function* itemsOf(archive: Archive, file: string): AsyncGenerator<Item | ForeignProblem> {
  yield* told(file, jsonItems(file, archive.read(file)));
}

/** The values of a file of JSON Lines. */
export async function* linesOf(archive: Archive, file: string): AsyncGenerator<Item | ForeignProblem> {
  yield* told(file, parsedLines(file, archive.read(file)));
}

/** The values of a file that is a list, or has one a line, as `mongoexport` writes both. */
export async function* recordsOf(archive: Archive, file: string): AsyncGenerator<Item | ForeignProblem> {
  yield* (await beginsAsList(archive, file)) ? itemsOf(archive, file) : linesOf(archive, file);
}

async function beginsAsList(archive: Archive, file: string): Promise<boolean> {
  try {
    for await (const piece of archive.read(file)) {
      const [first] = piece
        .toString('latin1')
        .replace(/^\u00ef\u00bb\u00bf/, '')
        .trimStart();
      if (first !== undefined) return first === '[';
    }
  } catch (error) {
    // The reading that follows tells of it.
    if (!(error instanceof TransferError)) throw error;
  }
  return false;
}

async function* parsedLines(file: string, bytes: AsyncIterable<Buffer>): AsyncGenerator<Item> {
  for await (const { place, text } of readLines(file, bytes, maxItemBytes)) {
    yield { key: null, value: parsedOr(text.replace(/^\ufeff/, '')), place };
  }
}

async function* told(file: string, items: AsyncGenerator<Item>): AsyncGenerator<Item | ForeignProblem> {
  try {
    for await (const item of items) {
      yield item.value === undefined ? problem('a value is no JSON', item.place) : item;
    }
  } catch (error) {
    if (!(error instanceof TransferError)) throw error;
    yield problem('a file cannot be read to its end', `${file}: ${error.message}`);
  }
}
