/** The languages of texts for people: the web client's, of mails and of pages (contract §3). The web client imports this too. */
export const languages = ['en', 'de', 'es', 'fr', 'ja', 'ar'] as const;

export type Language = (typeof languages)[number];

/** In which direction a language is read. */
export const directionOf = (language: Language): 'ltr' | 'rtl' => (language === 'ar' ? 'rtl' : 'ltr');

export const isLanguage = (text: string): text is Language => languages.some((language) => language === text);

/** The first of these language tags, such as `de-AT`, that there are texts for. */
export function languageOf(tags: readonly string[]): Language | null {
  return tags.map((tag) => tag.trim().toLowerCase().split(/[-_]/)[0] ?? '').find(isLanguage) ?? null;
}

/**
 * The language of an `Accept-Language` header: of those that there are texts for, the one with the highest weight.
 * @returns null where there is none, or no header
 */
export function acceptedLanguage(header: string | undefined): Language | null {
  const wanted = (header ?? '').slice(0, longestHeader).split(',').map(weighed);
  const known = wanted.filter(({ weight }) => weight > 0).sort((a, b) => b.weight - a.weight);
  return languageOf(known.map(({ tag }) => tag));
}

/** No browser sends more. */
const longestHeader = 1000;

function weighed(part: string): { tag: string; weight: number } {
  const [tag = '', ...parameters] = part.split(';').map((piece) => piece.trim());
  const quality = parameters.find((one) => one.startsWith('q='));
  const weight = quality === undefined ? 1 : Number(quality.slice(2));
  return { tag, weight: Number.isNaN(weight) ? 0 : weight };
}

const byName = /^[a-z]/i;

/** The usual spelling of an IANA time zone, by the runtime's own data. @returns null where it is none; offsets are none */
export function timeZoneOf(name: string): string | null {
  if (!byName.test(name)) return null;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
}
