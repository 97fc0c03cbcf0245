import { appSlugSchema } from './app.contract.ts';

const maxLength = 90;

/** A slug made of a name: letters and digits that Latin has, accents taken off; `app` where nothing is left. */
export function slugOf(name: string): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, maxLength)
    .replace(/^-+|-+$/g, '');
  if (plain === '') return 'app';
  // Addresses have words of their own, and what looks like an id is taken for one.
  return appSlugSchema.safeParse(plain).success ? plain : `app-${plain}`;
}

/** The first of `name`, `name-2`, `name-3`, … that is free. */
export function freeSlug(name: string, taken: ReadonlySet<string>): string {
  const slug = slugOf(name);
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? slug : `${slug}-${number}`;
    if (!taken.has(candidate)) return candidate;
  }
}
