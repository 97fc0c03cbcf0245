import { extensionOf } from '../infrastructure/media-types.ts';
import { cut, textSchema } from '../schema.ts';

const maxNameLength = 255;

/** What a folder or a file may be called (contract §8): kept as typed, case-sensitive. */
export const nodeNameSchema = textSchema(maxNameLength)
  .refine((name) => name.trim() !== '', 'must not be empty')
  .refine((name) => !/[/\\]/.test(name), 'must not contain "/" or "\\"')
  .refine((name) => name !== '.' && name !== '..', 'must not be "." or ".."')
  .refine((name) => !/\p{Cc}/u.test(name), 'must not contain control characters');

/** More digits than there are nodes in a workspace. */
const longestMark = ' (1000000)'.length;

/** What a number comes behind: the name without its extension, unless that is so long that nothing fits before it. */
function stemOf(name: string, kind: 'dir' | 'file'): string {
  const extension = kind === 'file' ? (extensionOf(name) ?? '') : '';
  return extension.length + longestMark < maxNameLength ? name.slice(0, name.length - extension.length) : name;
}

/** What a name and all that `freeName` makes of it begin with. */
export function beginningOf(name: string, kind: 'dir' | 'file'): string {
  const stem = stemOf(name, kind);
  return cut(stem, maxNameLength - longestMark - (name.length - stem.length));
}

/**
 * The first of `a.txt`, `a (1).txt`, `a (2).txt`, … that is free (contract §8). A name at its full length gives up
 * some of its end for the number.
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
