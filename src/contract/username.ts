import { z } from 'zod';
import { textSchema } from './schema.ts';
import { topLevelDomains } from './top-level-domains.ts';
import { isOfOneScript } from './unicode/scripts.ts';
import { foldedKey, skeleton } from './unicode/skeleton.ts';
import { hasMarkFlood, maxMarks } from './unicode/visible.ts';

/** What usernames may be (contract §3): names of people and bots that nobody takes for another one's. */

/**
 * The form in which usernames are compared: they are unique, and looked up, whatever their case and composition. Only this
 * folds them: PostgreSQL lower-cases some letters differently, such as a Greek sigma at the end of a word.
 */
export const usernameKey = (name: string): string => foldedKey(name);

/** What earlier versions, and imports, keep as the key of a name: `straße` and `strasse` are two names there. */
export const earlierUsernameKey = (name: string): string => name.normalize('NFC').toLowerCase();

/**
 * The keys under which a name may be kept, nearly always one: as typed, as folded, and as earlier versions keep a sigma at
 * the end. Where several are, the first is meant.
 */
export function usernameKeys(name: string): string[] {
  const earlier = earlierUsernameKey(name);
  // Most are plain, and a message may have a thousand names to look up.
  if (/^[ -~]*$/.test(earlier)) return [earlier];
  const key = usernameKey(name);
  const keys = [earlier, key, key.includes('σ') ? key.replaceAll('σ', 'Σ').toLowerCase() : key];
  return [...new Set(keys)];
}

/** What a username looks like: no two that are made may look the same. */
export const usernameSkeleton = (name: string): string => skeleton(name);

/** The key of a deleted user: nobody can register it, which would block someone else's deletion. */
export const deletedUsernameKey = (userId: string): string => `.${userId}`;

const minLength = 3;
const maxLength = 32;
/** Before composition, which makes most texts shorter. */
const maxTyped = 4 * maxLength;

/** Mentions that address many people, and who people believe to speak for the server. */
const reservedWords = ['here', 'everyone', 'channel', 'all', 'system', 'admin'];

let reserved: Set<string> | undefined;

/** Whether a name is a reserved one, in any case, or looks like one. */
export function isReserved(name: string): boolean {
  reserved ??= new Set(reservedWords.flatMap((word) => [word, word.toUpperCase()]).map(skeleton));
  return reserved.has(skeleton(name)) || reserved.has(skeleton(usernameKey(name)));
}

let endings: Set<string> | undefined;

/** Whether a name looks like the address of a host: its end is a top-level domain, or it is a number with dots. */
function isHostName(name: string): boolean {
  if (!name.includes('.')) return false;
  // Read when the first name with a dot comes (5 ms).
  endings ??= new Set(topLevelDomains().map(skeleton));
  return endings.has(skeleton(name.slice(name.lastIndexOf('.') + 1))) || /^[\p{Nd}.]+$/u.test(name);
}

/** Letters, digits and marks that UAX 31 has in identifiers, of which none is invisible. */
const letters = /^(?:[[[\p{L}\p{N}\p{M}]&&\p{ID_Continue}]--\p{Default_Ignorable_Code_Point}]|[._\-])+$/v;
/** A mark would be drawn on what stands before the name. */
const looseMark = /(^|[._-])\p{M}/u;
/** Marks that add nothing to see: the same one twice, and a dot on a letter that has one. */
const hiddenMark = /([\p{Mn}\p{Me}])\1|\p{Soft_Dotted}\p{M}*\u0307/u;

/** What a composed name must be, in the order in which it is checked: the first that it is not is told. */
const rules: [fits: (name: string) => boolean, sentence: string][] = [
  [(name) => name.length >= minLength, `must have at least ${minLength} characters`],
  [(name) => name.length <= maxLength, `must have at most ${maxLength} characters`],
  [(name) => letters.test(name) && !looseMark.test(name), 'must be letters, digits, "_", "-" or "."'],
  [(name) => !/^\.|\.$/.test(name), 'must neither begin nor end with "."'],
  [
    (name) => !hasMarkFlood(name) && !hiddenMark.test(name.normalize('NFD')),
    `must have at most ${maxMarks} marks on a letter, and each of them once`,
  ],
  [isOfOneScript, 'must be in the letters of one script that is in use; Latin goes with Chinese, Japanese and Korean'],
  [(name) => !isReserved(name), 'is reserved, or looks like a reserved name'],
  [(name) => !isHostName(name), 'must not look like the address of a host'],
];

/** A username in the form in which it is kept: composed (NFKC), so that ｆｕｌｌ width and ﬁ are letters like others. */
export const composedUsername = (typed: string): string => typed.trim().normalize('NFKC');

/** @param name composed @returns what it must be; undefined: it is a good one */
export function usernameProblem(name: string): string | undefined {
  return rules.find(([fits]) => !fits(name))?.[1];
}

/** One that is longer would take longer to compose than to refuse. */
const typedSchema = z
  .string()
  .refine((name) => name.length <= maxTyped, { error: `must have at most ${maxLength} characters`, abort: true });

const described =
  '3 to 32 letters, digits, "_", "-" or ".", which neither begin nor end with ".", in one script; not like a reserved name or the address of a host.';

/** A new username (contract §3). */
export const usernameSchema = typedSchema
  .overwrite(composedUsername)
  .superRefine((name, context) => {
    const message = usernameProblem(name);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  })
  .describe(described)
  .meta({ minLength, maxLength });

/** A username as earlier versions took it: one that is kept, as by an import, stays what it is. */
export const keptUsernameSchema = z
  .string()
  .trim()
  .transform((name) => name.normalize('NFC'))
  .pipe(
    textSchema(maxLength, z.string().min(minLength)).regex(
      /^[\p{L}\p{N}\p{M}_-][\p{L}\p{N}\p{M}_.-]*[\p{L}\p{N}\p{M}_-]$/u,
      'must be letters, digits, "_", "-" or "."',
    ),
  );

/** The name that a change sends: as it is now, it may be one of an earlier version, so whoever changes it checks it. */
export const sentUsernameSchema = typedSchema.describe(described).meta({ minLength, maxLength });

/**
 * A username of at most `max` characters for people who choose none, which may need digits at its end: what can be kept
 * of an e-mail's local part, or of a name at a provider (contract §3).
 */
export function suggestedUsername(text: string, max: number): string {
  const typed = composedUsername((text.split('@')[0] ?? '').slice(0, maxTyped));
  const letter = Array.from(typed).filter((one) => letters.test(one));
  const latin = letter.filter((one) => /[\w.-]/.test(one)).join('');
  const names = [letter.join(''), latin].flatMap((name) => [name, name.replaceAll('.', '-')]);
  const long = names.map((name) => (name.length < minLength ? `user-${name}` : name));
  const cut = long.map((name) => cutName(name, max));
  const good = (name: string) => usernameProblem(name) === undefined;
  // A reserved name is a good one with digits at its end.
  return cut.find(good) ?? cut.find((name) => good(`${name}00`)) ?? 'user';
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** No letter loses a mark, and no `.` is left at an end. */
function cutName(name: string, max: number): string {
  let cut = '';
  for (const { segment } of graphemes.segment(name.replace(/^\.+/, ''))) {
    if (cut.length + segment.length > max) break;
    cut += segment;
  }
  return cut.replace(/\.+$/, '');
}
