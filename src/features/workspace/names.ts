import { maxNameLength } from '../../contract/names.ts';
import { cut } from '../../contract/schema.ts';
import { extensionOf } from '../../infrastructure/media-types.ts';

/** More digits than there are nodes in a workspace. */
const longestMark = ' (1000000)'.length;

/** Where a number is inserted: after the name without its extension, unless that is so long that nothing fits before it. */
function stemOf(name: string, kind: 'dir' | 'file'): string {
  const extension = kind === 'file' ? (extensionOf(name) ?? '') : '';
  return extension.length + longestMark < maxNameLength ? name.slice(0, name.length - extension.length) : name;
}

/** The common prefix of a name and everything `freeName` makes of it. */
export function beginningOf(name: string, kind: 'dir' | 'file'): string {
  const stem = stemOf(name, kind);
  return cut(stem, maxNameLength - longestMark - (name.length - stem.length));
}

/**
 * The first free one of `a.txt`, `a (1).txt`, `a (2).txt`, … (contract §8). A name of full length is shortened for the
 * number.
 */
export function freeName(name: string, kind: 'dir' | 'file', taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  const stem = stemOf(name, kind);
  const extension = name.slice(stem.length);
  for (let number = 1; ; number++) {
    const mark = ` (${number})`;
    const candidate = `${cut(stem, maxNameLength - mark.length - extension.length)}${mark}${extension}`;
    if (!taken.has(candidate)) return candidate;
  }
}
