import type { Texts } from '../../state/texts.ts';

/** A number, with a word that says so where it is an estimate. */
export function roughly({ number, t }: Texts, { count, isAbout }: { count: number; isAbout: boolean }): string {
  return isAbout ? t('about {count}', { count: number(count) }) : number(count);
}
