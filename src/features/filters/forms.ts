import { type FilterKind, maxPattern } from '../../contract/filter.ts';
import { linkForm } from './links.ts';
import { wordForm } from './words.ts';

/** The form in which an entry is compared; empty: there is nothing to look for. */
export function formOf(kind: FilterKind, pattern: string): string {
  const form = kind === 'word' ? wordForm(pattern) : linkForm(pattern);
  // Compatibility forms may be many letters each.
  return form.length > 2 * maxPattern ? '' : form;
}
