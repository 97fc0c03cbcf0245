import type { z } from 'zod';

type Issue = z.core.$ZodIssue;
type RawIssue = z.core.$ZodRawIssue;

const missing = 'is missing';

const kinds: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

const units: Record<string, string> = { string: ' characters', array: ' items', set: ' items' };

/**
 * The demand of a broken rule, to follow the field's name: `must have at least 8 characters`. Used where a schema has
 * no sentence of its own.
 * @returns undefined for rules that have no common sentence
 */
export function issueSentence(issue: RawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? missing : `must be ${kinds[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map((value) => JSON.stringify(value)).join(', ')}`;
    case 'too_small':
      return bound('least', issue.origin, issue.minimum);
    case 'too_big':
      return bound('most', issue.origin, issue.maximum);
    case 'invalid_format':
      return 'is not of the right form';
    default:
      return undefined;
  }
}

function bound(word: 'least' | 'most', origin: string, limit: number | bigint): string {
  const unit = units[origin];
  if (!unit) return `must be at ${word} ${limit}`;
  if (word === 'least' && limit === 1) return 'must not be empty';
  return `must have at ${word} ${limit}${unit}`;
}

/** For a value that fits none of several forms: the problem with the form that was most likely meant. */
export function mostTelling(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const [likely] = issue.errors.toSorted((a, b) => missed(a) - missed(b) || deepest(b) - deepest(a));
  if (!likely?.length) return [issue];
  return likely.flatMap((inner) => mostTelling({ ...inner, path: [...issue.path, ...inner.path] }));
}

const missed = (issues: Issue[]) => issues.filter(({ message }) => message === missing).length;
const deepest = (issues: Issue[]) => Math.max(...issues.map(({ path }) => path.length));
