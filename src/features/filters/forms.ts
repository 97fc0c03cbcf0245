import { setImmediate as turn } from 'node:timers/promises';
import { type FilterKind, maxPattern } from '../../contract/filter.ts';
import { linkForm } from './links.ts';
import { stretches } from './stretches.ts';
import { wordForm } from './words.ts';

/** The form in which an entry is compared; empty: there is nothing to look for. */
export function formOf(kind: FilterKind, pattern: string): string {
  const form = kind === 'word' ? wordForm(pattern) : linkForm(pattern);
  // Compatibility forms may be many letters each.
  return form.length > 2 * maxPattern ? '' : form;
}

/** The forms of many entries, in steps between which others get their turn: characters that occur first take a while. */
export async function formsOf(kind: FilterKind, patterns: string[]): Promise<string[]> {
  const isDue = stretches();
  const forms: string[] = [];
  for (const pattern of patterns) {
    forms.push(formOf(kind, pattern));
    if (isDue(pattern.length)) await turn();
  }
  return forms;
}
