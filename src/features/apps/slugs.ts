import { appSlugSchema } from '../../contract/app.ts';

const maxLength = 90;

/** A slug for a name: Latin letters and digits, without accents; `app` if nothing is left. */
export function slugOf(name: string): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, maxLength)
    .replace(/^-+|-+$/g, '');
  if (plain === '') return 'app';
  // Reserved path segments are excluded, and what looks like an id would be read as one.
  return appSlugSchema.safeParse(plain).success ? plain : `app-${plain}`;
}

/** The first free one of `name`, `name-2`, `name-3`, … */
export function freeSlug(name: string, taken: ReadonlySet<string>): string {
  const slug = slugOf(name);
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? slug : `${slug}-${number}`;
    if (!taken.has(candidate)) return candidate;
  }
}
