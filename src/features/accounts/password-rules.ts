import { invalid } from '../../contract/schema/validation.ts';

/** Whose password it is to be, as far as that is known. */
export interface Names {
  username?: string | undefined;
  displayName?: string | undefined;
  email?: string | null | undefined;
}

/** How many of the list are refused; they are in order, the most common first. */
const refused = 10_000;
/** A shorter name is in too many good passwords. */
const shortestName = 4;

/** Loaded once someone sets a password: a start should not wait for it. */
let common: Promise<ReadonlySet<string>> | undefined;

/**
 * Refuses what is tried first: the most common passwords, and one's own name or address, also with digits or signs around it
 * (contract §3). @param field the name of the password's field. @throws AppError VALIDATION_FAILED
 */
export async function requireUnguessable(password: string, field: string, names: Names): Promise<void> {
  const text = password.toLowerCase();
  common ??= readCommon();
  if ((await common).has(text)) throw refusal(field, 'is one of the most common passwords; choose another');
  if (namesOf(names).includes(coreOf(text))) throw refusal(field, 'must not be your name or address; choose another');
}

function namesOf({ username, displayName, email }: Names): string[] {
  const local = email?.split('@')[0];
  const given = [username, displayName, email, local].flatMap((name) => (name ? [name.toLowerCase()] : []));
  return given.map(coreOf).filter((name) => name.length >= shortestName);
}

/** Without digits and signs around it. */
const coreOf = (text: string): string => text.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '');

async function readCommon(): Promise<ReadonlySet<string>> {
  const list = await import('@zxcvbn-ts/language-common/src/passwords.json', { with: { type: 'json' } });
  return new Set(list.default.slice(0, refused));
}

const refusal = (path: string, message: string) => invalid([{ path, message, code: 'custom' }]);
