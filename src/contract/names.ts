import { textSchema } from './schema.ts';
import { isBlank, withoutDirections } from './unicode/visible.ts';

export const maxNameLength = 255;

/**
 * Names of folders and files (contract §8): case-sensitive, stored as typed, but composed (NFC) and without what turns the
 * direction of text: an ending looks like another one with that.
 */
export const nodeNameSchema = textSchema(maxNameLength)
  .overwrite((name) => withoutDirections(name.normalize('NFC')))
  .refine((name) => !isBlank(name), 'must not be empty')
  .refine((name) => !/[/\\]/.test(name), 'must not contain "/" or "\\"')
  .refine((name) => name !== '.' && name !== '..', 'must not be "." or ".."')
  .refine((name) => !/\p{Cc}/u.test(name), 'must not contain control characters');
