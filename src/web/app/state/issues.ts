import type { Issue } from '../../../contract/errors.ts';
import type { Message } from '../../../languages/catalogue.ts';
import { valuesIn } from '../../../languages/pattern.ts';
import { fieldTitle } from './field-titles.ts';
import type { Texts } from './texts.ts';

/** The sentences of the server that people meet; others are said by their codes. */
const reasons: readonly Message[] = [
  'is missing',
  'must be given',
  'must not be empty',
  'must have at least {count} characters',
  'must have at most {count} characters',
  'must have at least {count} items',
  'must have at most {count} items',
  'must be at least {count}',
  'must be at most {count}',
  'must be an e-mail address',
  'must be in the future',
  'must be six digits',
  'must be the same as newPassword',
  'must differ from each other',
  'must have a letter or a digit',
  'must not contain line breaks or control characters',
  'must not contain characters that turn the direction of the text',
  'must have at most {count} marks on a letter, and each of them once',
  'must have at most {count} marks on a letter',
  'must be letters, digits, "_", "-" or "."',
  'must neither begin nor end with "."',
  'must be in the letters of one script that is in use; Latin goes with Chinese, Japanese and Korean',
  'must be 2 to 30 of a-z, digits, "_", "-" and "+"',
  'must be an https address, or a path of this site',
  'must be a public https address',
  'must be an https address',
  'must not look like the address of a host',
  'is the name of an emoji that everyone has',
  'is reserved, or looks like a reserved name',
  'is reserved',
];

/** Zod's codes (contract §2). */
const byCode: Readonly<Record<string, Message>> = {
  invalid_type: 'is missing or not of the right kind',
  invalid_value: 'is not one of the choices',
  invalid_format: 'does not have the right form',
  too_small: 'is too short or too small',
  too_big: 'is too long or too large',
  not_multiple_of: 'does not have the right form',
  unrecognized_keys: 'is not known here',
  invalid_text: 'contains characters that are not allowed',
};

/** More would be a wall of text. */
const mostShown = 3;

/** What is wrong with the fields of a request, in words for whoever filled them in; null: nothing is known of them. */
export function issuesText(issues: readonly Issue[], texts: Texts): string | null {
  if (issues.length === 0) return null;
  const { t } = texts;
  const sentences = issues
    .slice(0, mostShown)
    .map((issue) => t('{field}: {reason}.', { field: fieldOf(issue, texts), reason: reasonOf(issue, texts) }));
  return [...new Set(sentences)].join(' ');
}

/** The last name on the way to it: `options.3` is among the options. */
function fieldOf({ path }: Issue, texts: Texts): string {
  const name = path.split('.').findLast((part) => !/^\d*$/.test(part));
  if (name === undefined) return texts.t('What you entered');
  return fieldTitle(name, texts) ?? name;
}

function reasonOf({ message, code }: Issue, { t, language }: Texts): string {
  for (const reason of reasons) {
    const values = valuesIn(reason, message);
    if (values) return t(reason, values);
  }
  // The server's own sentence says more than its code.
  const general = language !== 'en' && Object.hasOwn(byCode, code) ? byCode[code] : undefined;
  return general === undefined ? message : t(general);
}
